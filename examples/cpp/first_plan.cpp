// A first plan, without OMPL: a point among walls, with psmp's own C++ interface.
#include <psmp/psmp.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>

namespace {

void must(bool is_so, const char* what) {
  if (is_so) return;
  std::cerr << "not so: " << what << '\n';
  std::exit(1);
}

// A wall with a gap at the top.
bool is_free(psmp::Configuration q) { return q[0] < 0.45 || q[0] > 0.55 || q[1] > 0.8; }

}  // namespace

int main() {
  // Ten lines are all it takes.
  psmp::Planner planner({{0.0, 1.0}, {0.0, 1.0}}, is_free);
  planner.query({0.1, 0.1}, {0.9, 0.9});
  planner.stop_at_checks(5000);
  planner.run([](const psmp::Event& event) {
    if (event.kind == PSMP_EVENT_KIND_IMPROVED) {
      std::cout << event.length << " after " << event.progress.configurations << " configurations\n";
    }
  });
  for (const std::vector<double>& q : planner.path()) std::cout << q[0] << ' ' << q[1] << '\n';

  const double shortest = std::hypot(0.35, 0.7) + 0.1 + std::hypot(0.35, 0.1);
  must(planner.progress().best_length < 1.1 * shortest, "the path is nearly the shortest");
  must(planner.progress().configurations <= 5000, "no more is checked than was said");
  const psmp::Graph graph = planner.graph();
  must(graph.vertices.size() > 2 && graph.vertices[graph.start] == std::vector<double>({0.1, 0.1}), "there is a graph");

  // The next query begins with what this one has found out, to whichever goal is nearer.
  planner.query_any({0.1, 0.2}, {{0.9, 0.9}, {0.9, 0.7}});
  psmp::Planner moved = std::move(planner);
  moved.stop_at_seconds(60);
  moved.run();
  must(moved.path().back() == std::vector<double>({0.9, 0.7}), "the nearer goal is reached");

  // What a check throws comes out as it is, and the run can be driven on.
  int asked = 0;
  psmp::Planner failing({{0.0, 1.0}, {0.0, 1.0}}, [&](psmp::Configuration q) {
    if (++asked == 50) throw std::string("a sensor fell off");
    return is_free(q);
  });
  failing.query({0.1, 0.1}, {0.9, 0.9});
  failing.stop_when([&] { return asked > 6000; });
  try {
    failing.run();
    must(false, "it throws");
  } catch (const std::string& thrown) {
    must(thrown == "a sensor fell off", "what was thrown comes out");
  }
  must(failing.run() == PSMP_EVENT_KIND_NONE && !failing.path().empty(), "it can be driven on");
  failing.stop_never();
  failing.stop_when([&]() -> bool { throw asked; });
  try {
    failing.run();
    must(false, "it throws");
  } catch (int thrown) {
    must(thrown == asked, "what was thrown comes out");
  }

  // Many at once.
  psmp::Planner many({{0.0, 1.0}, {0.0, 1.0}}, [](psmp::Configurations all) {
    std::size_t place = 0;
    while (place < all.size() && is_free(all[place])) ++place;
    return place;
  }, 8);
  many.query({0.1, 0.1}, {0.9, 0.9});
  many.stop_at_checks(3000);
  many.run();
  must(!many.path().empty(), "a path is found");

  // What makes no sense is told.
  const auto told = [&](auto&& call, const std::string& words) {
    try {
      call();
    } catch (const psmp::Error& error) {
      return std::string(error.what()).find(words) != std::string::npos;
    }
    return false;
  };
  must(told([&] { many.query({0.1}, {0.9, 0.9}); }, "1 values"), "a start that is too short");
  must(told([&] { many.query({0.1, 7.0}, {0.9, 0.9}); }, "outside"), "a start outside the space");
  must(told([&] { many.set_name("best"); }, "`best`"), "no such planner");
  must(told([&] { psmp::Planner({{1.0, 0.0}}, is_free); }, "bounds"), "no such space");
  must(told([&] { planner.set_seed(1); }, "psmp_planner_new"), "a planner that was moved away");
  return 0;
}

/// psmp for C++17: the C interface with objects that clean up after themselves, exceptions and functions of any kind.
///
///     psmp::Planner planner({{0, 1}, {0, 1}}, [](psmp::Configuration q) { return q[0] < 0.4 || q[1] > 0.8; });
///     planner.query({0.1, 0.1}, {0.9, 0.9});
///     planner.stop_at_checks(5000);
///     planner.run([](const psmp::Event& event) {
///       if (event.kind == PSMP_EVENT_KIND_IMPROVED) std::cout << event.length << '\n';
///     });
///     for (const std::vector<double>& q : planner.path()) { /* ... */ }
///
/// What goes wrong is thrown as psmp::Error, with a message that says what to do. What a function of yours throws breaks
/// the run off and comes out of the call that drove it; the run can be driven on.
#ifndef PSMP_HPP
#define PSMP_HPP

#include <psmp/psmp.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace psmp {

/// Something that could not be done, and why.
class Error : public std::runtime_error {
 public:
  Error(psmp_status status, const std::string& message) : std::runtime_error(message), status_(status) {}

  /// What kind of trouble it is.
  psmp_status status() const noexcept { return status_; }

 private:
  psmp_status status_;
};

/// One coordinate of a configuration.
struct Axis : psmp_axis {
  Axis(double lower, double upper, double weight = 1.0, bool wraps = false) : psmp_axis{lower, upper, weight, wraps} {}

  /// An angle from -pi to pi that wraps around.
  static Axis angle(double weight = 1.0) {
    constexpr double pi = 3.14159265358979323846;
    return Axis(-pi, pi, weight, true);
  }
};

static_assert(sizeof(Axis) == sizeof(psmp_axis), "an array of one is an array of the other");

using Event = psmp_event;
using Progress = psmp_progress;
using Edge = psmp_edge;

/// A configuration that is being checked: a look at its values, which are gone when the check returns.
class Configuration {
 public:
  Configuration(const double* values, std::size_t dimension) : values_(values), dimension_(dimension) {}

  double operator[](std::size_t axis) const { return values_[axis]; }
  const double* data() const noexcept { return values_; }
  std::size_t size() const noexcept { return dimension_; }
  const double* begin() const noexcept { return values_; }
  const double* end() const noexcept { return values_ + dimension_; }

 private:
  const double* values_;
  std::size_t dimension_;
};

/// Many of them.
class Configurations {
 public:
  Configurations(const double* values, std::size_t count, std::size_t dimension)
      : values_(values), count_(count), dimension_(dimension) {}

  Configuration operator[](std::size_t place) const { return {values_ + place * dimension_, dimension_}; }
  const double* data() const noexcept { return values_; }
  std::size_t size() const noexcept { return count_; }

 private:
  const double* values_;
  std::size_t count_;
  std::size_t dimension_;
};

/// What a planner has come to know: the roadmap with all that it has grown by.
struct Graph {
  std::vector<std::vector<double>> vertices;
  std::vector<Edge> edges;
  /// Where the query begins, and the goal that its path leads to; UINT32_MAX if there are no vertices.
  std::uint32_t start;
  std::uint32_t goal;
};

/// A planner in a space. It is used by one thread at a time, and not by the functions that it calls, but for `on_event`.
class Planner {
 public:
  /// Whether a configuration is free.
  using Check = std::function<bool(Configuration)>;
  /// The place of the first in collision; as many as there are if all are free.
  using CheckMany = std::function<std::size_t(Configurations)>;

  Planner(const std::vector<Axis>& axes, Check check) : functions_(std::make_unique<Functions>()) {
    functions_->check = std::move(check);
    functions_->dimension = axes.size();
    throw_if(psmp_planner_new(axes.data(), axes.size(), &Functions::is_free, functions_.get(), &handle_));
  }

  /// With a function that checks many at once, of which `at_once` take about as long as one.
  Planner(const std::vector<Axis>& axes, CheckMany check, std::size_t at_once)
      : functions_(std::make_unique<Functions>()) {
    functions_->check_many = std::move(check);
    functions_->dimension = axes.size();
    throw_if(psmp_planner_new_many(axes.data(), axes.size(), &Functions::first_collision, at_once, functions_.get(),
                                   &handle_));
  }

  ~Planner() { free(); }
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;
  Planner(Planner&& other) noexcept
      : functions_(std::move(other.functions_)), handle_(std::exchange(other.handle_, 0)) {}
  Planner& operator=(Planner&& other) noexcept {
    if (this != &other) {
      free();
      functions_ = std::move(other.functions_);
      handle_ = std::exchange(other.handle_, 0);
    }
    return *this;
  }

  /// How many numbers a configuration has.
  std::size_t dimension() const noexcept { return functions_->dimension; }

  // Settings hold from the next query on, which then begins anew. psmp.h says what each is.
  void set_name(const std::string& name) { throw_if(psmp_planner_set_name(handle_, name.c_str())); }
  void set_seed(std::uint64_t seed) { throw_if(psmp_planner_set_seed(handle_, seed)); }
  void set_resolution(double distance) { throw_if(psmp_planner_set_resolution(handle_, distance)); }
  void set_axis_resolution(double step) { throw_if(psmp_planner_set_axis_resolution(handle_, step)); }
  void set_price(double seconds) { throw_if(psmp_planner_set_price(handle_, seconds)); }
  void measure_price() { throw_if(psmp_planner_measure_price(handle_)); }
  void set_settles(bool settles) { throw_if(psmp_planner_set_settles(handle_, settles)); }
  void set_fixed_roadmap(bool is_fixed) { throw_if(psmp_planner_set_fixed_roadmap(handle_, is_fixed)); }
  void make_roadmap(std::size_t vertices, std::size_t neighbours) {
    throw_if(psmp_planner_make_roadmap(handle_, vertices, neighbours));
  }
  void set_roadmap(const std::vector<std::vector<double>>& vertices,
                   const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
    std::vector<std::uint32_t> ends;
    for (const auto& [from, to] : edges) ends.insert(ends.end(), {from, to});
    const std::vector<double> values = joined(vertices);
    throw_if(psmp_planner_set_roadmap(handle_, values.data(), vertices.size(), ends.data(), nullptr, edges.size()));
  }
  void set_belief(const std::string& file) { throw_if(psmp_planner_set_belief(handle_, file.c_str())); }
  void keep(const std::string& file, const std::string& world) {
    throw_if(psmp_planner_keep(handle_, file.c_str(), world.c_str()));
  }
  void save() { throw_if(psmp_planner_save(handle_)); }

  /// Begins a query from a start to a goal, with all that was found out in those before.
  void query(const std::vector<double>& start, const std::vector<double>& goal) {
    query_any(start, std::vector<std::vector<double>>{goal});
  }

  /// The same to any of several goals.
  void query_any(const std::vector<double>& start, const std::vector<std::vector<double>>& goals) {
    if (start.size() != dimension()) throw wrong_size("the start", start.size());
    const std::vector<double> values = joined(goals);
    throw_if(psmp_planner_query(handle_, start.data(), values.data(), goals.size()));
  }

  /// The world has changed: what is known of edges is forgotten with the next query.
  void forget() { throw_if(psmp_planner_forget(handle_)); }

  // Conditions, any of which stops a run.
  void stop_at_checks(std::uint64_t configurations) { throw_if(psmp_planner_stop_at_checks(handle_, configurations)); }
  void stop_at_seconds(double seconds) { throw_if(psmp_planner_stop_at_seconds(handle_, seconds)); }
  void stop_at_gap(double gap) { throw_if(psmp_planner_stop_at_gap(handle_, gap)); }
  void stop_when(std::function<bool()> ask) {
    functions_->asks.push_back({functions_.get(), std::move(ask)});
    Functions::Ask& own = functions_->asks.back();
    throw_if(psmp_planner_stop_when(handle_, &Functions::says_so, &own));
  }
  void stop_never() {
    throw_if(psmp_planner_stop_never(handle_));
    functions_->asks.clear();
  }

  /// Takes a step; its kind is PSMP_EVENT_KIND_NONE if a condition is met or the run is over.
  Event step() {
    Event event;
    throw_if(psmp_planner_step(handle_, &event));
    rethrow();
    return event;
  }

  /// Drives on until a condition is met or the run is over; what it has ended with, PSMP_EVENT_KIND_NONE if a condition.
  psmp_event_kind run(std::function<void(const Event&)> on_event = nullptr) {
    psmp_event_kind ending = PSMP_EVENT_KIND_NONE;
    functions_->on_event = std::move(on_event);
    const psmp_status status = functions_->on_event
        ? psmp_planner_run(handle_, &Functions::happened, functions_.get(), &ending)
        : psmp_planner_run(handle_, nullptr, nullptr, &ending);
    functions_->on_event = nullptr;
    throw_if(status);
    rethrow();
    return ending;
  }

  /// Where the run stands.
  Progress progress() const {
    Progress progress;
    throw_if(psmp_planner_progress(handle_, &progress));
    return progress;
  }

  /// The best path so far, start and goal included; empty while there is none.
  std::vector<std::vector<double>> path() const {
    std::size_t count = 0;
    const psmp_status status = psmp_planner_path_size(handle_, &count);
    if (status == PSMP_STATUS_NO_PATH) return {};
    throw_if(status);
    std::vector<double> values(count * dimension());
    throw_if(psmp_planner_path(handle_, values.data(), values.size()));
    return apart(values);
  }

  /// All that was found out.
  Graph graph() const {
    psmp_graph_size size;
    throw_if(psmp_planner_graph_size(handle_, &size));
    std::vector<double> values(size.vertices * dimension());
    throw_if(psmp_planner_vertices(handle_, values.data(), values.size()));
    Graph graph{apart(values), std::vector<Edge>(size.edges), size.start, size.goal};
    throw_if(psmp_planner_edges(handle_, graph.edges.data(), graph.edges.size()));
    return graph;
  }

 private:
  /// What the library calls. It stays in one place while the planner is moved.
  struct Functions {
    struct Ask {
      Functions* functions;
      std::function<bool()> ask;
    };

    Check check;
    CheckMany check_many;
    std::function<void(const Event&)> on_event;
    /// Addresses of its elements stay.
    std::list<Ask> asks;
    std::size_t dimension = 0;
    /// What one of them has thrown: it must not go through the library.
    std::exception_ptr thrown;

    template <typename Answer, typename Ask>
    Answer guarded(Answer instead, Ask&& ask) noexcept {
      try {
        return ask();
      } catch (...) {
        thrown = std::current_exception();
        return instead;
      }
    }

    static int is_free(void* self, const double* configuration) {
      auto& own = *static_cast<Functions*>(self);
      return own.guarded(-1, [&] { return own.check({configuration, own.dimension}) ? 1 : 0; });
    }
    static std::int64_t first_collision(void* self, const double* configurations, std::size_t count) {
      auto& own = *static_cast<Functions*>(self);
      return own.guarded(std::int64_t{-1}, [&] {
        return static_cast<std::int64_t>(own.check_many({configurations, count, own.dimension}));
      });
    }
    static bool says_so(void* self) {
      auto& own = *static_cast<Ask*>(self);
      return own.functions->guarded(true, [&] { return own.ask(); });
    }
    static bool happened(void* self, const Event* event) {
      auto& own = *static_cast<Functions*>(self);
      return own.guarded(false, [&] {
        own.on_event(*event);
        return true;
      });
    }
  };

  /// Throws what a function of the caller's has thrown, if one has.
  void rethrow() const {
    if (functions_->thrown) std::rethrow_exception(std::exchange(functions_->thrown, nullptr));
  }

  void throw_if(psmp_status status) const {
    if (status == PSMP_STATUS_OK) return;
    if (status == PSMP_STATUS_CHECK_FAILED) rethrow();
    throw Error(status, psmp_last_error());
  }

  Error wrong_size(const std::string& what, std::size_t size) const {
    return Error(PSMP_STATUS_INVALID_ARGUMENT, what + " has " + std::to_string(size) + " values, and the space " +
                                                   std::to_string(dimension()) + " axes");
  }

  std::vector<double> joined(const std::vector<std::vector<double>>& configurations) const {
    std::vector<double> values;
    values.reserve(configurations.size() * dimension());
    for (const std::vector<double>& q : configurations) {
      if (q.size() != dimension()) throw wrong_size("a configuration", q.size());
      values.insert(values.end(), q.begin(), q.end());
    }
    return values;
  }

  std::vector<std::vector<double>> apart(const std::vector<double>& values) const {
    std::vector<std::vector<double>> configurations;
    configurations.reserve(values.size() / dimension());
    for (auto at = values.begin(); at != values.end(); at += static_cast<std::ptrdiff_t>(dimension())) {
      configurations.emplace_back(at, at + static_cast<std::ptrdiff_t>(dimension()));
    }
    return configurations;
  }

  void free() noexcept {
    if (handle_ != 0) psmp_planner_free(handle_);
  }

  std::unique_ptr<Functions> functions_;
  psmp_planner handle_ = 0;
};

}  // namespace psmp

#endif

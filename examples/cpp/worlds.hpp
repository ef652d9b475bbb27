// Worlds in the plane for tests and comparisons, each made from a seed: discs to go round, mazes to find a way through.
#ifndef PSMP_EXAMPLES_WORLDS_HPP
#define PSMP_EXAMPLES_WORLDS_HPP

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace worlds {

using Point = std::array<double, 2>;

struct World {
  std::string name;
  // Whether a point of the unit square is free.
  std::function<bool(const Point&)> is_free;
  std::vector<std::array<Point, 2>> queries;
};

// A number from 0 to 1, the same with every standard library.
inline double share(std::mt19937& random) { return static_cast<double>(random()) / 4294967296.0; }

inline Point draw(std::mt19937& random) {
  const double x = share(random);
  return {x, share(random)};
}

// Queries between free places that are far apart.
inline void add_queries(World& world, std::mt19937& random, int count) {
  while (static_cast<int>(world.queries.size()) < count) {
    const Point start = draw(random), goal = draw(random);
    if (std::hypot(goal[0] - start[0], goal[1] - start[1]) > 0.6 && world.is_free(start) && world.is_free(goal)) {
      world.queries.push_back({start, goal});
    }
  }
}

inline World discs(unsigned int seed, int queries, double largest = 0.08) {
  std::mt19937 random(seed);
  struct Disc {
    Point centre;
    double radius;
  };
  std::vector<Disc> discs;
  for (int i = 0; i < 60; ++i) {
    const Point centre = draw(random);
    discs.push_back({centre, 0.02 + (largest - 0.02) * share(random)});
  }
  World world;
  world.name = "discs";
  world.is_free = [discs](const Point& p) {
    for (const Disc& disc : discs) {
      if (std::hypot(p[0] - disc.centre[0], p[1] - disc.centre[1]) < disc.radius) return false;
    }
    return true;
  };
  add_queries(world, random, queries);
  return world;
}

// Cells with walls between them, of which just so many are open that one way leads from any cell to any other, and then some.
inline World maze(unsigned int seed, int queries, int cells = 8) {
  std::mt19937 random(seed);
  // Whether the wall to the right of a cell, and the one above it, is open.
  std::vector<std::array<bool, 2>> open(static_cast<std::size_t>(cells * cells), {false, false});
  std::vector<bool> seen(open.size(), false);
  std::vector<int> way = {0};
  seen[0] = true;
  const auto at = [cells](int x, int y) { return static_cast<std::size_t>(y * cells + x); };
  while (!way.empty()) {
    const int x = way.back() % cells, y = way.back() / cells;
    std::vector<std::array<int, 2>> next;
    for (const auto& [dx, dy] : {std::array<int, 2>{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
      const int u = x + dx, v = y + dy;
      if (u >= 0 && v >= 0 && u < cells && v < cells && !seen[at(u, v)]) next.push_back({u, v});
    }
    if (next.empty()) {
      way.pop_back();
      continue;
    }
    const auto [u, v] = next[random() % next.size()];
    open[at(std::min(x, u), std::min(y, v))][u == x ? 1 : 0] = true;
    seen[at(u, v)] = true;
    way.push_back(v * cells + u);
  }
  for (auto& walls : open) {
    for (bool& wall : walls) wall = wall || random() % 8 == 0;
  }
  World world;
  world.name = "maze";
  world.is_free = [open, cells](const Point& p) {
    constexpr double thick = 0.15;
    const double x = p[0] * cells, y = p[1] * cells;
    const int u = std::min(static_cast<int>(x), cells - 1), v = std::min(static_cast<int>(y), cells - 1);
    const auto cell = [&](int i, int j) { return open[static_cast<std::size_t>(j * cells + i)]; };
    const bool left = x - u < thick, right = u + 1 - x < thick, below = y - v < thick, above = v + 1 - y < thick;
    // Corners are pillars.
    if ((left || right) && (below || above)) return false;
    if (left) return u > 0 && cell(u - 1, v)[0];
    if (right) return u + 1 < cells && cell(u, v)[0];
    if (below) return v > 0 && cell(u, v - 1)[1];
    if (above) return v + 1 < cells && cell(u, v)[1];
    return true;
  };
  add_queries(world, random, queries);
  return world;
}

}  // namespace worlds

#endif

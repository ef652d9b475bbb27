// psmp beside OMPL's RRTConnect, LazyPRM* and BIT*, by what they cost: how many states are checked before there is a first path,
// and how long it is then and when as many have been checked as everybody may.
//
//   compare [WORLDS] [CHECKS] [FIRST_SEED]
//
// Every state that is asked about counts, whoever asks. Each planner plans twice: once any path satisfies it, and once none does, because
// not all of them tell of paths on the way. Fails if psmp does not solve what LazyPRM* solves, or takes more checks in the median.
#include <psmp/ompl.hpp>

#include <ompl/geometric/planners/informedtrees/BITstar.h>
#include <ompl/geometric/planners/prm/LazyPRMstar.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>

#include <ctime>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "worlds.hpp"

namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

// Planners that think long about checks that cost nothing would take for ever.
constexpr double most_seconds = 1.0;

// What a run has come to; infinite where it has found no path.
struct Outcome {
  double checks = std::numeric_limits<double>::infinity();
  double length = std::numeric_limits<double>::infinity();
};

using Make = std::function<ob::PlannerPtr(const ob::SpaceInformationPtr&, unsigned int seed)>;

Outcome run(const worlds::World& world, const Make& make, unsigned int seed, double satisfying, long most_checks) {
  ompl::RNG::setSeed(seed);
  const auto space = std::make_shared<ob::RealVectorStateSpace>(2);
  space->setBounds(0.0, 1.0);
  const auto si = std::make_shared<ob::SpaceInformation>(space);
  long checks = 0;
  si->setStateValidityChecker([&](const ob::State* s) {
    ++checks;
    const double* q = s->as<ob::RealVectorStateSpace::StateType>()->values;
    return world.is_free({q[0], q[1]});
  });
  // A thousandth of the diagonal: the mazes' walls are 50 times as thick.
  si->setStateValidityCheckingResolution(0.001);
  si->setup();
  const auto problem = std::make_shared<ob::ProblemDefinition>(si);
  const auto& [from, to] = world.queries.front();
  ob::ScopedState<ob::RealVectorStateSpace> start(space), goal(space);
  for (int axis : {0, 1}) {
    start[axis] = from[static_cast<std::size_t>(axis)];
    goal[axis] = to[static_cast<std::size_t>(axis)];
  }
  problem->setStartAndGoalStates(start, goal);
  const auto objective = std::make_shared<ob::PathLengthOptimizationObjective>(si);
  objective->setCostThreshold(ob::Cost(satisfying));
  problem->setOptimizationObjective(objective);
  const ob::PlannerPtr planner = make(si, seed);
  planner->setProblemDefinition(problem);
  planner->setup();
  // The processor's time, whatever else it has to do.
  const std::clock_t began = std::clock();
  const auto enough = [&] {
    return checks >= most_checks || static_cast<double>(std::clock() - began) > most_seconds * CLOCKS_PER_SEC;
  };
  planner->solve(ob::PlannerTerminationCondition(enough));
  if (!problem->hasExactSolution()) return {};
  return {static_cast<double>(checks), problem->getSolutionPath()->length()};
}

bool is_solved(const Outcome& outcome) { return std::isfinite(outcome.checks); }

// What so large a share of runs comes to at most.
double quantile(const std::vector<Outcome>& outcomes, double Outcome::*what, double share) {
  std::vector<double> values;
  for (const Outcome& outcome : outcomes) values.push_back(outcome.*what);
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size()))];
}

double median(const std::vector<Outcome>& outcomes, double Outcome::*what) { return quantile(outcomes, what, 0.5); }

// In how many worlds psmp has a first path for fewer checks than another.
std::size_t fewer(const std::vector<Outcome>& ours, const std::vector<Outcome>& others) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) count += ours[i].checks < others[i].checks ? 1 : 0;
  return count;
}

}  // namespace

int main(int count, char** arguments) {
  ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
  const unsigned int worlds_of_a_kind = count > 1 ? static_cast<unsigned int>(std::atoi(arguments[1])) : 7;
  const long most_checks = count > 2 ? std::atol(arguments[2]) : 10000;
  const unsigned int first_seed = count > 3 ? static_cast<unsigned int>(std::atoi(arguments[3])) : 1;
  const std::vector<std::pair<std::string, Make>> planners = {
      {"psmp",
       [](const auto& si, unsigned int seed) {
         auto planner = std::make_shared<psmp::ompl::Planner>(si);
         planner->setSeed(seed);
         planner->setSettles(false);
         return planner;
       }},
      {"RRTConnect", [](const auto& si, unsigned int) { return std::make_shared<og::RRTConnect>(si); }},
      {"LazyPRM*", [](const auto& si, unsigned int) { return std::make_shared<og::LazyPRMstar>(si); }},
      {"BIT*", [](const auto& si, unsigned int) { return std::make_shared<og::BITstar>(si); }},
  };
  std::cout << "medians over " << worlds_of_a_kind << " worlds of each kind, one query each; at most " << most_checks
            << " checks and " << most_seconds << " s of the processor\n"
            << "world   planner   solved  checks to first (quartiles)  psmp takes fewer in  first length  last length\n";
  bool is_good = true;
  for (const auto& kind : {worlds::discs(0, 0), worlds::maze(0, 0)}) {
    // Of each planner, with the first path and with the last.
    std::vector<std::array<std::vector<Outcome>, 2>> outcomes(planners.size());
    for (unsigned int seed = first_seed; seed < first_seed + worlds_of_a_kind; ++seed) {
      const worlds::World world = kind.name == "maze" ? worlds::maze(seed, 1) : worlds::discs(seed, 1);
      for (std::size_t i = 0; i < planners.size(); ++i) {
        constexpr double any = std::numeric_limits<double>::infinity(), none = 0.0;
        outcomes[i][0].push_back(run(world, planners[i].second, seed, any, most_checks));
        outcomes[i][1].push_back(run(world, planners[i].second, seed, none, most_checks));
      }
    }
    for (std::size_t i = 0; i < planners.size(); ++i) {
      const auto& [first, last] = outcomes[i];
      std::cout << std::left << std::setw(8) << kind.name << std::setw(12) << planners[i].first << std::right
                << std::setw(4) << std::count_if(first.begin(), first.end(), is_solved) << std::fixed
                << std::setprecision(0) << std::setw(11) << median(first, &Outcome::checks) << " ("
                << quantile(first, &Outcome::checks, 0.25) << " to " << quantile(first, &Outcome::checks, 0.75) << ')'
                << std::setw(9) << fewer(outcomes[0][0], first) << std::setprecision(3) << std::setw(14)
                << median(first, &Outcome::length) << std::setw(13) << median(last, &Outcome::length) << '\n';
    }
    const auto &ours = outcomes[0][0], &lazy = outcomes[2][0];
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (is_solved(lazy[i]) && !is_solved(ours[i])) {
        std::cout << "psmp has not solved " << kind.name << ' ' << first_seed + i << ", and LazyPRM* has\n";
        is_good = false;
      }
    }
    if (!(median(ours, &Outcome::checks) < median(lazy, &Outcome::checks))) {
      std::cout << "psmp takes more checks than LazyPRM* in the median: " << kind.name << '\n';
      is_good = false;
    }
  }
  return is_good ? 0 : 1;
}

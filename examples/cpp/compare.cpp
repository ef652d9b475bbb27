// psmp beside OMPL's RRTConnect, LazyPRM* and BIT*, by what they cost: how many states are checked before there is a first path,
// and how long it is then and when as many have been checked as everybody may.
//
//   compare [WORLDS] [CHECKS]
//
// Every state that is asked about counts, whoever asks. Fails if psmp does not solve what LazyPRM* solves, or takes more checks in
// the median.
#include <psmp/ompl.hpp>

#include <ompl/geometric/planners/informedtrees/BITstar.h>
#include <ompl/geometric/planners/prm/LazyPRMstar.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>

#include <chrono>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "worlds.hpp"

namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

// Planners that think long about checks that cost nothing would take for ever.
constexpr double most_seconds = 1.0;

struct Outcome {
  // Infinite if there was no path.
  double checks_to_first = std::numeric_limits<double>::infinity();
  double first_length = std::numeric_limits<double>::infinity();
  double last_length = std::numeric_limits<double>::infinity();
};

using Make = std::function<ob::PlannerPtr(const ob::SpaceInformationPtr&, unsigned int seed)>;

Outcome run(const worlds::World& world, std::size_t query, const Make& make, unsigned int seed, long most_checks) {
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
  const auto& [from, to] = world.queries[query];
  ob::ScopedState<ob::RealVectorStateSpace> start(space), goal(space);
  for (int axis : {0, 1}) {
    start[axis] = from[static_cast<std::size_t>(axis)];
    goal[axis] = to[static_cast<std::size_t>(axis)];
  }
  problem->setStartAndGoalStates(start, goal);
  Outcome outcome;
  const auto better = [&](double length) {
    if (std::isinf(outcome.checks_to_first)) {
      outcome.checks_to_first = static_cast<double>(checks);
      outcome.first_length = length;
    }
    outcome.last_length = std::min(outcome.last_length, length);
  };
  problem->setIntermediateSolutionCallback(
      [&](const ob::Planner*, const std::vector<const ob::State*>&, const ob::Cost& cost) { better(cost.value()); });
  const ob::PlannerPtr planner = make(si, seed);
  planner->setProblemDefinition(problem);
  planner->setup();
  const auto began = std::chrono::steady_clock::now();
  const auto enough = [&] {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return checks >= most_checks || took.count() > most_seconds;
  };
  planner->solve(ob::PlannerTerminationCondition(enough));
  // RRTConnect tells of its path in the end.
  if (problem->hasExactSolution()) better(problem->getSolutionPath()->length());
  return outcome;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
  const unsigned int worlds_of_a_kind = count > 1 ? static_cast<unsigned int>(std::atoi(arguments[1])) : 6;
  const long most_checks = count > 2 ? std::atol(arguments[2]) : 5000;
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
            << " checks and " << most_seconds << " s\n"
            << "world   planner      solved  checks to first  first length  last length\n";
  bool is_good = true;
  for (const auto& kind : {worlds::discs(0, 0), worlds::maze(0, 0)}) {
    std::vector<std::vector<Outcome>> outcomes(planners.size());
    for (unsigned int seed = 1; seed <= worlds_of_a_kind; ++seed) {
      const worlds::World world = kind.name == "maze" ? worlds::maze(seed, 1) : worlds::discs(seed, 1);
      for (std::size_t i = 0; i < planners.size(); ++i) {
        outcomes[i].push_back(run(world, 0, planners[i].second, seed, most_checks));
      }
    }
    std::vector<double> checks;
    for (std::size_t i = 0; i < planners.size(); ++i) {
      std::vector<double> to_first, first, last;
      std::size_t solved = 0;
      for (const Outcome& outcome : outcomes[i]) {
        solved += std::isfinite(outcome.checks_to_first) ? 1 : 0;
        to_first.push_back(outcome.checks_to_first);
        first.push_back(outcome.first_length);
        last.push_back(outcome.last_length);
      }
      checks.push_back(median(to_first));
      std::cout << std::left << std::setw(8) << kind.name << std::setw(13) << planners[i].first << std::right
                << std::setw(3) << solved << " of " << std::setw(2) << outcomes[i].size() << std::fixed
                << std::setprecision(0) << std::setw(16) << median(to_first) << std::setprecision(3) << std::setw(14)
                << median(first) << std::setw(13) << median(last) << '\n';
    }
    for (std::size_t i = 0; i < outcomes[0].size(); ++i) {
      if (std::isfinite(outcomes[2][i].checks_to_first) && !std::isfinite(outcomes[0][i].checks_to_first)) {
        std::cout << "psmp has not solved " << kind.name << ' ' << i + 1 << ", and LazyPRM* has\n";
        is_good = false;
      }
    }
    if (!(checks[0] < checks[2])) {
      std::cout << "psmp takes more checks than LazyPRM* in the median: " << kind.name << '\n';
      is_good = false;
    }
  }
  return is_good ? 0 : 1;
}

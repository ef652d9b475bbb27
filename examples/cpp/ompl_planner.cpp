// psmp as a planner of OMPL, held to what OMPL's users expect of one: in worlds in the plane and with a robot that turns, with all
// kinds of goals, stopped, gone on with, cleared, and in spaces that it cannot plan in.
#include <psmp/ompl.hpp>

#include <ompl/base/goals/GoalSpace.h>
#include <ompl/base/goals/GoalStates.h>
#include <ompl/base/spaces/DubinsStateSpace.h>
#include <ompl/base/spaces/SE2StateSpace.h>
#include <ompl/base/spaces/SE3StateSpace.h>
#include <ompl/geometric/SimpleSetup.h>

#include <cstdlib>
#include <iostream>

#include "worlds.hpp"

namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

void must(bool is_so, const std::string& what) {
  if (is_so) return;
  std::cerr << "not so: " << what << '\n';
  std::exit(1);
}

std::shared_ptr<ob::RealVectorStateSpace> unit_square() {
  auto space = std::make_shared<ob::RealVectorStateSpace>(2);
  space->setBounds(0.0, 1.0);
  space->setup();
  return space;
}

ob::ScopedState<> state(const ob::StateSpacePtr& space, const std::vector<double>& reals) {
  ob::ScopedState<> made(space);
  space->copyFromReals(made.get(), reals);
  return made;
}

// Sees that a path is free as OMPL itself checks it, and leads from the start to the goal.
void see(og::SimpleSetup& setup, const std::string& where) {
  must(setup.haveExactSolutionPath(), where + ": there is an exact solution");
  const og::PathGeometric& path = setup.getSolutionPath();
  must(path.check(), where + ": the path is free");
  must(setup.getSpaceInformation()->equalStates(path.getState(0), setup.getProblemDefinition()->getStartState(0)),
       where + ": it begins at the start");
  must(setup.getGoal()->isSatisfied(path.getState(path.getStateCount() - 1)), where + ": it ends at the goal");
}

// Worlds in the plane, query after query, through SimpleSetup.
void plan_in(const worlds::World& world) {
  const auto space = unit_square();
  og::SimpleSetup setup(space);
  setup.setStateValidityChecker([&](const ob::State* s) {
    const auto* q = s->as<ob::RealVectorStateSpace::StateType>();
    return world.is_free({q->values[0], q->values[1]});
  });
  const auto planner = std::make_shared<psmp::ompl::Planner>(setup.getSpaceInformation());
  setup.setPlanner(planner);
  planner->setSeed(1);
  for (const auto& [start, goal] : world.queries) {
    setup.clear();
    setup.setStartAndGoalStates(state(space, {start[0], start[1]}), state(space, {goal[0], goal[1]}));
    double last = std::numeric_limits<double>::infinity();
    int told = 0;
    setup.getProblemDefinition()->setIntermediateSolutionCallback(
        [&](const ob::Planner* from, const std::vector<const ob::State*>& states, const ob::Cost& cost) {
          ++told;
          must(from == planner.get() && states.size() >= 2, "it tells of paths");
          must(cost.value() < last, "each is better than the one before");
          last = cost.value();
        });
    must(setup.solve(10.0) == ob::PlannerStatus::EXACT_SOLUTION, world.name + ": it is solved");
    see(setup, world.name);
    must(told > 0 && std::abs(last - setup.getSolutionPath().length()) < 1e-9, "the last told is the solution");

    ob::PlannerData data(setup.getSpaceInformation());
    planner->getPlannerData(data);
    must(data.numVertices() >= 2 && data.numEdges() >= 2, "there are planner data");
    must(data.numStartVertices() == 1 && data.numGoalVertices() == 1, "they know start and goal");
  }
}

// A rod that turns among discs: a compound with weights, whose steps are metres and radians.
void plan_for_a_rod() {
  const worlds::World world = worlds::discs(5, 0, 0.05);
  const auto space = std::make_shared<ob::SE2StateSpace>();
  ob::RealVectorBounds bounds(2);
  bounds.setLow(0.0);
  bounds.setHigh(10.0);
  space->setBounds(bounds);
  space->setup();
  og::SimpleSetup setup(space);
  long asked = 0;
  setup.setStateValidityChecker([&](const ob::State* s) {
    ++asked;
    const auto* q = s->as<ob::SE2StateSpace::StateType>();
    for (int i = -3; i <= 3; ++i) {
      const worlds::Point p = {(q->getX() + 0.15 * i * std::cos(q->getYaw())) / 10.0,
                               (q->getY() + 0.15 * i * std::sin(q->getYaw())) / 10.0};
      if (p[0] < 0.0 || p[0] > 1.0 || p[1] < 0.0 || p[1] > 1.0 || !world.is_free(p)) return false;
    }
    return true;
  });
  std::mt19937 random(7);
  const auto draw = [&] {
    for (;;) {
      const worlds::Point p = worlds::draw(random);
      const ob::ScopedState<> drawn = state(space, {10 * p[0], 10 * p[1], 6.0 * worlds::share(random) - 3.0});
      if (setup.getSpaceInformation()->isValid(drawn.get())) return drawn;
    }
  };
  for (int query = 0; query < 3; ++query) {
    setup.clear();
    setup.setStartAndGoalStates(draw(), draw());
    setup.setPlanner(std::make_shared<psmp::ompl::Planner>(setup.getSpaceInformation()));
    must(setup.solve(10.0) == ob::PlannerStatus::EXACT_SOLUTION, "the rod gets there");
    see(setup, "rod");
  }
  must(asked > 0, "states are checked");
}

// Sees whole motions, and a wall at 0.5 too thin for states to hit.
class ThinWall : public ob::MotionValidator {
 public:
  using ob::MotionValidator::MotionValidator;
  bool checkMotion(const ob::State* from, const ob::State* to) const override {
    const double* a = from->as<ob::SE2StateSpace::StateType>()->as<ob::RealVectorStateSpace::StateType>(0)->values;
    const double* b = to->as<ob::SE2StateSpace::StateType>()->as<ob::RealVectorStateSpace::StateType>(0)->values;
    const double share = (0.5 - a[0]) / (b[0] - a[0]);
    return !(share >= 0.0 && share <= 1.0) || a[1] + share * (b[1] - a[1]) > 0.8;
  }
  bool checkMotion(const ob::State*, const ob::State*, std::pair<ob::State*, double>&) const override { return false; }
};

// What the space information's own check of motions knows, states do not tell.
void plan_round_what_states_do_not_hit() {
  const auto space = std::make_shared<ob::SE2StateSpace>();
  ob::RealVectorBounds bounds(2);
  bounds.setLow(0.0);
  bounds.setHigh(1.0);
  space->setBounds(bounds);
  space->setup();
  og::SimpleSetup setup(space);
  setup.setStateValidityChecker([](const ob::State* s) {
    const auto* q = s->as<ob::SE2StateSpace::StateType>();
    return std::abs(q->getX() - 0.5) > 0.002 || q->getY() > 0.8;
  });
  setup.getSpaceInformation()->setMotionValidator(std::make_shared<ThinWall>(setup.getSpaceInformation()));
  setup.setStartAndGoalStates(state(space, {0.1, 0.1, 0.0}), state(space, {0.9, 0.1, 1.0}));
  const auto planner = std::make_shared<psmp::ompl::Planner>(setup.getSpaceInformation());
  planner->setSeed(1);
  setup.setPlanner(planner);
  must(setup.solve(20.0) == ob::PlannerStatus::EXACT_SOLUTION, "there is a way over the thin wall");
  see(setup, "thin wall");
}

// Goals of all kinds in an empty square with a wall.
struct Wall {
  std::shared_ptr<ob::RealVectorStateSpace> space = unit_square();
  ob::SpaceInformationPtr si = std::make_shared<ob::SpaceInformation>(space);
  ob::ProblemDefinitionPtr problem = std::make_shared<ob::ProblemDefinition>(si);
  std::shared_ptr<psmp::ompl::Planner> planner;
  long asked = 0;
  double top = 0.8;

  Wall() {
    si->setStateValidityChecker([this](const ob::State* s) {
      ++asked;
      const double* q = s->as<ob::RealVectorStateSpace::StateType>()->values;
      return q[0] < 0.45 || q[0] > 0.55 || q[1] > top;
    });
    si->setup();
    problem->addStartState(state(space, {0.1, 0.1}));
    planner = std::make_shared<psmp::ompl::Planner>(si);
    planner->setProblemDefinition(problem);
    planner->setSeed(1);
    planner->setup();
  }

  const double* end() const {
    const auto& path = *problem->getSolutionPath()->as<og::PathGeometric>();
    return path.getState(path.getStateCount() - 1)->as<ob::RealVectorStateSpace::StateType>()->values;
  }
};

void plan_to_several_goals() {
  Wall wall;
  const auto goals = std::make_shared<ob::GoalStates>(wall.si);
  goals->addState(state(wall.space, {0.5, 0.5}));  // in the wall
  goals->addState(state(wall.space, {0.9, 0.1}));
  goals->addState(state(wall.space, {0.6, 0.9}));
  wall.problem->setGoal(goals);
  must(wall.planner->ob::Planner::solve(10.0) == ob::PlannerStatus::EXACT_SOLUTION, "one of several goals is reached");
  must(wall.end()[0] == 0.6 && wall.end()[1] == 0.9, "and it is the nearer one");
}

void plan_to_a_region() {
  Wall wall;
  const auto region = std::make_shared<ob::GoalSpace>(wall.si);
  const auto box = unit_square();
  ob::RealVectorBounds bounds(2);
  bounds.setLow(0.7);
  bounds.setHigh(0.9);
  box->setBounds(bounds);
  region->setSpace(box);
  wall.problem->setGoal(region);
  must(wall.planner->ob::Planner::solve(10.0) == ob::PlannerStatus::EXACT_SOLUTION, "a region is reached");
  must(wall.end()[0] >= 0.7 && wall.end()[1] >= 0.7, "and the path ends in it");
}

void stop_go_on_and_clear() {
  Wall wall;
  wall.planner->setSettles(false);
  wall.problem->setGoalState(state(wall.space, {0.9, 0.9}), 1e-9);

  // A condition that holds from the beginning, and one that is met on the way.
  must(wall.planner->solve(ob::plannerAlwaysTerminatingCondition()) != ob::PlannerStatus::EXACT_SOLUTION,
       "what may not begin finds nothing");
  const long before = wall.asked;
  const auto many = [&](long count) {
    return ob::PlannerTerminationCondition([&wall, count] { return wall.asked >= count; });
  };
  must(wall.planner->solve(many(before + 2000)) == ob::PlannerStatus::EXACT_SOLUTION, "it is solved");
  must(wall.asked >= before + 2000 && wall.asked < before + 3000, "and stopped soon after it was said");
  const double first = wall.problem->getSolutionPath()->length();

  // Gone on with, it is no worse; time is kept too.
  must(wall.planner->solve(many(wall.asked + 5000)) == ob::PlannerStatus::EXACT_SOLUTION, "it goes on");
  must(wall.problem->getSolutionPath()->length() <= first, "and is no worse");
  const auto began = std::chrono::steady_clock::now();
  wall.planner->ob::Planner::solve(0.2);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  must(took.count() >= 0.15 && took.count() < 2.0, "a time is kept");

  // An objective that is satisfied soon ends it by itself.
  wall.problem->clearSolutionPaths();
  wall.planner->clear();
  const auto objective = std::make_shared<ob::PathLengthOptimizationObjective>(wall.si);
  objective->setCostThreshold(ob::Cost(10.0));
  wall.problem->setOptimizationObjective(objective);
  wall.asked = 0;
  must(wall.planner->ob::Planner::solve(60.0) == ob::PlannerStatus::EXACT_SOLUTION, "it is solved anew");
  must(wall.problem->getSolutions().front().optimized_, "the solution is known to satisfy the objective");
  const long anew = wall.asked;

  // With a new query all that was found out is there; cleared, it is not.
  wall.problem->clearSolutionPaths();
  wall.planner->clearQuery();
  wall.asked = 0;
  must(wall.planner->ob::Planner::solve(60.0) == ob::PlannerStatus::EXACT_SOLUTION, "it is solved again");
  must(wall.asked < anew, "with fewer checks than at first");
  wall.problem->clearSolutionPaths();
  wall.planner->clear();
  wall.top = 0.6;
  wall.asked = 0;
  must(wall.planner->ob::Planner::solve(60.0) == ob::PlannerStatus::EXACT_SOLUTION, "cleared, it is solved");
  must(wall.asked > 0, "by checks in the world of now");
}

void tell_what_cannot_be() {
  const auto told = [](const ob::StateSpacePtr& space, const std::string& words) {
    const auto si = std::make_shared<ob::SpaceInformation>(space);
    si->setStateValidityChecker([](const ob::State*) { return true; });
    try {
      psmp::ompl::Planner(si).setup();
    } catch (const ompl::Exception& refusal) {
      return std::string(refusal.what()).find(words) != std::string::npos;
    }
    return false;
  };
  ob::RealVectorBounds plane(2), room(3);
  plane.setHigh(1.0);
  room.setHigh(1.0);
  const auto se3 = std::make_shared<ob::SE3StateSpace>();
  se3->setBounds(room);
  must(told(se3, "neither a real vector, nor SO(2)"), "SE(3) is refused");
  const auto dubins = std::make_shared<ob::DubinsStateSpace>();
  dubins->setBounds(plane);
  must(told(dubins, "not straight"), "curves are refused");
  const auto weightless = std::make_shared<ob::CompoundStateSpace>();
  weightless->addSubspace(unit_square(), 0.0);
  weightless->addSubspace(std::make_shared<ob::SO2StateSpace>(), 1.0);
  must(told(weightless, "has no weight"), "a part without weight is refused");
  const auto nested = std::make_shared<ob::CompoundStateSpace>();
  const auto se2 = std::make_shared<ob::SE2StateSpace>();
  se2->setBounds(plane);
  nested->addSubspace(se2, 1.0);
  nested->addSubspace(std::make_shared<ob::SO2StateSpace>(), 0.3);
  must(!told(nested, ""), "compounds of compounds are not");

  Wall wall;
  wall.problem->setGoalState(state(wall.space, {0.5, 0.5}), 1e-9);
  must(wall.planner->ob::Planner::solve(0.1) == ob::PlannerStatus::INVALID_GOAL, "a goal in collision is told");
  wall.planner->params().setParam("method", "lazysp");
  must(wall.planner->getMethod() == "lazysp", "it has parameters");
  wall.problem->setGoalState(state(wall.space, {0.9, 0.9}), 1e-9);
  for (int twice = 0; twice < 2; ++twice) {
    wall.planner->setMethod("best");
    must(wall.planner->ob::Planner::solve(0.1) == ob::PlannerStatus::ABORT, "a method that is none is told, each time");
  }
}

}  // namespace

int main() {
  ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
  ompl::RNG::setSeed(1);
  plan_in(worlds::discs(1, 3));
  plan_in(worlds::maze(2, 3));
  plan_for_a_rod();
  plan_round_what_states_do_not_hit();
  plan_to_several_goals();
  plan_to_a_region();
  stop_go_on_and_clear();
  tell_what_cannot_be();
  std::cout << "psmp is a planner of OMPL\n";
  return 0;
}

/// psmp as a planner of OMPL: over state spaces of real vectors, SO(2) and compounds of them, SE(2) among them.
///
///     ompl::geometric::SimpleSetup setup(space);
///     // ... validity checker, start and goal as ever ...
///     setup.setPlanner(std::make_shared<psmp::ompl::Planner>(setup.getSpaceInformation()));
///     setup.solve(1.0);
///
/// States are checked by the space information's isValid(), motions by states on them that lie no farther apart than
/// the space's longest valid segment. A path is told once its motions have passed the space information's checkMotion()
/// too, which may look between those states; where it finds a collision, it is planned anew, looking twice as finely. What is made short is the length of the path, by a distance that is OMPL's on
/// real vectors and on SO(2); on a compound it is the root of the sum of the squares of the weighted distances of its
/// parts, where OMPL takes their sum. Costs are told as the problem's objective gives them.
#ifndef PSMP_OMPL_HPP
#define PSMP_OMPL_HPP

#include <ompl/base/DiscreteMotionValidator.h>
#include <ompl/base/Planner.h>
#include <ompl/base/goals/GoalSampleableRegion.h>
#include <ompl/base/objectives/PathLengthOptimizationObjective.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/base/spaces/SO2StateSpace.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/util/RandomNumbers.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <typeinfo>
#include <vector>

#include <psmp/psmp.hpp>

namespace psmp::ompl {

// OMPL's macros say `ompl::msg`, which here would be ours.
namespace msg = ::ompl::msg;

/// How the states of an OMPL space are configurations. Axes of a compound are measured in steps, so that one resolution
/// suits parts as different as metres and radians.
class Space {
 public:
  /// Throws ompl::Exception if the space has parts that psmp cannot plan in.
  explicit Space(::ompl::base::StateSpacePtr space) : space_(std::move(space)) {
    add(*space_, 1.0);
    if (axes_.empty()) refuse("it has no axes");
    std::vector<double> reals;
    ::ompl::base::ScopedState<> state(space_);
    space_->copyToReals(reals, state.get());
    if (reals.size() != axes_.size()) refuse("its states are not made of the values of its parts");
    if (!space_->isCompound()) unscale();
    compare();
  }

  const std::vector<Axis>& axes() const { return axes_; }

  /// Sets up how finely a planner in this space asks about motions: by steps of this share of the longest that OMPL takes.
  void set_resolution(psmp::Planner& planner, double share) const {
    if (space_->isCompound()) {
      planner.set_axis_resolution(share);
    } else {
      planner.set_resolution(share * step_);
    }
  }

  /// Whether OMPL, left to itself, asks about a motion where psmp does. In a compound it may count other steps.
  bool asks_the_same() const { return !space_->isCompound(); }

  std::vector<double> configuration(const ::ompl::base::State* state) const {
    std::vector<double> q;
    space_->copyToReals(q, state);
    for (std::size_t axis = 0; axis < q.size(); ++axis) q[axis] /= scales_[axis];
    return q;
  }

  /// Writes a configuration to a state. `reals` is memory to work in.
  void write(Configuration q, ::ompl::base::State* state, std::vector<double>& reals) const {
    reals.resize(q.size());
    for (std::size_t axis = 0; axis < q.size(); ++axis) {
      // Scaling may round beyond a bound.
      reals[axis] = std::clamp(q[axis] * scales_[axis], lower_[axis], upper_[axis]);
    }
    space_->copyFromReals(state, reals);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw ::ompl::Exception("psmp cannot plan in the space " + space_->getName() + ": " + why);
  }

  /// Adds the axes of a part of the space, in the order of its values.
  void add(const ::ompl::base::StateSpace& part, double weight) {
    if (const auto* whole = dynamic_cast<const ::ompl::base::CompoundStateSpace*>(&part)) {
      for (unsigned int i = 0; i < whole->getSubspaceCount(); ++i) {
        if (!(whole->getSubspaceWeight(i) > 0.0)) {
          refuse("its part " + whole->getSubspace(i)->getName() + " has no weight: give it one above 0");
        }
        add(*whole->getSubspace(i), weight * whole->getSubspaceWeight(i));
      }
      return;
    }
    step_ = part.getLongestValidSegmentLength() / part.getValidSegmentCountFactor();
    // A step may go along all axes of a part at once.
    const double step = step_ / std::sqrt(static_cast<double>(part.getDimension()));
    if (const auto* vector = dynamic_cast<const ::ompl::base::RealVectorStateSpace*>(&part)) {
      const ::ompl::base::RealVectorBounds& bounds = vector->getBounds();
      for (unsigned int i = 0; i < vector->getDimension(); ++i) {
        add(bounds.low[i], bounds.high[i], step, weight, false);
      }
    } else if (dynamic_cast<const ::ompl::base::SO2StateSpace*>(&part) != nullptr) {
      constexpr double pi = 3.14159265358979323846;
      add(-pi, pi, step, weight, true);
    } else {
      refuse("its part " + part.getName() +
             " is neither a real vector, nor SO(2), nor a compound of these, as psmp needs; plan in another space, or with "
             "another planner");
    }
  }

  void add(double lower, double upper, double scale, double weight, bool wraps) {
    if (!(lower < upper)) {
      refuse("one of its axes has bounds " + std::to_string(lower) + " to " + std::to_string(upper) +
             ": give a lower one below the upper, or leave the axis out");
    }
    lower_.push_back(lower);
    upper_.push_back(upper);
    scales_.push_back(scale);
    axes_.emplace_back(lower / scale, upper / scale, weight * scale, wraps);
  }

  /// One part needs no scale: its steps are distances.
  void unscale() {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      scales_[axis] = 1.0;
      axes_[axis] = Axis(lower_[axis], upper_[axis], 1.0, axes_[axis].wraps);
    }
  }

  /// Sees that motions of the space are straight, and that psmp asks about them as finely as OMPL: a space that is derived from one
  /// of these may have other ideas, as Dubins' has.
  void compare() const {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> share(0.0, 1.0);
    ::ompl::base::ScopedState<> from(space_), to(space_), between(space_);
    const auto draw = [&](::ompl::base::ScopedState<>& state) {
      std::vector<double> reals;
      for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        reals.push_back(lower_[axis] + share(random) * (upper_[axis] - lower_[axis]));
      }
      space_->copyFromReals(state.get(), reals);
      return reals;
    };
    for (int pair = 0; pair < 16; ++pair) {
      const std::vector<double> a = draw(from), b = draw(to);
      const double t = share(random);
      space_->interpolate(from.get(), to.get(), t, between.get());
      std::vector<double> reals;
      space_->copyToReals(reals, between.get());
      double distance = 0.0, most = 0.0;
      for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        const double extent = upper_[axis] - lower_[axis];
        const auto way = [&](double x, double y) {
          const double straight = y - x;
          return axes_[axis].wraps ? straight - extent * std::round(straight / extent) : straight;
        };
        const double along = way(a[axis], b[axis]);
        if (std::abs(way(reals[axis], a[axis] + along * t)) > 1e-6 * extent) {
          refuse("its motions are not straight");
        }
        distance += along * along;
        most = std::max(most, std::abs(along) / scales_[axis]);
      }
      const double steps = space_->isCompound() ? most : std::sqrt(distance) / step_;
      if (std::ceil(steps * (1.0 + 1e-9)) < space_->validSegmentCount(from.get(), to.get())) {
        refuse("it wants motions to be checked more finely than by the longest valid segments of its parts");
      }
    }
  }

  ::ompl::base::StateSpacePtr space_;
  std::vector<Axis> axes_;
  std::vector<double> lower_, upper_, scales_;
  /// The longest distance between two states of a motion, in the last part that was added.
  double step_ = 0.0;
};

/// The planner. It gives a first path soon and shorter ones until the condition is met, the objective is satisfied, or for long
/// nothing has made the path shorter. Of several start states the first is planned from; of goals, all that a set
/// has, or as many as `goals` says of a region that is sampled.
class Planner : public ::ompl::base::Planner {
 public:
  explicit Planner(const ::ompl::base::SpaceInformationPtr& si) : ::ompl::base::Planner(si, "psmp") {
    specs_.recognizedGoal = ::ompl::base::GOAL_SAMPLEABLE_REGION;
    specs_.optimizingPaths = true;
    specs_.canReportIntermediateSolutions = true;
    declareParam<std::string>("method", this, &Planner::setMethod, &Planner::getMethod);
    declareParam<unsigned int>("goals", this, &Planner::setGoals, &Planner::getGoals, "1:1:100");
    declareParam<bool>("settles", this, &Planner::setSettles, &Planner::getSettles, "0,1");
    declareParam<unsigned int>("seed", this, &Planner::setSeed, &Planner::getSeed);
    addPlannerProgressProperty("best cost REAL", [this] { return std::to_string(best_cost_.value()); });
    addPlannerProgressProperty("configurations INTEGER", [this] { return std::to_string(configurations_); });
  }

  ~Planner() override { release(); }

  /// How to plan, by name: `ei:ensemble`, `lazysp`, `rrtconnect` and so on.
  void setMethod(const std::string& method) {
    method_ = method;
    release();
  }
  std::string getMethod() const { return method_; }

  /// How many goals are drawn from a region at most.
  void setGoals(unsigned int goals) { most_goals_ = std::max(goals, 1u); }
  unsigned int getGoals() const { return most_goals_; }

  /// Whether it ends by itself where for long nothing has made the path shorter.
  void setSettles(bool settles) {
    settles_ = settles;
    release();
  }
  bool getSettles() const { return settles_; }

  /// The same seed and the same answers give the same run. Without one it is drawn from OMPL's, and what checks and thinking
  /// take is measured.
  void setSeed(unsigned int seed) {
    seed_ = seed;
    release();
  }
  unsigned int getSeed() const { return seed_.value_or(0); }

  void setup() override {
    ::ompl::base::Planner::setup();
    release();
    space_.emplace(si_->getStateSpace());
  }

  void clear() override {
    ::ompl::base::Planner::clear();
    release();
  }

  /// Forgets start and goals; the roadmap, and what is known of it, stays.
  void clearQuery() override {
    pis_.restart();
    forgetQuery();
  }

  void setProblemDefinition(const ::ompl::base::ProblemDefinitionPtr& pdef) override {
    if (pdef != pdef_) forgetQuery();
    ::ompl::base::Planner::setProblemDefinition(pdef);
  }

  ::ompl::base::PlannerStatus solve(const ::ompl::base::PlannerTerminationCondition& ptc) override {
    using ::ompl::base::PlannerStatus;
    if (!space_) setup();
    checkValidity();
    if (!pdef_->getGoal()->hasType(::ompl::base::GOAL_SAMPLEABLE_REGION)) {
      OMPL_ERROR("%s: the goal is no region that states can be drawn from", getName().c_str());
      return PlannerStatus::UNRECOGNIZED_GOAL_TYPE;
    }
    const bool is_new = takeEnds(ptc);
    if (start_ == nullptr) {
      OMPL_ERROR("%s: there is no valid start state", getName().c_str());
      return PlannerStatus::INVALID_START;
    }
    if (goals_.empty()) {
      OMPL_ERROR("%s: there is no valid goal state", getName().c_str());
      return PlannerStatus::INVALID_GOAL;
    }
    objective_ = pdef_->hasOptimizationObjective()
                     ? pdef_->getOptimizationObjective()
                     : std::make_shared<::ompl::base::PathLengthOptimizationObjective>(si_);
    try {
      begin(is_new);
      drive(ptc);
    } catch (const psmp::Error& error) {
      OMPL_ERROR("%s: %s", getName().c_str(), error.what());
      return PlannerStatus::ABORT;
    }
    if (!best_) return PlannerStatus::TIMEOUT;
    ::ompl::base::PlannerSolution solution(best_);
    solution.setPlannerName(getName());
    solution.setOptimized(objective_, best_cost_, objective_->isSatisfied(best_cost_));
    pdef_->addSolutionPath(solution);
    return PlannerStatus::EXACT_SOLUTION;
  }

  /// The roadmap with all that it has grown by; edges that are known to be blocked are left out.
  void getPlannerData(::ompl::base::PlannerData& data) const override {
    ::ompl::base::Planner::getPlannerData(data);
    if (!planner_ || !has_query_) return;
    const Graph graph = planner_->graph();
    // They stay the planner's: the data only point to them.
    for (const std::vector<double>& q : graph.vertices) {
      ::ompl::base::State* state = si_->allocState();
      states_.push_back(state);
      space_->write({q.data(), q.size()}, state, reals_);
      const ::ompl::base::PlannerDataVertex vertex(state);
      const auto place = static_cast<std::uint32_t>(&q - graph.vertices.data());
      if (place == graph.start) {
        data.addStartVertex(vertex);
      } else if (place == graph.goal) {
        data.addGoalVertex(vertex);
      } else {
        data.addVertex(vertex);
      }
    }
    const std::size_t first = states_.size() - graph.vertices.size();
    for (const Edge& edge : graph.edges) {
      if (edge.state == PSMP_EDGE_STATE_BLOCKED) continue;
      const ::ompl::base::PlannerDataVertex from(states_[first + edge.from]), to(states_[first + edge.to]);
      data.addEdge(from, to, ::ompl::base::PlannerDataEdge(), ::ompl::base::Cost(edge.length));
      data.addEdge(to, from, ::ompl::base::PlannerDataEdge(), ::ompl::base::Cost(edge.length));
    }
  }

 private:
  /// Takes start and goals that have come since; whether there were any.
  bool takeEnds(const ::ompl::base::PlannerTerminationCondition& ptc) {
    bool is_new = false;
    while (const ::ompl::base::State* start = pis_.nextStart()) {
      if (start_ == nullptr) {
        start_ = si_->cloneState(start);
        is_new = true;
      } else {
        OMPL_WARN("%s: there are several start states; the first is planned from", getName().c_str());
      }
    }
    const ::ompl::base::State* goal = nullptr;
    while (goals_.size() < goalCount() && (goal = goals_.empty() ? pis_.nextGoal(ptc) : pis_.nextGoal()) != nullptr) {
      goals_.push_back(si_->cloneState(goal));
      is_new = true;
    }
    return is_new;
  }

  /// How many goals are taken: all states of a set, and some of a region.
  std::size_t goalCount() const {
    const auto* goal = pdef_->getGoal()->as<::ompl::base::GoalSampleableRegion>();
    return goal->hasType(::ompl::base::GOAL_STATES) ? std::max(goal->maxSampleCount(), 1u) : most_goals_;
  }

  void begin(bool is_new) {
    if (!planner_) {
      if (state_ == nullptr) state_ = si_->allocState();
      psmp::Planner planner(space_->axes(), [this](Configuration q) {
        space_->write(q, state_, reals_);
        return si_->isValid(state_);
      });
      space_->set_resolution(planner, share_of_step_);
      planner.set_name(method_);
      planner.set_settles(settles_);
      // OMPL's seeds are numbers of 32 bits.
      planner.set_seed(seed_.value_or(static_cast<unsigned int>(::ompl::RNG().getLocalSeed())));
      if (!seed_) planner.measure_price();
      planner_.emplace(std::move(planner));
    }
    if (!is_new && has_query_) return;
    query();
    has_query_ = true;
    best_.reset();
    best_cost_ = objective_->infiniteCost();
  }

  void query() {
    std::vector<std::vector<double>> goals;
    for (const ::ompl::base::State* goal : goals_) goals.push_back(space_->configuration(goal));
    planner_->query_any(space_->configuration(start_), goals);
  }

  void drive(const ::ompl::base::PlannerTerminationCondition& ptc) {
    while (run(ptc) == Verdict::collides) {
      // What was found out is of motions that are asked about too coarsely.
      share_of_step_ /= 2.0;
      space_->set_resolution(*planner_, share_of_step_);
      query();
    }
  }

  /// What a path turns out to be.
  enum class Verdict { goes, satisfies, collides };

  /// Drives until the condition is met, the run is over, or a path satisfies or collides.
  Verdict run(const ::ompl::base::PlannerTerminationCondition& ptc) {
    Verdict verdict = Verdict::goes;
    planner_->stop_when([&] { return verdict != Verdict::goes || ptc(); });
    // The condition is gone when this returns, however it does.
    struct Forgetting {
      psmp::Planner& planner;
      ~Forgetting() { planner.stop_never(); }
    } forgetting{*planner_};
    planner_->run([&](const Event& event) {
      configurations_ = event.progress.configurations;
      if (event.kind == PSMP_EVENT_KIND_IMPROVED && verdict == Verdict::goes) verdict = takePath();
    });
    return verdict;
  }

  /// Whether all motions of a path pass the space information's own check.
  bool isFree(const ::ompl::geometric::PathGeometric& path) const {
    // That of a class derived from OMPL's usual one is its user's own.
    const ::ompl::base::MotionValidator& validator = *si_->getMotionValidator();
    if (space_->asks_the_same() && typeid(validator) == typeid(::ompl::base::DiscreteMotionValidator)) return true;
    for (std::size_t i = 1; i < path.getStateCount(); ++i) {
      if (!si_->checkMotion(path.getState(i - 1), path.getState(i))) return false;
    }
    return true;
  }

  /// Takes a better path and tells of it.
  Verdict takePath() {
    auto path = std::make_shared<::ompl::geometric::PathGeometric>(si_);
    const std::vector<std::vector<double>> found = planner_->path();
    for (const std::vector<double>& q : found) {
      space_->write({q.data(), q.size()}, state_, reals_);
      path->append(state_);
    }
    // Both ends exactly as they were given.
    si_->copyState(path->getState(0), start_);
    const auto way = [&](const ::ompl::base::State* goal) {
      return si_->distance(goal, path->getState(path->getStateCount() - 1));
    };
    const auto nearer = [&](const auto* a, const auto* b) { return way(a) < way(b); };
    const ::ompl::base::State* reached = *std::min_element(goals_.begin(), goals_.end(), nearer);
    si_->copyState(path->getState(path->getStateCount() - 1), reached);
    const ::ompl::base::Cost cost = path->cost(objective_);
    if (best_ && !objective_->isCostBetterThan(cost, best_cost_)) return Verdict::goes;
    if (!isFree(*path)) return Verdict::collides;
    best_ = path;
    best_cost_ = cost;
    if (const auto tell = pdef_->getIntermediateSolutionCallback()) {
      const std::vector<::ompl::base::State*>& states = path->getStates();
      tell(this, std::vector<const ::ompl::base::State*>(states.begin(), states.end()), cost);
    }
    return objective_->isSatisfied(cost) ? Verdict::satisfies : Verdict::goes;
  }

  void forgetQuery() {
    if (start_ != nullptr) si_->freeState(start_);
    start_ = nullptr;
    for (::ompl::base::State* goal : goals_) si_->freeState(goal);
    goals_.clear();
    has_query_ = false;
    best_.reset();
    best_cost_ = ::ompl::base::Cost(std::numeric_limits<double>::infinity());
  }

  /// Lets go of all that was found out.
  void release() {
    planner_.reset();
    if (has_query_ || start_ != nullptr) pis_.restart();
    forgetQuery();
    if (state_ != nullptr) si_->freeState(state_);
    state_ = nullptr;
    for (::ompl::base::State* state : states_) si_->freeState(state);
    states_.clear();
    configurations_ = 0;
    share_of_step_ = 1.0;
  }

  std::string method_ = "ei:ensemble";
  unsigned int most_goals_ = 10;
  bool settles_ = true;
  std::optional<unsigned int> seed_;

  std::optional<Space> space_;
  /// How finely motions are asked about: 1 is as finely as OMPL does, until a path has turned out to collide.
  double share_of_step_ = 1.0;
  // It gathers what it has found when it is asked for its graph.
  mutable std::optional<psmp::Planner> planner_;
  bool has_query_ = false;
  ::ompl::base::State* start_ = nullptr;
  std::vector<::ompl::base::State*> goals_;
  /// What a configuration is written to when it is checked, and memory for that.
  ::ompl::base::State* state_ = nullptr;
  mutable std::vector<double> reals_;
  /// States that planner data point to.
  mutable std::vector<::ompl::base::State*> states_;
  ::ompl::base::OptimizationObjectivePtr objective_;
  std::shared_ptr<::ompl::geometric::PathGeometric> best_;
  ::ompl::base::Cost best_cost_{std::numeric_limits<double>::infinity()};
  std::uint64_t configurations_ = 0;
};

}  // namespace psmp::ompl

#endif

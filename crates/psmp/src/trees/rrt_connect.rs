//! RRTConnect: two trees that grow towards random configurations and towards each other.
//!
//! A tree, the start's or the goal's in turn, moves from its configuration nearest to a random one
//! straight towards it, at most as far as its range. Where that motion is free it is added, and the
//! other tree moves to the same place until it arrives, which joins the trees, or is blocked.
//! (Kuffner and LaValle, 2000.) The first path ends the run; nothing makes it short. Where there are
//! several goals the second tree is one from each, and the first to be met wins.
//!
//! Where one end is in a tight spot its tree hardly grows, and every other turn is spent on the other one,
//! which knows all the space outside already. So it is the smaller tree's turn, unless the two are to
//! take turns as published: in a cage that takes a quarter of the configurations.

use super::informed::draw_uniform;
use super::run::{ProblemError, Run, Way, faces, positive};
use super::tree::Tree;
use crate::checker::MotionChecker;
use crate::checker::World;
use crate::waypoints::Waypoints;
use crate::{Event, EventKind, Goals, Space};

/// What there is to choose about RRTConnect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RrtConnectOptions {
    /// How far a tree moves at most in one motion; infinity for all the way.
    pub range: f64,
    /// Whether the configurations within a motion become part of the tree, so that it can go on from
    /// each of them.
    pub intermediate_states: bool,
    /// Whether it is always the smaller tree that explores; if not, they take turns.
    pub balanced: bool,
}

/// How far a tree moves at most unless told, as a share of the space's diameter.
const USUAL_RANGE: f64 = 1.0 / 16.0;

impl RrtConnectOptions {
    /// As in the experiments of the PSMP paper: unlimited range, intermediate states kept. Where checks
    /// are cheap the many nodes cost more than they save.
    pub const PUBLISHED: Self = Self {
        range: f64::INFINITY,
        intermediate_states: true,
        balanced: false,
    };

    /// What is quick to a first path in most spaces: short motions, only their ends kept. A motion that
    /// is short is more often free, and one that is blocked is found so at less cost.
    #[must_use]
    pub fn for_space(space: &Space) -> Self {
        Self {
            range: USUAL_RANGE * diameter(space),
            intermediate_states: false,
            balanced: true,
        }
    }

    /// OMPL's defaults: a fifth of the space's diameter, intermediate states not kept.
    #[must_use]
    pub fn ompl(space: &Space) -> Self {
        Self {
            range: OMPLS_RANGE * diameter(space),
            intermediate_states: false,
            balanced: false,
        }
    }

    pub(crate) fn check<E>(&self) -> Result<(), ProblemError<E>> {
        positive("range", self.range).map(|_| ())
    }
}

/// How far OMPL's trees move at most where nobody says, as a share of the space's diameter.
pub(crate) const OMPLS_RANGE: f64 = 0.2;

/// No two configurations of a space are farther apart.
pub(crate) fn diameter(space: &Space) -> f64 {
    let sides = space.axes().iter().map(|axis| {
        // Round a wrapping axis nothing is farther away than half of it.
        let share = if axis.wraps() { 0.5 } else { 1.0 };
        axis.extent() * axis.weight() * share
    });
    sides.map(|side| side * side).sum::<f64>().sqrt()
}

/// How far a tree has come towards a configuration.
enum Growth {
    /// It is there, with this node.
    Reached(u32),
    /// It is nearer, with this node.
    Advanced(u32),
    Blocked,
}

/// What is done next.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// A random configuration is drawn.
    Draw,
    /// The tree whose turn it is moves towards it.
    Explore,
    /// The other tree moves towards this node.
    Connect(u32),
    /// The trees have met in these nodes, the start's and the goal's, and their ways are proved free.
    Prove([u32; 2]),
}

/// What a step has come to.
pub(crate) enum Step {
    /// Nothing but this check, free or not.
    Probed(bool),
    /// The trees are joined.
    Joined(Waypoints),
}

/// Both trees and whose turn it is: RRTConnect up to its first path.
#[derive(Debug)]
pub(crate) struct TwoTrees {
    options: RrtConnectOptions,
    /// The start's, then the goal's.
    trees: [Tree; 2],
    /// Whose turn it is to explore.
    explorer: usize,
    turn: Turn,
    target: Vec<f64>,
    reached: Vec<f64>,
}

impl TwoTrees {
    pub fn new<W: World>(run: &Run<W>, options: RrtConnectOptions) -> Self {
        let space = run.checker.space();
        let mut from_goals = Tree::new(space, &run.goals[0]);
        for goal in &run.goals[1..] {
            from_goals.add_root(goal);
        }
        Self {
            options,
            trees: [Tree::new(space, &run.start), from_goals],
            explorer: 0,
            turn: Turn::Draw,
            target: vec![0.0; space.dimension()],
            reached: vec![0.0; space.dimension()],
        }
    }

    /// Checks one motion. Nothing if the limit was met before it was checked: it is checked again.
    pub fn step<W: World>(&mut self, run: &mut Run<W>) -> Result<Option<Step>, W::Error> {
        let other = 1 - self.explorer;
        if let Turn::Prove(ends) = self.turn {
            return self.prove(run, ends);
        }
        if let Turn::Draw = self.turn {
            draw_uniform(run.checker.space(), &mut run.random, &mut self.target);
            run.draws += 1;
            self.turn = Turn::Explore;
        }
        let grower = match self.turn {
            Turn::Connect(_) => other,
            _ => self.explorer,
        };
        let Some(growth) = self.grow(grower, run)? else {
            return Ok(None);
        };
        Ok(Some(match (self.turn, growth) {
            (Turn::Connect(node), Growth::Reached(met)) => {
                let ends = if self.explorer == 0 {
                    [node, met]
                } else {
                    [met, node]
                };
                self.turn = Turn::Prove(ends);
                self.prove(run, ends)?.unwrap_or(Step::Probed(true))
            }
            (Turn::Connect(_), Growth::Advanced(_)) => Step::Probed(true),
            (_, Growth::Reached(node) | Growth::Advanced(node)) => {
                self.target
                    .copy_from_slice(self.trees[self.explorer].at(node));
                self.turn = Turn::Connect(node);
                Step::Probed(true)
            }
            (_, Growth::Blocked) => {
                self.end_turn();
                Step::Probed(false)
            }
        }))
    }

    /// Proves the path free all along that the trees have met on. Where it is not, what lies behind is cut
    /// off and the trees grow on.
    fn prove<W: World>(
        &mut self,
        run: &mut Run<W>,
        ends: [u32; 2],
    ) -> Result<Option<Step>, W::Error> {
        for (tree, end) in self.trees.iter_mut().zip(ends) {
            match run.prove_way(tree, end)? {
                Way::Proved => {}
                Way::ProvedInPart => return Ok(Some(Step::Probed(true))),
                Way::BrokenOff => return Ok(None),
                Way::Blocked(node) => {
                    tree.cut_off(node);
                    self.end_turn();
                    return Ok(Some(Step::Probed(false)));
                }
            }
        }
        Ok(Some(Step::Joined(self.path(run.checker.space(), ends))))
    }

    /// A tree was blocked: the next one explores.
    fn end_turn(&mut self) {
        let other = 1 - self.explorer;
        let [one, another] = [self.explorer, other].map(|tree| self.trees[tree].near.count());
        if !self.options.balanced || another <= one {
            self.explorer = other;
        }
        self.turn = Turn::Draw;
    }

    /// Moves a tree towards the target, as far as its range lets it.
    fn grow<W: World>(
        &mut self,
        which: usize,
        run: &mut Run<W>,
    ) -> Result<Option<Growth>, W::Error> {
        let tree = &mut self.trees[which];
        let Some(nearest) = tree.near.nearest(&self.target) else {
            unreachable!("a tree has its root");
        };
        let is_far = nearest.distance > self.options.range;
        if is_far {
            let share = self.options.range / nearest.distance;
            let from = tree.at(nearest.id);
            let space = run.checker.space();
            space.interpolate(from, &self.target, share, &mut self.reached);
        } else {
            self.reached.copy_from_slice(&self.target);
        }
        match run.is_motion_free(tree.at(nearest.id), &self.reached)? {
            Some(true) => {}
            Some(false) => return Ok(Some(Growth::Blocked)),
            None => return Ok(None),
        }
        let mut node = nearest.id;
        if self.options.intermediate_states {
            let from = tree.at(nearest.id).to_vec();
            let motion = run.checker.motion(&from, &self.reached);
            let mut q = from.clone();
            for step in 1..motion.steps() {
                motion.write(step, &mut q);
                node = tree.add(&q, node);
            }
        }
        node = tree.add(&self.reached, node);
        Ok(Some(if is_far {
            Growth::Advanced(node)
        } else {
            Growth::Reached(node)
        }))
    }

    /// The way from the start to where the trees have met, and on to the goal.
    fn path(&self, space: &Space, ends: [u32; 2]) -> Waypoints {
        let [from_start, from_goal] = &self.trees;
        let to_meeting = from_start.path_to(space, ends[0]);
        let mut coordinates = to_meeting.coordinates().to_vec();
        // Both trees have a node where they met.
        for node in from_goal.ancestry(ends[1]).skip(1) {
            coordinates.extend_from_slice(from_goal.at(node));
        }
        Waypoints::new(space, coordinates)
    }
}

/// RRTConnect: one path, found soon.
#[derive(Debug)]
pub struct RrtConnect<W> {
    pub(crate) run: Run<W>,
    trees: TwoTrees,
    joined: Option<Waypoints>,
}

impl<W: World> RrtConnect<W> {
    /// A planner at its beginning. Start and goal are checked here.
    ///
    /// # Errors
    /// If start or goal is outside of the space or in collision, or an option makes no sense.
    pub fn new<'g>(
        checker: MotionChecker<W>,
        start: &[f64],
        goal: impl Into<Goals<'g>>,
        options: RrtConnectOptions,
        seed: u64,
    ) -> Result<Self, ProblemError<W::Error>> {
        options.check()?;
        let run = Run::begin(checker, start, goal, seed)?;
        let trees = TwoTrees::new(&run, options);
        Ok(Self {
            run,
            trees,
            joined: None,
        })
    }

    fn advance(&mut self) -> Result<Option<Event>, W::Error> {
        if self.run.best().is_some() {
            return Ok(Some(self.run.finish(EventKind::GaveUp)));
        }
        if let Some(event) = self.joined.take().and_then(|path| self.run.offer(path)) {
            return Ok(Some(event));
        }
        let before = self.run.checker.configurations();
        let free = match self.trees.step(&mut self.run)? {
            None => return Ok(None),
            Some(Step::Probed(free)) => free,
            Some(Step::Joined(path)) => {
                self.joined = Some(path);
                true
            }
        };
        Ok(Some(self.run.probed(free, before)))
    }
}

faces!(RrtConnect);

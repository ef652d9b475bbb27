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
//! take turns as published: in a cage that takes a quarter of the configurations. A search that takes long looks for
//! narrow passages (`passages.rs`).

use super::informed::{Informed, draw_uniform};
use super::known_motions::KnownMotions;
use super::passages::Passages;
use super::run::{ProblemError, Run, Way, faces, positive};
use super::tree::{ROOT, Tree};
use crate::checker::MotionChecker;
use crate::checker::World;
use crate::near::Found;
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
    /// Whether motions are looked at coarsely, one configuration in four, until they are part of a way or looks
    /// have deceived. Not where configurations within a motion become part of the tree: none of these may be left
    /// out.
    pub coarse: bool,
    /// Whether a search that takes long looks for narrow passages: every other configuration that it explores
    /// towards is midway between two in collision, and the others are not far from where the tree gets no farther.
    pub seeks_passages: bool,
}

/// How often it is tried to draw a configuration that can matter, before any will do.
const ATTEMPTS: u32 = 100;

/// A search takes long when so many configurations have been drawn. In wide spaces looking for passages leads nowhere.
const LONG: u64 = 1_000;
/// How often it is tried to draw a configuration within reach, before any will do.
const WITHIN_REACH: u32 = 8;

/// How far a tree moves at most unless told, as a share of the space's diameter.
const USUAL_RANGE: f64 = 1.0 / 16.0;

impl RrtConnectOptions {
    /// As in the experiments of the PSMP paper: unlimited range, intermediate states kept. Where checks
    /// are cheap the many nodes cost more than they save.
    pub const PUBLISHED: Self = Self {
        range: f64::INFINITY,
        intermediate_states: true,
        balanced: false,
        coarse: false,
        seeks_passages: false,
    };

    /// What is quick to a first path in most spaces: short motions, only their ends kept. A motion that
    /// is short is more often free, and one that is blocked is found so at less cost.
    #[must_use]
    pub fn for_space(space: &Space) -> Self {
        Self {
            range: USUAL_RANGE * diameter(space),
            intermediate_states: false,
            balanced: true,
            coarse: true,
            seeks_passages: true,
        }
    }

    /// OMPL's defaults: a fifth of the space's diameter, intermediate states not kept.
    #[must_use]
    pub fn ompl(space: &Space) -> Self {
        Self {
            range: OMPLS_RANGE * diameter(space),
            intermediate_states: false,
            balanced: false,
            coarse: false,
            seeks_passages: false,
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
    /// Whether a bridge can end here is asked, then whether its middle is free.
    EndOfBridge,
    MiddleOfBridge,
    /// The tree whose turn it is moves towards it.
    Explore,
    /// The tree whose turn it is, which has this new node, moves towards this known place.
    Step {
        node: u32,
        place: u32,
    },
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
    /// Where configurations are drawn, and how long a path through them may be at most; all of the space
    /// if there is none.
    within: Option<(Informed, f64)>,
    /// How many configurations have been drawn.
    draws: u64,
    passages: Passages,
    /// What is known to be free from before, and how many trees have begun with it.
    known: Option<KnownMotions>,
    begun: usize,
}

impl TwoTrees {
    /// The trees of a run, at their beginning.
    pub fn new<W: World>(run: &mut Run<W>, options: RrtConnectOptions) -> Self {
        run.is_coarse = options.coarse && !options.intermediate_states;
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
            within: None,
            draws: 0,
            passages: Passages::new(space, options.range.min(diameter(space))),
            known: None,
            begun: 0,
        }
    }

    /// The same trees at their beginning, which are to make use of what is known to be free.
    pub fn knowing(mut self, known: Option<KnownMotions>) -> Self {
        self.known = known;
        self
    }

    /// The trees whose roots have not been held against what is known yet take the first steps.
    fn begin(&mut self) -> bool {
        while self.known.is_some() && self.begun < self.trees.len() {
            self.explorer = self.begun;
            self.begun += 1;
            if self.step_towards_known(ROOT) {
                return true;
            }
        }
        false
    }

    /// Whether the tree that explores, which has this node, is to move to a known place: one that a single motion
    /// leads to, and that is nearer than the other tree.
    fn step_towards_known(&mut self, node: u32) -> bool {
        let Some(known) = &mut self.known else {
            return false;
        };
        let q = self.trees[self.explorer].at(node).to_vec();
        let to_other = self.trees[1 - self.explorer].near.nearest(&q);
        let reach = to_other.map_or(f64::INFINITY, |other| other.distance);
        let reach = reach.min(self.options.range);
        let Some(place) = known.try_nearest(&q, self.explorer, reach) else {
            return false;
        };
        self.target.copy_from_slice(known.at(place));
        self.turn = Turn::Step { node, place };
        true
    }

    /// The other tree is to move towards this node of the one that explores.
    fn connect_to(&mut self, node: u32) {
        let q = self.trees[self.explorer].at(node);
        self.target.copy_from_slice(q);
        self.turn = Turn::Connect(node);
    }

    /// The same trees, which explore only where a path shorter than this could lead.
    pub fn within(mut self, longest: f64) -> Self {
        if longest.is_finite() {
            let [from_start, from_goals] = &self.trees;
            let goals: Vec<Vec<f64>> = (0..from_goals.count() as u32)
                .map(|root| from_goals.at(root).to_vec())
                .collect();
            let space = from_start.near.space();
            let informed = Informed::new(space, from_start.at(ROOT), &goals);
            self.within = Some((informed, longest));
        }
        self
    }

    /// The motions of both trees, each by its ends and whether it was proved free all along.
    pub fn motions(&self) -> impl Iterator<Item = ([&[f64]; 2], bool)> {
        self.trees.iter().flat_map(|tree| {
            let nodes = 0..tree.count() as u32;
            nodes.filter_map(move |node| {
                let ends = [tree.at(tree.parent(node)?), tree.at(node)];
                Some((ends, tree.is_proved(node)))
            })
        })
    }

    /// Draws where to explore.
    fn draw<W: World>(&mut self, run: &mut Run<W>) {
        run.draws += 1;
        self.draws += 1;
        let is_long = self.options.seeks_passages && self.draws > LONG;
        let (space, random) = (run.checker.space(), &mut run.random);
        if is_long
            && self.draws.is_multiple_of(2)
            && self.passages.draw_end(space, random, &mut self.target)
        {
            self.turn = Turn::EndOfBridge;
            return;
        }
        self.turn = Turn::Explore;
        for _ in 0..WITHIN_REACH {
            let is_drawn = self.within.as_ref().is_some_and(|(informed, longest)| {
                informed.draw(space, random, *longest, ATTEMPTS, &mut self.target)
            });
            if !is_drawn {
                draw_uniform(space, random, &mut self.target);
            }
            if !is_long {
                break;
            }
            let nearest = self.trees[self.explorer].near.nearest(&self.target);
            let passages = &self.passages;
            let reach = |node: u32| passages.reach(self.explorer, node);
            if nearest.is_some_and(|nearest| nearest.distance <= reach(nearest.id)) {
                break;
            }
        }
    }

    /// Asks about one configuration of a bridge. Nothing if the limit is met.
    fn bridge<W: World>(&mut self, run: &mut Run<W>) -> Result<Option<Step>, W::Error> {
        if run.checker.is_stopped() {
            return Ok(None);
        }
        let free = run.checker.is_free(&self.target)?;
        let is_end = matches!(self.turn, Turn::EndOfBridge);
        self.turn = Turn::Draw;
        if is_end && !free {
            let space = run.checker.space();
            self.passages.middle(space, &self.target, &mut self.reached);
            self.target.copy_from_slice(&self.reached);
            let can_matter = self.within.as_ref().is_none_or(|(informed, longest)| {
                informed.shortest_through(space, &self.target) < *longest
            });
            if can_matter {
                self.turn = Turn::MiddleOfBridge;
            }
        } else if !is_end && free {
            // Whichever tree is nearer goes there.
            let [one, another] = self.trees.each_mut().map(|tree| {
                let nearest = tree.near.nearest(&self.target);
                nearest.map_or(f64::INFINITY, |nearest| nearest.distance)
            });
            self.explorer = usize::from(another < one);
            self.turn = Turn::Explore;
        }
        Ok(Some(Step::Probed(free)))
    }

    /// Checks one motion. Nothing if the limit was met before it was checked: it is checked again.
    pub fn step<W: World>(&mut self, run: &mut Run<W>) -> Result<Option<Step>, W::Error> {
        if let Turn::Prove(ends) = self.turn {
            return self.prove(run, ends);
        }
        if matches!(self.turn, Turn::Draw) && !self.begin() {
            self.draw(run);
        }
        if matches!(self.turn, Turn::EndOfBridge | Turn::MiddleOfBridge) {
            return self.bridge(run);
        }
        let grower = match self.turn {
            Turn::Connect(_) => 1 - self.explorer,
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
            (Turn::Step { place, .. }, Growth::Reached(met)) => {
                if let Some(known) = &mut self.known {
                    known.add_component(place, &mut self.trees[self.explorer], met);
                }
                // From somewhere there it may not be far to where the other tree begins.
                self.explorer = 1 - self.explorer;
                self.connect_to(ROOT);
                Step::Probed(true)
            }
            (Turn::Connect(_) | Turn::Step { .. }, Growth::Advanced(_)) => Step::Probed(true),
            (Turn::Step { node: ROOT, .. }, Growth::Blocked) => {
                self.turn = Turn::Draw;
                Step::Probed(false)
            }
            (Turn::Step { node, .. }, Growth::Blocked) => {
                self.connect_to(node);
                Step::Probed(false)
            }
            (_, Growth::Reached(node) | Growth::Advanced(node)) => {
                if !self.step_towards_known(node) {
                    self.connect_to(node);
                }
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
        run.proved += 1;
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

    /// Writes how far a tree can move towards the target, and from which node. Whether the target is farther away.
    fn steer(&mut self, which: usize, space: &Space) -> (Found, bool) {
        let tree = &mut self.trees[which];
        let Some(nearest) = tree.near.nearest(&self.target) else {
            unreachable!("a tree has its root");
        };
        let is_far = nearest.distance > self.options.range;
        if is_far {
            let share = self.options.range / nearest.distance;
            let from = tree.at(nearest.id);
            space.interpolate(from, &self.target, share, &mut self.reached);
        } else {
            self.reached.copy_from_slice(&self.target);
        }
        (nearest, is_far)
    }

    /// Moves a tree towards the target, as far as its range lets it.
    fn grow<W: World>(
        &mut self,
        which: usize,
        run: &mut Run<W>,
    ) -> Result<Option<Growth>, W::Error> {
        let (nearest, is_far) = self.steer(which, run.checker.space());
        if nearest.distance == 0.0 {
            return Ok(Some(Growth::Reached(nearest.id)));
        }
        let look = run.next_look();
        if run.checker.foresight() > 0 {
            self.foresee(is_far, run);
        }
        let tree = &mut self.trees[which];
        match run.is_motion_free(tree.at(nearest.id), &self.reached)? {
            Some(true) => {}
            Some(false) => {
                self.passages.remember(run.checker.collision());
                if let Turn::Explore = self.turn {
                    self.passages.explored(which, nearest.id, false);
                }
                return Ok(Some(Growth::Blocked));
            }
            None => return Ok(None),
        }
        if let Turn::Explore = self.turn {
            self.passages.explored(which, nearest.id, true);
        }
        let mut node = nearest.id;
        if self.options.intermediate_states {
            let from = tree.at(nearest.id).to_vec();
            let motion = run.checker.motion(&from, &self.reached);
            let mut q = from.clone();
            for step in 1..motion.steps() {
                motion.write(step, &mut q);
                node = tree.add(&q, node);
                tree.mark(node, look);
            }
        }
        node = tree.add(&self.reached, node);
        tree.mark(node, look);
        Ok(Some(if is_far {
            Growth::Advanced(node)
        } else {
            Growth::Reached(node)
        }))
    }

    /// Tells the world what will probably be asked about after the motion to where a tree can move now: if that is free, what
    /// the trees do then; if it is blocked, the next motions, as if all of them were. Everything is as it was then.
    fn foresee<W: World>(&mut self, is_far: bool, run: &mut Run<W>) {
        let before = (self.turn, self.explorer, self.draws);
        let (target, reached) = (self.target.clone(), self.reached.clone());
        let of_run = (run.draws, run.random.clone());
        // Where the tree goes on, or the other one comes.
        let goes_on = is_far && !matches!(self.turn, Turn::Explore);
        let space = run.checker.space();
        if goes_on {
            let left = space.distance(&reached, &target);
            let share = (self.options.range / left).min(1.0);
            space.interpolate(&reached, &target, share, &mut self.reached);
            run.checker.foresee_motion(&reached, &self.reached);
        } else if !matches!(self.turn, Turn::Connect(_)) {
            let other = 1 - self.explorer;
            self.target.copy_from_slice(&reached);
            let (nearest, _) = self.steer(other, space);
            let from = self.trees[other].at(nearest.id);
            run.checker.foresee_motion(from, &self.reached);
        }
        for _ in 0..run.checker.foresight() {
            self.end_turn();
            self.draw(run);
            if matches!(self.turn, Turn::EndOfBridge) {
                run.checker.foresee(&self.target);
                self.turn = Turn::Draw;
                continue;
            }
            let (nearest, _) = self.steer(self.explorer, run.checker.space());
            let from = self.trees[self.explorer].at(nearest.id);
            run.checker.foresee_motion(from, &self.reached);
        }
        run.checker.foreseen();
        (self.turn, self.explorer, self.draws) = before;
        (self.target, self.reached) = (target, reached);
        (run.draws, run.random) = of_run;
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
        let mut run = Run::begin(checker, start, goal, seed)?;
        let trees = TwoTrees::new(&mut run, options);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::{Proof, Stretches};
    use crate::motion::Resolution;
    use crate::trees::tree::Look;
    use std::convert::Infallible;

    /// A wall that no configuration meets, and every proof.
    #[derive(Debug)]
    struct Unseen;

    impl World for Unseen {
        type Error = Infallible;
        fn is_free(&mut self, _: &[f64]) -> Result<bool, Infallible> {
            Ok(true)
        }
        fn can_prove(&self) -> bool {
            true
        }
        fn prove(&mut self, stretches: &mut Stretches<'_>) -> Result<(), Infallible> {
            stretches.answer_each(|middle, _| {
                Ok(match (middle[0] - 0.5).abs() < 0.1 {
                    true => Proof::Blocked,
                    false => Proof::Free,
                })
            })
        }
    }

    /// After the first way that was refuted motions are looked at whole, after the third they are proved.
    #[test]
    fn trees_look_closer_where_looks_deceive() {
        let space = Space::unit(2);
        let resolution = Resolution::distance(0.001).unwrap();
        let checker = MotionChecker::new(&space, resolution, Unseen).unwrap();
        let (start, goal) = ([0.1, 0.1], [0.9, 0.1]);
        let goals = [goal.to_vec()];
        let mut run = Run::between(checker.proving(), &start, &goals, 3);
        let mut trees = TwoTrees::new(&mut run, RrtConnectOptions::for_space(&space));
        let mut looks = vec![run.next_look()];
        for _ in 0..2_000 {
            let Ok(step) = trees.step(&mut run);
            assert!(
                !matches!(step, Some(Step::Joined(_))),
                "nothing leads across"
            );
            if run.next_look() != looks[looks.len() - 1] {
                looks.push(run.next_look());
            }
        }
        assert_eq!(looks, [Look::Coarse, Look::Whole, Look::Proved]);
    }
}

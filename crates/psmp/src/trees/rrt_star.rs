//! RRT*: one tree whose ways are kept short, so that its path tends to the shortest.
//!
//! The tree moves towards random configurations as RRT does. A new node takes the parent among its
//! nearest neighbours that it has the shortest way from, checked in the order of length so that most
//! need no check (*delayed* checks), and then becomes the parent of neighbours that it offers a
//! shorter way (Karaman and Frazzoli, 2011). Once there is a path the search is *focused*: draws come
//! from the ellipsoid that a shorter path must lie in, nodes that cannot be part of one are not added,
//! and those in the tree are cut off whenever the path has become much shorter (Gammell et al., 2014).

use super::informed::Informed;
use super::rrt_connect::{OMPLS_RANGE, diameter};
use super::run::{ProblemError, Run, Way, faces, positive};
use super::tree::{ROOT, Tree};
use crate::checker::MotionChecker;
use crate::checker::World;
use crate::near::Found;
use crate::{Event, EventKind, Goals, Space};
use rand::RngExt;

/// What there is to choose about RRT*.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RrtStarOptions {
    /// How far the tree moves at most in one motion.
    pub range: f64,
    /// How often the goal itself is drawn, until it is in the tree.
    pub goal_bias: f64,
    /// How many more neighbours are looked at than must be for the path to tend to the shortest.
    pub rewire_factor: f64,
}

impl RrtStarOptions {
    /// OMPL's defaults: a fifth of the space's diameter, a goal bias of 0.05, a rewiring factor of
    /// 1.1.
    #[must_use]
    pub fn for_space(space: &Space) -> Self {
        Self {
            range: OMPLS_RANGE * diameter(space),
            goal_bias: 0.05,
            rewire_factor: 1.1,
        }
    }
}

/// How often a draw from the focused region is tried before it is given up for this time.
const DRAW_ATTEMPTS: u32 = 100;

/// The tree is pruned when the path has become shorter by this share since the last time.
const PRUNE_AFTER: f64 = 0.05;

/// What is known of the motion between the new node and a neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    Unknown,
    Blocked,
}

/// What is done next.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// A configuration is drawn.
    Drawing,
    /// The nearest node is to be moved towards the configuration drawn.
    Extending,
    /// The new configuration looks for its parent, at this place in the order of costs.
    ChoosingParent(usize),
    /// The new node, with its parent, looks at the neighbour of this place.
    Rewiring {
        node: u32,
        parent: u32,
        place: usize,
    },
    /// The way to the goal, which has become shorter, is proved free.
    Proving,
}

/// RRT*, focused and with delayed checks.
#[derive(Debug)]
pub struct RrtStar<W> {
    run: Run<W>,
    options: RrtStarOptions,
    /// How many neighbours are looked at for each unit of the logarithm of the tree's size.
    neighbours_a_log: f64,
    informed: Informed,
    tree: Tree,
    /// The nodes of the goals, once they are in the tree.
    goal_nodes: Vec<Option<u32>>,
    /// The length, as the tree sums it, of the path offered last.
    offered: f64,
    /// The length of the path when the tree was pruned last.
    pruned_at: f64,
    phase: Phase,
    drawn: Vec<f64>,
    /// The new configuration, and the node that it was reached from.
    new: Vec<f64>,
    nearest: u32,
    neighbours: Vec<Found>,
    links: Vec<Link>,
    /// Places among the neighbours, those that offer the shortest way first.
    by_cost: Vec<u32>,
}

impl<W: World> RrtStar<W> {
    /// A planner at its beginning. Start and goal are checked here.
    ///
    /// # Errors
    /// If start or goal is outside of the space or in collision, or an option makes no sense.
    pub fn new<'g>(
        checker: MotionChecker<W>,
        start: &[f64],
        goal: impl Into<Goals<'g>>,
        options: RrtStarOptions,
        seed: u64,
    ) -> Result<Self, ProblemError<W::Error>> {
        positive("range", options.range)?;
        positive("rewiring factor", options.rewire_factor)?;
        if !(0.0..=1.0).contains(&options.goal_bias) {
            return Err(ProblemError::Parameter {
                name: "goal bias",
                value: options.goal_bias,
                must: "from 0 to 1",
            });
        }
        let run = Run::begin(checker, start, goal, seed)?;
        let space = run.checker.space();
        let d = space.dimension() as f64;
        let tree = Tree::new(space, start);
        Ok(Self {
            neighbours_a_log: options.rewire_factor
                * libm::exp2(d + 1.0)
                * std::f64::consts::E
                * (1.0 + 1.0 / d),
            informed: Informed::new(space, start, &run.goals),
            tree,
            goal_nodes: vec![None; run.goals.len()],
            offered: f64::INFINITY,
            pruned_at: f64::INFINITY,
            phase: Phase::Drawing,
            drawn: start.to_vec(),
            new: start.to_vec(),
            nearest: ROOT,
            neighbours: Vec::new(),
            links: Vec::new(),
            by_cost: Vec::new(),
            run,
            options,
        })
    }

    /// Goes on to the next check, the next better path, or the next draw in vain.
    fn advance(&mut self) -> Result<Option<Event>, W::Error> {
        while !self.run.checker.is_stopped() {
            let event = match self.phase {
                Phase::Drawing => self.draw(),
                Phase::Extending => self.extend()?,
                Phase::ChoosingParent(place) => self.choose_parent(place)?,
                Phase::Rewiring {
                    node,
                    parent,
                    place,
                } => self.rewire(node, parent, place)?,
                Phase::Proving => self.improve()?,
            };
            if event.is_some() {
                return Ok(event);
            }
        }
        Ok(None)
    }

    /// Draws a configuration to move towards; an event if it is in vain.
    fn draw(&mut self) -> Option<Event> {
        self.run.draws += 1;
        let longest = self.run.best_length();
        let space = self.run.checker.space();
        let random = &mut self.run.random;
        // One after the other, until all are in the tree.
        let goals = self.goal_nodes.iter().zip(&self.run.goals);
        let missing = goals.filter(|(node, _)| node.is_none()).map(|(_, q)| q);
        let wanted = missing
            .cycle()
            .nth(self.run.draws as usize % self.run.goals.len());
        if let Some(goal) = wanted
            && random.random::<f64>() < self.options.goal_bias
        {
            self.drawn.copy_from_slice(goal);
        } else {
            let drawn = &mut self.drawn;
            if !self
                .informed
                .draw(space, random, longest, DRAW_ATTEMPTS, drawn)
            {
                return Some(self.run.event(EventKind::NoImprovement));
            }
        }
        self.phase = Phase::Extending;
        None
    }

    /// Moves from the nearest node towards the configuration drawn.
    fn extend(&mut self) -> Result<Option<Event>, W::Error> {
        let space = self.run.checker.space();
        let Some(nearest) = self.tree.near.nearest(&self.drawn) else {
            unreachable!("the tree has its root");
        };
        if nearest.distance == 0.0 {
            self.phase = Phase::Drawing;
            return Ok(Some(self.run.event(EventKind::NoImprovement)));
        }
        let from = self.tree.at(nearest.id);
        if nearest.distance > self.options.range {
            let share = self.options.range / nearest.distance;
            space.interpolate(from, &self.drawn, share, &mut self.new);
        } else {
            self.new.copy_from_slice(&self.drawn);
        }
        let before = self.run.checker.configurations();
        let Some(free) = self.run.is_motion_free(from, &self.new)? else {
            return Ok(None);
        };
        self.phase = Phase::Drawing;
        if free {
            self.nearest = nearest.id;
            self.look_around();
            self.phase = Phase::ChoosingParent(0);
        }
        Ok(Some(self.run.probed(free, before)))
    }

    /// Finds the neighbours of the new configuration and which offers it the shortest way.
    fn look_around(&mut self) {
        let size = self.tree.near.count() as f64 + 1.0;
        let k = (self.neighbours_a_log * libm::log(size)).ceil() as usize;
        self.tree.near.k_nearest(&self.new, k, &mut self.neighbours);
        self.links.clear();
        self.links.resize(self.neighbours.len(), Link::Unknown);
        self.by_cost.clear();
        self.by_cost.extend(0..self.neighbours.len() as u32);
        let cost = |place: u32| {
            let Found { distance, id } = self.neighbours[place as usize];
            self.tree.cost(id) + distance
        };
        self.by_cost
            .sort_unstable_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(a.cmp(&b)));
    }

    fn choose_parent(&mut self, place: usize) -> Result<Option<Event>, W::Error> {
        let Some(&neighbour) = self.by_cost.get(place) else {
            // Only where the neighbours are so few that the nearest is not one of them.
            let space = self.run.checker.space();
            let step = space.distance(self.tree.at(self.nearest), &self.new);
            self.settle(self.nearest, step);
            return Ok(None);
        };
        let Found { distance, id } = self.neighbours[neighbour as usize];
        if id == self.nearest {
            self.settle(id, distance);
            return Ok(None);
        }
        if distance >= self.options.range {
            self.links[neighbour as usize] = Link::Blocked;
            self.phase = Phase::ChoosingParent(place + 1);
            return Ok(None);
        }
        let before = self.run.checker.configurations();
        let Some(free) = self.run.is_motion_free(self.tree.at(id), &self.new)? else {
            return Ok(None);
        };
        if free {
            self.settle(id, distance);
        } else {
            self.links[neighbour as usize] = Link::Blocked;
            self.phase = Phase::ChoosingParent(place + 1);
        }
        Ok(Some(self.run.probed(free, before)))
    }

    /// Adds the new node behind its parent, if it can be part of a better path.
    fn settle(&mut self, parent: u32, step: f64) {
        let through = self
            .informed
            .shortest_through(self.run.checker.space(), &self.new);
        self.phase = if through < self.run.best_length() {
            let node = self.tree.add_loose(&self.new);
            self.tree.attach(node, parent, step, |_| ());
            let place = 0;
            Phase::Rewiring {
                node,
                parent,
                place,
            }
        } else {
            Phase::Drawing
        };
    }

    fn rewire(&mut self, node: u32, parent: u32, place: usize) -> Result<Option<Event>, W::Error> {
        let Some(&Found { distance, id }) = self.neighbours.get(place) else {
            for (goal, q) in self.goal_nodes.iter_mut().zip(&self.run.goals) {
                if goal.is_none() && self.new == *q {
                    *goal = Some(node);
                }
            }
            return self.improve();
        };
        let next = Phase::Rewiring {
            node,
            parent,
            place: place + 1,
        };
        let cost = self.tree.cost(node) + distance;
        if id == parent
            || cost >= self.tree.cost(id)
            || distance >= self.options.range
            || self.links[place] == Link::Blocked
        {
            self.phase = next;
            return Ok(None);
        }
        let before = self.run.checker.configurations();
        let Some(free) = self.run.is_motion_free(&self.new, self.tree.at(id))? else {
            return Ok(None);
        };
        if free {
            self.tree.attach(id, node, distance, |_| ());
        }
        self.phase = next;
        Ok(Some(self.run.probed(free, before)))
    }

    /// The path to the goal, if it has become shorter and is free all along.
    fn improve(&mut self) -> Result<Option<Event>, W::Error> {
        self.phase = Phase::Drawing;
        let cost = |goal: &u32| self.tree.cost(*goal);
        let goals = self.goal_nodes.iter().copied().flatten();
        let nearest = goals.min_by(|a, b| cost(a).total_cmp(&cost(b)));
        let Some(goal) = nearest.filter(|goal| cost(goal) < self.offered) else {
            return Ok(None);
        };
        let before = self.run.checker.configurations();
        match self.run.prove_way(&mut self.tree, goal)? {
            Way::Proved => {}
            Way::ProvedInPart => {
                self.phase = Phase::Proving;
                return Ok(Some(self.run.probed(true, before)));
            }
            Way::BrokenOff => {
                self.phase = Phase::Proving;
                return Ok(None);
            }
            Way::Blocked(node) => {
                self.tree.cut_off(node);
                for goal in &mut self.goal_nodes {
                    *goal = goal.filter(|goal| self.tree.reaches(*goal));
                }
                return Ok(Some(self.run.probed(false, before)));
            }
        }
        self.run.proved += 1;
        self.offered = self.tree.cost(goal);
        let path = self.tree.path_to(self.run.checker.space(), goal);
        let Some(event) = self.run.offer(path) else {
            return Ok(None);
        };
        let length = self.run.best_length();
        if length < self.pruned_at * (1.0 - PRUNE_AFTER) {
            let (informed, space) = (&self.informed, self.run.checker.space());
            let is_kept = |node: u32, q: &[f64]| {
                node == goal || informed.shortest_through(space, q) <= length
            };
            let new_ids = self.tree.prune(space, is_kept);
            for goal in &mut self.goal_nodes {
                *goal = goal.and_then(|goal| new_ids[goal as usize]);
            }
            self.pruned_at = length;
        }
        Ok(Some(event))
    }
}

faces!(RrtStar);

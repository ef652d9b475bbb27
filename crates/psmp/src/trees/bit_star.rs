//! BIT*: batches of random configurations, searched as one ever denser graph.
//!
//! A batch of free configurations is drawn; each is joined in thought to its nearest ones. The edges
//! that lead on from the tree wait in a queue ordered by how long a path through them must at least
//! be, and only an edge that comes to the front, and could still make the path to the goal and the way
//! to its end shorter, is checked. When the front can do so no more, configurations and branches that
//! no shorter path can lead through are pruned, and the next batch is drawn from the ellipsoid that
//! such a path must lie in. (Gammell, Barfoot and Srinivasa, 2020; of their variants, the one of
//! nearest neighbours, with pruning and without just-in-time sampling.)
//!
//! What is known of an edge is known in the direction in which it was checked, and a node offers
//! itself as a shorter way to nodes of the tree when it is expanded for the first time: both as OMPL
//! does it.

use super::informed::Informed;
use super::run::{ProblemError, Run, Way, faces, positive};
use super::tree::{ROOT, Tree};
use crate::checker::MotionChecker;
use crate::checker::World;
use crate::near::Found;
use crate::{Event, EventKind, Goals};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What there is to choose about BIT*.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BitStarOptions {
    /// How many free configurations a batch has.
    pub batch: usize,
    /// How many more neighbours are looked at than must be for the path to tend to the shortest.
    pub rewire_factor: f64,
}

impl Default for BitStarOptions {
    /// OMPL's: batches of a hundred, a rewiring factor of 1.1.
    fn default() -> Self {
        Self {
            batch: 100,
            rewire_factor: 1.1,
        }
    }
}

/// How often a draw from the focused region is tried before it is given up for this time.
const DRAW_ATTEMPTS: u32 = 10_000;

/// A batch is ended early after this many draws for each configuration that there should be by then,
/// because it may be that hardly anything is free.
const DRAWS_A_SAMPLE: u64 = 2;

/// Pruning rebuilds the structure of neighbours; it is done when at least this share would go.
const PRUNE_SHARE: f64 = 0.05;

/// The first goal; the others come after it.
const FIRST_GOAL: u32 = 1;

/// An edge in the queue.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Waiting {
    /// The least length of a path through the edge, of the way to its end, and of that to its
    /// beginning. The last also tells whether the entry is up to date.
    key: [f64; 3],
    from: u32,
    to: u32,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        let pairs = self.key.iter().zip(&other.key);
        pairs
            .map(|(a, b)| a.total_cmp(b))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| (self.from, self.to).cmp(&(other.from, other.to)))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What is kept of each configuration beside its place in the tree.
#[derive(Debug, Default)]
struct Node {
    /// The straight ways from the start and to the goal.
    from_start: f64,
    to_goal: f64,
    /// The last search that it was expanded in; 0 for none.
    expanded_in: u32,
    /// Whether it has offered itself as a shorter way to nodes of the tree.
    has_rewired: bool,
    /// Whether it can no longer be part of a better path.
    is_gone: bool,
    /// Edges from here that were checked.
    blocked: Vec<u32>,
    free: Vec<u32>,
    /// Edges from here that wait in the queue.
    waiting: Vec<u32>,
}

impl Node {
    /// No path through here can be shorter.
    fn shortest_through(&self) -> f64 {
        self.from_start + self.to_goal
    }
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    /// Drawing configurations until there have been so many free ones, or so many draws in this batch.
    Sampling { wanted: u64, draws_left: u64 },
    /// Taking edges from the queue.
    Searching,
}

/// BIT*.
#[derive(Debug)]
pub struct BitStar<W> {
    run: Run<W>,
    options: BitStarOptions,
    informed: Informed,
    tree: Tree,
    nodes: Vec<Node>,
    queue: BinaryHeap<Reverse<Waiting>>,
    /// Nodes whose way became shorter after they were expanded.
    inconsistent: Vec<u32>,
    phase: Phase,
    /// Counts batches, the first search without any among them.
    search: u32,
    /// Whether the front of the queue can improve nothing.
    is_exhausted: bool,
    /// Whether inconsistent nodes have been expanded again.
    is_second_look: bool,
    /// The length, as the tree sums it, of the path offered last.
    offered: f64,
    /// Free configurations drawn in all batches.
    samples: u64,
    /// How many neighbours a node is joined to.
    neighbour_count: usize,
    neighbours: Vec<Found>,
    drawn: Vec<f64>,
    scratch: Vec<u32>,
}

impl<W: World> BitStar<W> {
    /// A planner at its beginning. Start and goal are checked here.
    ///
    /// # Errors
    /// If start or goal is outside of the space or in collision, or an option makes no sense.
    pub fn new<'g>(
        checker: MotionChecker<W>,
        start: &[f64],
        goal: impl Into<Goals<'g>>,
        options: BitStarOptions,
        seed: u64,
    ) -> Result<Self, ProblemError<W::Error>> {
        positive("batch size", options.batch as f64)?;
        positive("rewiring factor", options.rewire_factor)?;
        let run = Run::begin(checker, start, goal, seed)?;
        let space = run.checker.space();
        let mut planner = Self {
            informed: Informed::new(space, start, &run.goals),
            tree: Tree::new(space, start),
            nodes: Vec::new(),
            queue: BinaryHeap::new(),
            inconsistent: Vec::new(),
            phase: Phase::Searching,
            search: 1,
            is_exhausted: false,
            is_second_look: false,
            offered: f64::INFINITY,
            samples: 0,
            // The first search is of start and goals alone.
            neighbour_count: 1 + run.goals.len(),
            neighbours: Vec::new(),
            drawn: start.to_vec(),
            scratch: Vec::new(),
            run,
            options,
        };
        planner.nodes.push(planner.node(start));
        for goal in planner.run.goals.clone() {
            planner.add(&goal);
        }
        planner.expand(ROOT);
        Ok(planner)
    }

    fn node(&self, q: &[f64]) -> Node {
        let space = self.run.checker.space();
        Node {
            from_start: space.distance(&self.run.start, q),
            to_goal: self.informed.to_goal(space, q),
            ..Node::default()
        }
    }

    fn add(&mut self, q: &[f64]) {
        self.tree.add_loose(q);
        self.nodes.push(self.node(q));
    }

    /// The goal that the tree has the shortest way to.
    fn nearest_goal(&self) -> u32 {
        let goals = FIRST_GOAL..FIRST_GOAL + self.run.goals.len() as u32;
        let cost = |goal: &u32| self.tree.cost(*goal);
        let nearest = goals.min_by(|a, b| cost(a).total_cmp(&cost(b)));
        nearest.unwrap_or(FIRST_GOAL)
    }

    /// The length of the tree's path to the nearest goal; infinite before the first.
    fn solution(&self) -> f64 {
        self.tree.cost(self.nearest_goal())
    }

    /// Goes on to the next check, the next better path, or the next draw in vain.
    fn advance(&mut self) -> Result<Option<Event>, W::Error> {
        loop {
            if self.solution() < self.offered {
                let before = self.run.checker.configurations();
                let goal = self.nearest_goal();
                match self.run.prove_way(&mut self.tree, goal)? {
                    Way::Proved => {}
                    Way::ProvedInPart => return Ok(Some(self.run.probed(true, before))),
                    Way::BrokenOff => return Ok(None),
                    Way::Blocked(node) => {
                        self.refute(node);
                        return Ok(Some(self.run.probed(false, before)));
                    }
                }
                self.run.proved += 1;
                self.offered = self.solution();
                let path = self.tree.path_to(self.run.checker.space(), goal);
                if let Some(event) = self.run.offer(path) {
                    return Ok(Some(event));
                }
            }
            if self.run.checker.is_stopped() {
                return Ok(None);
            }
            match self.phase {
                Phase::Sampling { wanted, draws_left } => {
                    if self.samples < wanted && draws_left > 0 {
                        return self.sample(wanted, draws_left - 1).map(Some);
                    }
                    self.phase = Phase::Searching;
                    self.expand(ROOT);
                }
                Phase::Searching => match self.front().filter(|_| !self.is_exhausted) {
                    Some(edge) => {
                        if let Some(event) = self.look_at(edge)? {
                            return Ok(Some(event));
                        }
                    }
                    None if self.is_second_look || self.solution().is_infinite() => {
                        self.begin_batch()
                    }
                    None => self.look_again(),
                },
            }
        }
    }

    /// The motion to a node from its parent is not free after all. What lies behind it is fresh again.
    fn refute(&mut self, node: u32) {
        if let Some(parent) = self.tree.parent(node) {
            let parent = &mut self.nodes[parent as usize];
            parent.free.retain(|&to| to != node);
            parent.blocked.push(node);
        }
        for loose in self.tree.cut(node) {
            self.nodes[loose as usize].waiting.clear();
        }
    }

    /// The edge at the front of the queue, once entries out of date are gone.
    fn front(&mut self) -> Option<Waiting> {
        while let Some(&Reverse(edge)) = self.queue.peek() {
            let waits = self.nodes[edge.from as usize].waiting.contains(&edge.to);
            if waits && edge.key[2] == self.tree.cost(edge.from) {
                return Some(edge);
            }
            self.queue.pop();
        }
        None
    }

    /// Takes the front edge, checks it if it can be worth it, and adds it if it is.
    fn look_at(&mut self, edge: Waiting) -> Result<Option<Event>, W::Error> {
        let Waiting { key, from, to } = edge;
        let [through, cost, _] = key;
        if self.tree.parent(to) == Some(from) {
            self.take();
            self.mark_expanded(from);
            self.expand(to);
            return Ok(None);
        }
        if through >= self.solution() {
            self.take();
            self.is_exhausted = true;
            return Ok(None);
        }
        let space = self.run.checker.space();
        let step = space.distance(self.tree.at(from), self.tree.at(to));
        let (a, b) = (&self.nodes[from as usize], &self.nodes[to as usize]);
        if cost >= self.tree.cost(to) || a.from_start + step + b.to_goal >= self.solution() {
            self.take();
            return Ok(None);
        }
        let event = if a.free.contains(&to) {
            None
        } else {
            let asked = self.run.checker.configurations();
            let ends = [from, to].map(|node| self.tree.at(node));
            let motion = self.run.is_motion_free(ends[0], ends[1])?;
            let Some(free) = motion else {
                return Ok(None);
            };
            let node = &mut self.nodes[from as usize];
            if free {
                node.free.push(to);
            } else {
                node.blocked.push(to);
                self.take();
                return Ok(Some(self.run.probed(false, asked)));
            }
            Some(asked)
        };
        self.take();
        let mut changed = std::mem::take(&mut self.scratch);
        changed.clear();
        self.tree.attach(to, from, step, |node| changed.push(node));
        // Edges that wait to lead on from where the way became shorter move up in the queue.
        for &node in &changed {
            for i in 0..self.nodes[node as usize].waiting.len() {
                self.push(node, self.nodes[node as usize].waiting[i]);
            }
        }
        self.scratch = changed;
        if self.nodes[to as usize].expanded_in == self.search {
            self.inconsistent.push(to);
        } else {
            self.expand(to);
        }
        self.mark_expanded(from);
        Ok(event.map(|asked| self.run.probed(true, asked)))
    }

    /// Removes the front edge from the queue.
    fn take(&mut self) {
        if let Some(Reverse(edge)) = self.queue.pop() {
            let waiting = &mut self.nodes[edge.from as usize].waiting;
            if let Some(place) = waiting.iter().position(|&to| to == edge.to) {
                waiting.swap_remove(place);
            }
        }
    }

    fn mark_expanded(&mut self, node: u32) {
        self.nodes[node as usize].expanded_in = self.search;
    }

    /// Puts the edges that lead on from a node into the queue.
    fn expand(&mut self, from: u32) {
        if self.nodes[from as usize].shortest_through() > self.solution() {
            return;
        }
        let mut neighbours = std::mem::take(&mut self.neighbours);
        let count = self.neighbour_count;
        self.tree.neighbours_of(from, count, &mut neighbours);
        let mut children = std::mem::take(&mut self.scratch);
        children.clear();
        children.extend(self.tree.children(from));
        for &child in &children {
            self.enqueue(from, child);
        }
        self.scratch = children;
        let rewires = !std::mem::replace(&mut self.nodes[from as usize].has_rewired, true);
        for &Found { id: to, .. } in &neighbours {
            let is_shortcut = || {
                to != ROOT
                    && to != from
                    && self.tree.parent(to) != Some(from)
                    && self.tree.parent(from) != Some(to)
            };
            if !self.tree.reaches(to) || (rewires && is_shortcut()) {
                self.enqueue(from, to);
            }
        }
        self.neighbours = neighbours;
    }

    /// Puts an edge into the queue, if it can be of use.
    fn enqueue(&mut self, from: u32, to: u32) {
        let (a, b) = (&self.nodes[from as usize], &self.nodes[to as usize]);
        if a.blocked.contains(&to) || a.waiting.contains(&to) {
            return;
        }
        let space = self.run.checker.space();
        let step = space.distance(self.tree.at(from), self.tree.at(to));
        if a.from_start + step + b.to_goal <= self.solution()
            && a.from_start + step <= self.tree.cost(to)
        {
            self.nodes[from as usize].waiting.push(to);
            self.push(from, to);
        }
    }

    fn push(&mut self, from: u32, to: u32) {
        let space = self.run.checker.space();
        let before = self.tree.cost(from);
        let cost = before + space.distance(self.tree.at(from), self.tree.at(to));
        let key = [cost + self.nodes[to as usize].to_goal, cost, before];
        self.queue.push(Reverse(Waiting { key, from, to }));
    }

    /// Expands nodes again whose way became shorter after they had been expanded in this search.
    fn look_again(&mut self) {
        for node in std::mem::take(&mut self.inconsistent) {
            self.expand(node);
        }
        self.is_second_look = true;
        self.is_exhausted = false;
    }

    /// Prunes, and begins to draw the next batch.
    fn begin_batch(&mut self) {
        let dimension = self.run.checker.space().dimension() as f64;
        let recycled = self.prune();
        let mut count = self.tree.near.count() - recycled;
        if count == 1 + self.run.goals.len() {
            // Start and goals alone: count the configurations that will be there.
            count += self.options.batch;
        }
        let e = std::f64::consts::E;
        let neighbours_a_log = self.options.rewire_factor * (e + e / dimension);
        self.neighbour_count = (neighbours_a_log * libm::log(count as f64)).ceil() as usize;
        self.queue.clear();
        for node in &mut self.nodes {
            node.waiting.clear();
        }
        self.search += 1;
        self.is_second_look = false;
        self.is_exhausted = false;
        let wanted = self.samples + self.options.batch as u64;
        self.phase = Phase::Sampling {
            wanted,
            draws_left: DRAWS_A_SAMPLE * wanted,
        };
    }

    /// Removes what cannot be part of a better path, and cuts off branches that cannot as they are.
    /// Gives how many of these can still be used as fresh configurations.
    fn prune(&mut self) -> usize {
        let longest = self.solution();
        if longest.is_infinite() {
            return 0;
        }
        let is_useless = |node: &Node| node.shortest_through() >= longest;
        let present = self.nodes.iter().filter(|node| !node.is_gone);
        let useless = present.filter(|node| is_useless(node)).count();
        if (useless as f64) < PRUNE_SHARE * self.tree.near.count() as f64 {
            return 0;
        }
        let mut is_on_path = vec![false; self.nodes.len()];
        for id in self.tree.ancestry(self.nearest_goal()) {
            is_on_path[id as usize] = true;
        }
        let mut is_cut = vec![false; self.nodes.len()];
        for id in self.tree.downwards() {
            let behind_cut = self.tree.parent(id).is_some_and(|p| is_cut[p as usize]);
            let least = self.tree.cost(id) + self.nodes[id as usize].to_goal;
            is_cut[id as usize] = behind_cut || (least > longest && !is_on_path[id as usize]);
        }
        let mut recycled = 0;
        self.tree.near.clear();
        for id in 0..self.nodes.len() as u32 {
            let node = &mut self.nodes[id as usize];
            if node.is_gone {
                continue;
            }
            if is_cut[id as usize] {
                self.tree.detach(id);
            }
            if !self.tree.reaches(id) {
                node.is_gone = is_useless(node);
                recycled += usize::from(is_cut[id as usize] && !node.is_gone);
            }
            if !node.is_gone {
                self.tree.put_back(id);
            }
        }
        self.inconsistent.clear();
        recycled
    }

    /// Draws one configuration of a batch.
    fn sample(&mut self, wanted: u64, draws_left: u64) -> Result<Event, W::Error> {
        let longest = self.solution();
        let Run {
            checker, random, ..
        } = &mut self.run;
        let space = checker.space();
        let drawn = &mut self.drawn;
        let found = self
            .informed
            .draw(space, random, longest, DRAW_ATTEMPTS, drawn);
        let asked = checker.configurations();
        let free = found && checker.is_free(drawn)?;
        self.run.draws += 1;
        self.phase = Phase::Sampling { wanted, draws_left };
        if free {
            self.samples += 1;
            let q = std::mem::take(&mut self.drawn);
            self.add(&q);
            self.drawn = q;
        }
        Ok(if found {
            self.run.probed(free, asked)
        } else {
            self.run.event(EventKind::NoImprovement)
        })
    }
}

faces!(BitStar);

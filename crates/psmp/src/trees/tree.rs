//! A tree of motions from the start, with the length of the way to each node kept up to date; or several
//! trees, from several places.
//!
//! Nodes may be loose, which is to say not yet reached by the tree: their way is infinitely long.

use crate::Space;
use crate::near::{Found, Near};
use crate::waypoints::Waypoints;

/// The first node, where the tree begins.
pub(crate) const ROOT: u32 = 0;

/// No node.
const NONE: u32 = u32::MAX;

/// How closely a motion that is free was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Look {
    /// At a few configurations far apart.
    Coarse,
    /// At all configurations that are asked about.
    Whole,
    /// It was proved free all along.
    Proved,
}

/// Who a node's parent is, and all that follows from it.
#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    first_child: u32,
    next_sibling: u32,
    /// How closely the motion from the parent was looked at.
    look: Look,
    /// The length of that motion.
    step: f64,
    /// The length of the way from the start.
    cost: f64,
}

impl Node {
    const LOOSE: Node = Node {
        parent: NONE,
        first_child: NONE,
        next_sibling: NONE,
        look: Look::Whole,
        step: 0.0,
        cost: f64::INFINITY,
    };
}

/// A tree begins with room for so many nodes: most of those that find a path soon have no more.
const FEW: usize = 64;

#[derive(Debug)]
pub(crate) struct Tree {
    dimension: usize,
    coordinates: Vec<f64>,
    nodes: Vec<Node>,
    /// All nodes, loose ones included, until one is taken out.
    pub near: Near,
    stack: Vec<u32>,
}

impl Tree {
    pub fn new(space: &Space, root: &[f64]) -> Self {
        let mut tree = Self {
            dimension: space.dimension(),
            coordinates: Vec::with_capacity(FEW * space.dimension()),
            nodes: Vec::with_capacity(FEW),
            near: Near::new(space),
            stack: Vec::new(),
        };
        tree.add_root(root);
        tree
    }

    /// Adds a node where another tree begins.
    pub fn add_root(&mut self, root: &[f64]) -> u32 {
        let id = self.add_loose(root);
        self.nodes[id as usize].cost = 0.0;
        self.mark(id, Look::Proved);
        id
    }

    pub fn at(&self, id: u32) -> &[f64] {
        let d = self.dimension;
        &self.coordinates[id as usize * d..(id as usize + 1) * d]
    }

    /// How many nodes there have ever been.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The length of the way from the start; infinite for a loose node.
    pub fn cost(&self, id: u32) -> f64 {
        self.nodes[id as usize].cost
    }

    pub fn parent(&self, id: u32) -> Option<u32> {
        Some(self.nodes[id as usize].parent).filter(|&parent| parent != NONE)
    }

    /// Whether the tree reaches the node.
    pub fn reaches(&self, id: u32) -> bool {
        self.nodes[id as usize].cost.is_finite()
    }

    pub fn children(&self, id: u32) -> impl Iterator<Item = u32> {
        let some = |id: u32| Some(id).filter(|&id| id != NONE);
        std::iter::successors(some(self.nodes[id as usize].first_child), move |&child| {
            some(self.nodes[child as usize].next_sibling)
        })
    }

    /// The node and those on its way from the start, backwards.
    pub fn ancestry(&self, id: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(id), |&id| self.parent(id))
    }

    pub fn add_loose(&mut self, q: &[f64]) -> u32 {
        let id = self.nodes.len() as u32;
        self.coordinates.extend_from_slice(q);
        self.nodes.push(Node::LOOSE);
        self.near.insert(id, q);
        id
    }

    /// Adds a node behind its parent, however long the way is.
    pub fn add(&mut self, q: &[f64], parent: u32) -> u32 {
        let id = self.add_loose(q);
        self.attach(id, parent, 0.0, |_| ());
        id
    }

    /// Lets a node that was taken out be found again.
    pub fn put_back(&mut self, id: u32) {
        let d = self.dimension;
        let q = &self.coordinates[id as usize * d..(id as usize + 1) * d];
        self.near.insert(id, q);
    }

    /// The `k` nodes nearest to this one, itself included.
    pub fn neighbours_of(&mut self, id: u32, k: usize, nearest: &mut Vec<Found>) {
        let d = self.dimension;
        let q = &self.coordinates[id as usize * d..(id as usize + 1) * d];
        self.near.k_nearest(q, k, nearest);
    }

    /// Lets the way to a node come from this parent, by a motion of this length. The ways to all
    /// nodes behind it follow; `changed` hears of each.
    pub fn attach(&mut self, id: u32, parent: u32, step: f64, mut changed: impl FnMut(u32)) {
        self.unlink(id);
        let next_sibling = std::mem::replace(&mut self.nodes[parent as usize].first_child, id);
        let node = &mut self.nodes[id as usize];
        (node.parent, node.next_sibling) = (parent, next_sibling);
        (node.step, node.look) = (step, Look::Whole);
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push(id);
        while let Some(node) = stack.pop() {
            let Node { parent, step, .. } = self.nodes[node as usize];
            self.nodes[node as usize].cost = self.cost(parent) + step;
            changed(node);
            stack.extend(self.children(node));
        }
        self.stack = stack;
    }

    /// Makes a node loose. What is behind it must be made so too.
    pub fn detach(&mut self, id: u32) {
        self.unlink(id);
        let node = &mut self.nodes[id as usize];
        (node.parent, node.cost) = (NONE, f64::INFINITY);
    }

    /// The first node on the way to this one, counted backwards, whose motion from its parent has not
    /// been proved; and the parent.
    pub fn first_unproved(&self, id: u32) -> Option<[u32; 2]> {
        let unproved = self.ancestry(id).find(|&n| !self.is_proved(n))?;
        // Nothing leads to where the tree begins.
        Some([self.parent(unproved)?, unproved])
    }

    /// Whether the motion from its parent has been proved free all along.
    pub fn is_proved(&self, id: u32) -> bool {
        self.look(id) == Look::Proved
    }

    /// How closely the motion from its parent was looked at.
    pub fn look(&self, id: u32) -> Look {
        self.nodes[id as usize].look
    }

    /// The motion from its parent was looked at so closely.
    pub fn mark(&mut self, id: u32, look: Look) {
        self.nodes[id as usize].look = look;
    }

    /// Makes a node and all behind it loose; gives them.
    pub fn cut(&mut self, id: u32) -> Vec<u32> {
        let mut cut = vec![id];
        let mut next = 0;
        while let Some(&node) = cut.get(next) {
            next += 1;
            cut.extend(self.children(node));
        }
        for &node in cut.iter().rev() {
            self.detach(node);
        }
        cut
    }

    /// Cuts off a node and all behind it, so that they are not found any more.
    pub fn cut_off(&mut self, id: u32) {
        self.cut(id);
        self.near.clear();
        for node in 0..self.count() as u32 {
            if self.reaches(node) {
                self.put_back(node);
            }
        }
    }

    /// Takes a node out of its parent's children.
    fn unlink(&mut self, id: u32) {
        let Some(parent) = self.parent(id) else {
            return;
        };
        let next = self.nodes[id as usize].next_sibling;
        let before = self
            .children(parent)
            .find(|&child| self.nodes[child as usize].next_sibling == id);
        match before {
            Some(before) => self.nodes[before as usize].next_sibling = next,
            None => self.nodes[parent as usize].first_child = next,
        }
    }

    /// The nodes that the tree reaches, parents before their children.
    pub fn downwards(&self) -> Vec<u32> {
        let mut order = vec![ROOT];
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            order.extend(self.children(node));
        }
        order
    }

    /// The tree with only the nodes that are to be kept, and those on the way to one, under new ids.
    /// Gives the new id of each, and nothing for one that is gone.
    pub fn prune(
        &mut self,
        space: &Space,
        is_kept: impl Fn(u32, &[f64]) -> bool,
    ) -> Vec<Option<u32>> {
        let order = self.downwards();
        let mut kept = vec![false; self.count()];
        for &node in order.iter().rev() {
            if kept[node as usize] || is_kept(node, self.at(node)) {
                kept[node as usize] = true;
                if let Some(parent) = self.parent(node) {
                    kept[parent as usize] = true;
                }
            }
        }
        let mut pruned = Tree::new(space, self.at(ROOT));
        let mut new_ids = vec![None; self.count()];
        new_ids[ROOT as usize] = Some(ROOT);
        for &node in order.iter().filter(|node| kept[**node as usize]) {
            let parent = self.parent(node).and_then(|p| new_ids[p as usize]);
            if let Some(parent) = parent {
                let id = pruned.add_loose(self.at(node));
                let step = self.nodes[node as usize].step;
                pruned.attach(id, parent, step, |_| ());
                pruned.mark(id, self.look(node));
                new_ids[node as usize] = Some(id);
            }
        }
        *self = pruned;
        new_ids
    }

    /// The path from the start to a node that the tree reaches.
    pub fn path_to(&self, space: &Space, node: u32) -> Waypoints {
        let mut nodes: Vec<u32> = self.ancestry(node).collect();
        nodes.reverse();
        let coordinates = nodes.iter().flat_map(|&id| self.at(id)).copied().collect();
        Waypoints::new(space, coordinates)
    }
}

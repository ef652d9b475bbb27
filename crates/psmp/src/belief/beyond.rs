//! Motions that no table knows: around any belief that was learned from a collision table.
//!
//! Roadmaps grow. Edges that join a new start or goal, or that were added while planning, are in no
//! table, but they are not strangers: known edges lie near them, and checks were made near them. Both
//! are turned into a *hazard*, obstacles met per length. A known edge of length `l` that is free with
//! probability `p` has the hazard `-ln p / l`; the mean over those nearest, as the belief sees them
//! now, is carried over to the new edge. There it takes the place of the rate that the [local
//! belief](super::Local) would have to guess: near what was seen free it is lowered, and near what was
//! seen blocked the edge is blocked. How far known edges can be trusted is not known beforehand. So
//! there are several experts, who choose known edges in one way or another and take more or less of
//! their hazard, and the local belief alone; each is weighted by how well it has predicted the checks
//! of new edges so far. The first weights are learned from known worlds that are held out.
//!
//! In a drawn world a new edge goes along with the known edge nearest to it: both are decided by one
//! random number, so that they are alike as often as their probabilities allow, and each is free as
//! often as it is believed to be.

use super::{Belief, Evidence, Local, SoftSet, SoftSetModel, held_out};
use crate::belief::surroundings::ends;
use crate::checker::Sightings;
use crate::near::{Found, Near};
use crate::random::Draw;
use crate::roadmap::{EdgeId, Roadmap, VertexId};
use crate::space::Space;
use crate::table::Experience;

/// Ways to choose known edges near a new one: those that lie as it does, end by end; and those that
/// pass nearest to each part of it.
const READINGS: usize = 2;
/// Known edges that a hazard is taken from.
const NEAREST: usize = 8;
/// Parts that a new edge is divided into, each with as many known edges.
const PARTS: usize = 4;
/// Vertices near a point whose edges are looked at.
const VERTICES: usize = 4;
/// What a hazard is multiplied by. Known edges meet obstacles that the new one may pass beside.
const FACTORS: [f64; 3] = [0.25, 0.5, 1.0];
/// Each reading with each factor, and last the local belief alone.
const EXPERTS: usize = READINGS * FACTORS.len() + 1;
/// No known edge counts as more certain than this.
const CERTAIN: f64 = 0.01;
/// How far an expert's word is kept away from certainty.
const DOUBT: f64 = 0.005;
/// The first weights count as if so many checks had been predicted as well as those in worlds held out.
const FIRST_CHECKS: f64 = 8.0;
/// Worlds that are held out for the first weights, at most.
const HELD_OUT: usize = 16;
/// Purposes from here on are for new edges in a drawn world.
const TOGETHER: u64 = 1 << 48;

/// What each expert weighs to begin with, as logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstWeights([f64; EXPERTS]);

impl Default for FirstWeights {
    /// Where nothing can be held out, known edges together weigh as much as the local belief alone.
    fn default() -> Self {
        let mut weights = [0.0; EXPERTS];
        weights[EXPERTS - 1] = ((EXPERTS - 1) as f64).ln();
        Self(weights)
    }
}

/// A known edge near a new one, and how much it counts.
#[derive(Debug, Clone, Copy, Default)]
struct Neighbour {
    edge: u32,
    weight: f32,
}

/// The known edges that each reading takes the hazard of a new edge from.
type Neighbours = [[Neighbour; NEAREST]; READINGS];

/// The probability by each expert.
type Opinions = [f64; EXPERTS];

/// A new edge.
#[derive(Debug, Clone)]
struct NewEdge {
    neighbours: Neighbours,
    /// The hazard of each reading, and how many checks of known edges it rests on.
    hazards: [Option<f64>; READINGS],
    known_checks: Option<u32>,
    /// What was thought of it before anything was seen of it.
    predicted: Option<Opinions>,
    /// The answer, and how many checks it rests on.
    probability: f64,
    checks: Option<u32>,
}

/// Finds the known edges near a motion.
#[derive(Debug, Clone)]
struct Neighbourhood {
    /// Vertices of known edges.
    near: Near,
    known: usize,
    found: Vec<Found>,
    candidates: Vec<u32>,
    point: Vec<f64>,
}

impl Neighbourhood {
    fn new(roadmap: &Roadmap, space: &Space, known: usize) -> Self {
        let mut near = Near::new(space);
        let mut is_end = vec![false; roadmap.vertex_count()];
        for edge in roadmap.edges().take(known) {
            for end in [edge.from, edge.to] {
                is_end[end.index()] = true;
            }
        }
        for vertex in roadmap.vertices().filter(|v| is_end[v.index()]) {
            if let Some(q) = roadmap.configuration(vertex) {
                near.insert(vertex.0, q);
            }
        }
        Self {
            near,
            known,
            found: Vec::with_capacity(VERTICES + 1),
            candidates: Vec::new(),
            point: vec![0.0; space.dimension()],
        }
    }

    /// The known edges near an edge, without the edge itself.
    fn of(&mut self, roadmap: &Roadmap, edge: EdgeId) -> Neighbours {
        let (space, a, b) = ends(roadmap, edge);
        let mut neighbours = Neighbours::default();
        let [alike, passing] = &mut neighbours;
        let mut nearest = [(f64::INFINITY, 0); NEAREST];
        self.candidates.clear();
        for part in 0..PARTS {
            space.interpolate(a, b, (part as f64 + 0.5) / PARTS as f64, &mut self.point);
            let begin = self.candidates.len();
            self.near.k_nearest(&self.point, VERTICES, &mut self.found);
            let mut passed = [(f64::INFINITY, 0); NEAREST / PARTS];
            for place in 0..self.found.len() {
                for arc in roadmap.outgoing(VertexId(self.found[place].id)) {
                    let other = arc.edge;
                    let seen = self.candidates[begin..].contains(&other.0);
                    if other.index() >= self.known || other == edge || seen {
                        continue;
                    }
                    let (_, c, d) = ends(roadmap, other);
                    keep(
                        &mut passed,
                        squared_distance(space, &self.point, c, d),
                        other.0,
                    );
                    if !self.candidates[..begin].contains(&other.0) {
                        keep(&mut nearest, apart(space, [a, b], [c, d]), other.0);
                    }
                    self.candidates.push(other.0);
                }
            }
            weigh(
                &passed,
                &mut passing[part * passed.len()..(part + 1) * passed.len()],
            );
        }
        weigh(&nearest, alike);
        neighbours
    }
}

/// Keeps an edge if it is among the nearest.
fn keep(nearest: &mut [(f64, u32)], distance: f64, edge: u32) {
    let place = nearest.partition_point(|kept| kept.0 <= distance);
    if place < nearest.len() {
        nearest[place..].rotate_right(1);
        nearest[place] = (distance, edge);
    }
}

/// Of two motions, the mean squared distance of their ends, whichever way each goes.
fn apart(space: &Space, [a, b]: [&[f64]; 2], [c, d]: [&[f64]; 2]) -> f64 {
    let squared = |p: &[f64], q: &[f64]| space.distance(p, q).powi(2);
    let straight = squared(a, c) + squared(b, d);
    let crossed = squared(a, d) + squared(b, c);
    0.5 * straight.min(crossed)
}

/// The squared distance of a point from a motion, by the sides of their triangle.
fn squared_distance(space: &Space, point: &[f64], c: &[f64], d: &[f64]) -> f64 {
    let squared = |p: &[f64], q: &[f64]| space.distance(p, q).powi(2);
    let (from_c, from_d, side) = (squared(point, c), squared(point, d), squared(c, d));
    if side <= 0.0 {
        return from_c;
    }
    let along = ((from_c - from_d + side) / (2.0 * side)).clamp(0.0, 1.0);
    let squared = from_c - along * (from_c - from_d + side) + along * along * side;
    squared.max(0.0)
}

/// Weights by squared distance: one as near as the nearest counts in full, one twice as far away a
/// sixteenth of that.
fn weigh(nearest: &[(f64, u32)], neighbours: &mut [Neighbour]) {
    let least = nearest[0].0;
    for (neighbour, &(distance, edge)) in neighbours.iter_mut().zip(nearest) {
        let weight = if distance.is_finite() {
            ((least + f64::MIN_POSITIVE) / (distance + f64::MIN_POSITIVE)).powi(2)
        } else {
            0.0
        };
        *neighbour = Neighbour {
            edge,
            weight: weight as f32,
        };
    }
}

/// The mean hazard of known edges, of which `p` says how likely each is free; none if there are none.
fn hazard(
    roadmap: &Roadmap,
    neighbours: &[Neighbour; NEAREST],
    mut p: impl FnMut(EdgeId) -> f64,
) -> Option<f64> {
    // What is met, and how long the way was.
    let (mut met, mut way) = (0.0, 0.0);
    for neighbour in neighbours.iter().filter(|n| n.weight > 0.0) {
        let edge = EdgeId(neighbour.edge);
        let weight = f64::from(neighbour.weight);
        met -= weight * p(edge).clamp(CERTAIN, 1.0 - CERTAIN).ln();
        way += weight * roadmap.edge(edge).length;
    }
    (way > 0.0).then(|| met / way)
}

/// What each expert says of an edge.
fn opinions(local: &mut Local, edge: EdgeId, hazards: &[Option<f64>; READINGS]) -> Opinions {
    let alone = local.probability_free(edge);
    let mut opinions = [alone; EXPERTS];
    for (opinions, hazard) in opinions.chunks_exact_mut(FACTORS.len()).zip(hazards) {
        if let Some(hazard) = hazard {
            for (opinion, factor) in opinions.iter_mut().zip(FACTORS) {
                *opinion = local.probability_at_rate(edge, factor * hazard);
            }
        }
    }
    opinions.map(|p| p.clamp(DOUBT, 1.0 - DOUBT))
}

impl FirstWeights {
    /// How well each expert would have predicted edges of worlds that are held out, had they been new.
    /// It is a matter of the roadmap and its worlds, and hardly of the belief: the soft set, which
    /// forgets a world at no cost, stands for all of them.
    #[must_use]
    pub fn learn(roadmap: &Roadmap, experience: &Experience, model: SoftSetModel) -> Self {
        let table = experience.table();
        let left_out = held_out::left_out(experience.worlds());
        let every = left_out.len().div_ceil(HELD_OUT).max(1);
        let (Some(space), Ok(local)) = (roadmap.space(), Local::new(roadmap)) else {
            return Self::default();
        };
        let mut neighbourhood = Neighbourhood::new(roadmap, space, table.edge_count());
        let nothing_seen = Sightings::default();
        let mut checks = Vec::new();
        let (mut sums, mut count) = ([0.0; EXPERTS], 0u32);
        for (index, &world) in left_out.iter().step_by(every).enumerate() {
            held_out::checks_in(table, world, index, &mut checks);
            let mut soft = SoftSet::new(experience.as_if_in(world), model);
            let mut local = local.clone();
            for (place, &edge) in checks.iter().enumerate() {
                let free = table.is_free(world, edge);
                let evidence = Evidence::of(edge, free, &nothing_seen);
                // Every other edge counts as new: only what looks around hears of it.
                if place % 2 == 0 {
                    let neighbours = neighbourhood.of(roadmap, edge);
                    let hazards = neighbours
                        .map(|reading| hazard(roadmap, &reading, |e| soft.probability_free(e)));
                    let opinions = opinions(&mut local, edge, &hazards);
                    for (sum, p) in sums.iter_mut().zip(opinions) {
                        *sum += if free { p } else { 1.0 - p }.ln();
                    }
                    count += 1;
                } else {
                    soft.observe(evidence);
                }
                local.observe(evidence);
            }
        }
        if count == 0 {
            return Self::default();
        }
        Self(sums.map(|sum| FIRST_CHECKS * sum / f64::from(count)))
    }
}

/// All that is kept of new edges.
#[derive(Debug, Clone)]
struct New {
    /// Where the belief itself does not look around.
    local: Option<Local>,
    neighbourhood: Neighbourhood,
    /// By their ids, less the number of known ones.
    edges: Vec<Option<NewEdge>>,
    /// What was found of each known edge.
    verdicts: Vec<Option<bool>>,
    log_weights: [f64; EXPERTS],
    shares: [f64; EXPERTS],
    checks: u32,
    known_checks: u32,
}

impl New {
    fn weigh(&mut self) {
        let most = self.log_weights.iter().copied().fold(f64::MIN, f64::max);
        self.shares = self.log_weights.map(|weight| (weight - most).exp());
        let sum: f64 = self.shares.iter().sum();
        for share in &mut self.shares {
            *share /= sum;
        }
    }
}

/// A belief about the edges of a table that knows what is likely of others near them.
#[derive(Debug, Clone)]
pub struct Beyond<B> {
    belief: B,
    roadmap: Roadmap,
    /// Edges from here on are beyond the table.
    known: usize,
    new: Option<Box<New>>,
    draw: Draw,
    /// The known edges of a path.
    together: Vec<EdgeId>,
}

impl<B: Belief> Beyond<B> {
    /// A belief about the first `known` edges of a roadmap. Where the roadmap has no configurations,
    /// nothing is known of others.
    #[must_use]
    pub fn new(
        belief: B,
        roadmap: &Roadmap,
        known: usize,
        first: impl FnOnce() -> FirstWeights,
    ) -> Self {
        let mut beyond = Self {
            belief,
            roadmap: roadmap.clone(),
            known,
            new: None,
            draw: Draw::new(0, 0),
            together: Vec::new(),
        };
        if roadmap.edge_count() > known {
            beyond.prepare(first);
        }
        beyond
    }

    /// Makes all that new edges need.
    fn prepare(&mut self, first: impl FnOnce() -> FirstWeights) {
        let Some(space) = self.roadmap.space() else {
            return;
        };
        let local = match self.belief.local() {
            Some(_) => None,
            None => match Local::new(&self.roadmap) {
                Ok(local) => Some(local),
                Err(_) => return,
            },
        };
        let mut new = Box::new(New {
            local,
            neighbourhood: Neighbourhood::new(&self.roadmap, space, self.known),
            edges: vec![None; self.roadmap.edge_count() - self.known],
            verdicts: vec![None; self.known],
            log_weights: first().0,
            shares: [0.0; EXPERTS],
            checks: 0,
            known_checks: 0,
        });
        new.weigh();
        self.new = Some(new);
        self.together.reserve(self.roadmap.vertex_count());
    }

    /// The belief about the edges of the table.
    pub fn inner(&self) -> &B {
        &self.belief
    }

    #[inline]
    fn is_known(&self, edge: EdgeId) -> bool {
        edge.index() < self.known
    }

    /// What each expert says of a new edge now.
    fn opinions(&mut self, edge: EdgeId) -> Option<Opinions> {
        let new = self.new.as_deref_mut()?;
        let entry = new.edges[edge.index() - self.known].get_or_insert_with(|| NewEdge {
            neighbours: new.neighbourhood.of(&self.roadmap, edge),
            hazards: [None; READINGS],
            known_checks: None,
            predicted: None,
            probability: 0.0,
            checks: None,
        });
        if entry.known_checks != Some(new.known_checks) {
            let (belief, verdicts) = (&mut self.belief, &new.verdicts);
            for (hazard_of, reading) in entry.hazards.iter_mut().zip(&entry.neighbours) {
                *hazard_of = hazard(&self.roadmap, reading, |e| match verdicts[e.index()] {
                    Some(free) => f64::from(u8::from(free)),
                    None => belief.probability_free(e),
                });
            }
            entry.known_checks = Some(new.known_checks);
        }
        let local = match &mut new.local {
            Some(local) => local,
            None => self.belief.local()?,
        };
        Some(opinions(local, edge, &entry.hazards))
    }

    /// The probability that a new edge is free.
    fn probability_beyond(&mut self, edge: EdgeId) -> f64 {
        if let Some(new) = &self.new
            && let Some(Some(entry)) = new.edges.get(edge.index() - self.known)
            && entry.checks == Some(new.checks)
        {
            return entry.probability;
        }
        let opinions = self.opinions(edge);
        let (Some(opinions), Some(new)) = (opinions, &mut self.new) else {
            return 0.5;
        };
        let p = opinions.iter().zip(new.shares);
        let p = p.map(|(p, share)| p * share).sum();
        if let Some(entry) = &mut new.edges[edge.index() - self.known] {
            entry.probability = p;
            entry.checks = Some(new.checks);
        }
        p
    }

    /// Weighs the experts by what a check of a new edge has shown.
    fn judge(&mut self, evidence: Evidence<'_>) {
        let Some(now) = self.opinions(evidence.edge) else {
            return;
        };
        let (Some(new), place) = (&mut self.new, evidence.edge.index() - self.known) else {
            return;
        };
        let Some(entry) = &mut new.edges[place] else {
            return;
        };
        let predicted = entry.predicted.get_or_insert(now);
        for (weight, &p) in new.log_weights.iter_mut().zip(&*predicted) {
            let likelihood = evidence.now.mean(p) / evidence.before.mean(p);
            *weight += likelihood.ln();
        }
        new.weigh();
    }
}

impl<B: Belief> Belief for Beyond<B> {
    #[inline]
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        match self.is_known(edge) {
            true => self.belief.probability_free(edge),
            false => self.probability_beyond(edge),
        }
    }

    fn probability_all_free(&mut self, edges: &[EdgeId]) -> f64 {
        if edges.iter().all(|&e| self.is_known(e)) {
            return self.belief.probability_all_free(edges);
        }
        let mut together = std::mem::take(&mut self.together);
        together.clear();
        let mut alone = 1.0;
        for &edge in edges {
            match self.is_known(edge) {
                true => together.push(edge),
                false => alone *= self.probability_beyond(edge),
            }
        }
        if !together.is_empty() {
            alone *= self.belief.probability_all_free(&together);
        }
        self.together = together;
        alone
    }

    fn draw(&mut self, draw: Draw) -> bool {
        self.draw = draw;
        self.belief.draw(draw)
    }

    #[inline]
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        if self.is_known(edge) {
            return self.belief.is_free_in_draw(edge);
        }
        let p = self.probability_beyond(edge);
        let entry = self.new.as_ref();
        let entry = entry.and_then(|new| new.edges[edge.index() - self.known].as_ref());
        let nearest = entry.map(|entry| entry.neighbours[0][0]);
        let Some(Neighbour { edge: nearest, .. }) = nearest.filter(|n| n.weight > 0.0) else {
            return self.draw.unit(TOGETHER + u64::from(edge.0)) < p;
        };
        // A number that is uniform, and below the known edge's probability where that is free.
        let unit = self.draw.unit(TOGETHER + u64::from(nearest));
        let nearest = EdgeId(nearest);
        let of_nearest = self.belief.probability_free(nearest);
        let unit = match self.belief.is_free_in_draw(nearest) {
            true => unit * of_nearest,
            false => of_nearest + unit * (1.0 - of_nearest),
        };
        unit < p
    }

    fn draws_from_experience(&self) -> bool {
        self.belief.draws_from_experience()
    }

    fn has_experience(&self) -> bool {
        self.belief.has_experience()
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        let edge = evidence.edge;
        if !self.is_known(edge) {
            self.judge(evidence);
        }
        if let Some(new) = &mut self.new {
            new.checks += 1;
            if let Some(verdict) = new.verdicts.get_mut(edge.index()) {
                *verdict = evidence.verdict();
            }
            // A belief that looks around hears of new edges too.
            if edge.index() < self.known || new.local.is_none() {
                new.known_checks += 1;
            }
            if let Some(local) = &mut new.local {
                local.observe(evidence);
            }
        }
        if self.is_known(edge) || self.belief.knows(edge) {
            self.belief.observe(evidence);
        }
    }

    fn knows(&self, edge: EdgeId) -> bool {
        self.is_known(edge) || self.new.is_some()
    }

    fn learns_from(&self, edge: EdgeId, sightings: &Sightings) -> bool {
        match self.is_known(edge) {
            true => self.belief.learns_from(edge, sightings),
            false => !sightings.is_empty(),
        }
    }

    /// What new edges need is made when the first of them comes. Checks that were made before are known
    /// to the belief then, but not to what looks around, unless that is part of the belief.
    fn grow(&mut self, edges: usize) {
        self.belief.grow(edges);
        match &mut self.new {
            Some(new) => {
                if let Some(local) = &mut new.local {
                    local.grow(edges);
                }
                new.edges.resize(edges - self.known, None);
                self.together.reserve(self.roadmap.vertex_count());
            }
            None if edges > self.known => self.prepare(FirstWeights::default),
            None => {}
        }
    }

    fn sight(&mut self, sightings: &Sightings) {
        self.belief.sight(sightings);
        if let Some(new) = &mut self.new {
            new.checks += 1;
            match &mut new.local {
                Some(local) => local.sight(sightings),
                None => new.known_checks += 1,
            }
        }
    }

    fn local(&mut self) -> Option<&mut Local> {
        let own = self.new.as_mut().and_then(|new| new.local.as_mut());
        own.or_else(|| self.belief.local())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::{FiniteSet, IndependentEdges};
    use crate::checker::{BisectionChecker, Checker, Part, WorldFn};
    use crate::motion::Resolution;
    use crate::roadmap::{Connection, Growth, NewEdge as GrownEdge, halton};
    use crate::table::{CollisionTable, WorldId};

    /// A roadmap of the unit square and how many of its edges are known: those between all vertices but
    /// the last quarter.
    fn grown() -> (Roadmap, usize) {
        let space = Space::unit(2);
        let points = halton(&space, 240);
        let old = Roadmap::from_configurations(
            space.clone(),
            points[..2 * 180].to_vec(),
            Connection::Nearest(8),
        );
        let roadmap = old.unwrap();
        let known = roadmap.edge_count();
        roadmap.grow(&growth(&space, &points)).unwrap();
        (roadmap, known)
    }

    /// The last quarter of these points, each joined to its nearest.
    fn growth(space: &Space, points: &[f64]) -> Growth {
        let mut near = Near::of(space, &points[..2 * 180]);
        let mut growth = Growth {
            coordinates: points[2 * 180..].to_vec(),
            edges: Vec::new(),
        };
        let mut found = Vec::new();
        for (id, q) in (180..).zip(points[2 * 180..].chunks_exact(2)) {
            near.k_nearest(q, 8, &mut found);
            growth.edges.extend(found.iter().map(|f| GrownEdge {
                edge: crate::roadmap::Edge::new(id, f.id, f.distance),
                free: None,
                proved: false,
            }));
            near.insert(id, q);
        }
        growth
    }

    /// Worlds with a wall across, at a height that differs from world to world.
    fn wall(height: f64) -> impl Fn(&[f64]) -> bool {
        move |q: &[f64]| (q[1] - height).abs() > 0.06
    }

    fn truth(roadmap: &Roadmap, free: impl Fn(&[f64]) -> bool) -> Vec<(bool, Sightings)> {
        let resolution = Resolution::distance(0.005).unwrap();
        let mut checker = BisectionChecker::new(roadmap, resolution, WorldFn(free)).unwrap();
        let mut check = |edge| {
            let mut sightings = Sightings::new(2);
            let Ok(finding) = checker.check(Part::whole_of(edge), &mut sightings);
            (finding.free == Some(true), sightings)
        };
        roadmap.edge_ids().map(&mut check).collect()
    }

    fn experience(roadmap: &Roadmap, known: usize, heights: &[f64]) -> Experience {
        let mut table = CollisionTable::all_blocked(heights.len(), known);
        for (world, &height) in heights.iter().enumerate() {
            let of_edges = truth(roadmap, wall(height)).into_iter().take(known);
            for (edge, (free, _)) in of_edges.enumerate() {
                table.set(WorldId(world as u32), EdgeId(edge as u32), free);
            }
        }
        table.into()
    }

    /// The mean log loss of edges that were not checked, over the new ones.
    fn log_loss(belief: &mut impl Belief, truth: &[(bool, Sightings)], asked: &[EdgeId]) -> f64 {
        let loss = |&edge: &EdgeId| {
            let p = belief.probability_free(edge);
            -if truth[edge.index()].0 { p } else { 1.0 - p }.ln()
        };
        asked.iter().map(loss).sum::<f64>() / asked.len() as f64
    }

    /// Log losses of a belief from these known worlds, and of the local belief, before any check, after
    /// some of known edges, and after some of new ones.
    fn losses(heights: &[f64], height: f64) -> [[f64; 3]; 2] {
        let (roadmap, known) = grown();
        let experience = experience(&roadmap, known, heights);
        let model = SoftSetModel::learn(&experience);
        let first = || FirstWeights::learn(&roadmap, &experience, model);
        let soft = SoftSet::new(experience.clone(), model);
        let mut beyond = Beyond::new(soft, &roadmap, known, first);
        let mut local = Local::new(&roadmap).unwrap();
        let truth = truth(&roadmap, wall(height));
        let new: Vec<EdgeId> = roadmap.edge_ids().skip(known).collect();
        let (checked, asked): (Vec<EdgeId>, Vec<EdgeId>) = new.iter().partition(|e| e.0 % 8 == 0);
        let few: Vec<EdgeId> = (0..known as u32).step_by(known / 25).map(EdgeId).collect();
        let mut losses = [[0.0; 3]; 2];
        for (step, shown) in [&[][..], &few, &checked].into_iter().enumerate() {
            for &edge in shown {
                let (free, sightings) = &truth[edge.index()];
                beyond.observe(Evidence::of(edge, *free, sightings));
                local.observe(Evidence::of(edge, *free, sightings));
            }
            losses[0][step] = log_loss(&mut beyond, &truth, &asked);
            losses[1][step] = log_loss(&mut local, &truth, &asked);
        }
        losses
    }

    #[test]
    fn known_edges_tell_of_new_ones_better_than_nothing() {
        let heights: Vec<f64> = (0..60).map(|w| 0.2 + 0.6 * f64::from(w) / 60.0).collect();
        let [with, without] = losses(&heights, 0.437);
        // Where no wall ever was is known before anything is checked, and where it is after a few.
        assert!(with[0] < 0.9 * without[0], "{with:?} {without:?}");
        assert!(with[1] < 0.7 * without[1], "{with:?} {without:?}");
        assert!(with[2] < without[2], "{with:?} {without:?}");
        assert!(with[1] < with[0] && with[2] < with[1], "{with:?}");
    }

    #[test]
    fn known_worlds_that_mislead_are_given_up_for_what_is_seen() {
        // The wall was always below, and now it is above.
        let heights: Vec<f64> = (0..60).map(|w| 0.2 + 0.2 * f64::from(w) / 60.0).collect();
        let [with, without] = losses(&heights, 0.8);
        assert!(with[2] < 1.15 * without[2], "{with:?} {without:?}");
        assert!(with[2] < 0.6 * with[0], "{with:?}");
    }

    #[test]
    fn drawn_worlds_keep_the_probability_of_new_edges_and_take_known_ones_along() {
        let (roadmap, known) = grown();
        let heights: Vec<f64> = (0..60).map(|w| 0.2 + 0.6 * f64::from(w) / 60.0).collect();
        let set = FiniteSet::new(experience(&roadmap, known, &heights));
        let mut belief = Beyond::new(set, &roadmap, known, FirstWeights::default);
        let uncertain =
            |belief: &mut Beyond<_>, e: &EdgeId| (0.2..0.8).contains(&belief.probability_free(*e));
        let new = roadmap.edge_ids().skip(known);
        let edges: Vec<EdgeId> = new.filter(|e| uncertain(&mut belief, e)).take(40).collect();
        assert!(edges.len() > 10, "{}", edges.len());
        let draws = 2000;
        let mut alike = 0.0;
        let mut expected = 0.0;
        for edge in edges {
            let p = belief.probability_free(edge);
            let new = belief.new.as_ref().unwrap();
            let entry = new.edges[edge.index() - known].as_ref().unwrap();
            let nearest = EdgeId(entry.neighbours[0][0].edge);
            let of_nearest = belief.probability_free(nearest);
            let (mut free, mut same) = (0, 0);
            for index in 0..draws {
                assert!(belief.draw(Draw::new(4, index)));
                let state = belief.is_free_in_draw(edge);
                free += u32::from(state);
                same += u32::from(state == belief.is_free_in_draw(nearest));
            }
            let free = f64::from(free) / draws as f64;
            assert!((free - p).abs() < 0.05, "{free} of draws, {p} believed");
            alike += f64::from(same) / draws as f64;
            expected += p * of_nearest + (1.0 - p) * (1.0 - of_nearest);
        }
        assert!(alike > 1.3 * expected, "{alike} against {expected}");
    }

    /// Nothing is made where all edges are known, and what the belief says of them is what is said.
    #[test]
    fn it_grows_with_its_roadmap_and_is_nothing_before() {
        let space = Space::unit(2);
        let points = halton(&space, 240);
        let old = points[..2 * 180].to_vec();
        let roadmap =
            Roadmap::from_configurations(space.clone(), old, Connection::Nearest(8)).unwrap();
        let known = roadmap.edge_count();
        let each: Vec<f64> = roadmap
            .edges()
            .map(|e| {
                let q = roadmap.configuration(e.from).unwrap();
                if q[0] < 0.5 { 0.95 } else { 0.2 }
            })
            .collect();
        let inner = IndependentEdges::each(each.clone()).unwrap();
        let never = || unreachable!("there are no new edges");
        let mut belief = Beyond::new(inner, &roadmap, known, never);
        assert!(belief.new.is_none());
        roadmap.grow(&growth(&space, &points)).unwrap();
        belief.grow(roadmap.edge_count());
        for (edge, p) in each.into_iter().enumerate() {
            assert_eq!(belief.probability_free(EdgeId(edge as u32)), p);
        }
        let mut sides = [(0.0, 0.0); 2];
        for edge in roadmap.edge_ids().skip(known) {
            let p = belief.probability_free(edge);
            assert!((DOUBT..=1.0 - DOUBT).contains(&p));
            let (_, a, b) = ends(&roadmap, edge);
            let side = if a[0].max(b[0]) < 0.4 { 0 } else { 1 };
            if side == 0 || a[0].min(b[0]) > 0.6 {
                sides[side] = (sides[side].0 + p, sides[side].1 + 1.0);
            }
        }
        let [left, right] = sides.map(|(sum, count)| sum / count);
        assert!(left > right + 0.2, "{left} {right}");
        // What was seen elsewhere tells of them too.
        let edge = EdgeId(known as u32);
        let before = belief.probability_free(edge);
        let (space, a, b) = ends(&roadmap, edge);
        let mut middle = vec![0.0; 2];
        space.interpolate(a, b, 0.5, &mut middle);
        let mut sightings = Sightings::new(2);
        sightings.push(&middle, false);
        belief.sight(&sightings);
        assert!(belief.probability_free(edge) < 0.2 * before);
        let both = belief.probability_all_free(&[EdgeId(0), edge]);
        let each = [EdgeId(0), edge].map(|e| belief.probability_free(e));
        assert!((both - each[0] * each[1]).abs() < 1e-12);
    }
}

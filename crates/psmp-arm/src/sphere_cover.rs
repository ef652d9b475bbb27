//! Covering links with spheres, automatically.
//!
//! The surface of a link is cut into small triangles. A sphere that holds the three corners of a
//! triangle holds the triangle, so spheres that hold all of them cover the surface, with no
//! sampling error; points scattered inside the link are to be held too. Candidates are spheres about points inside the link that reach a given way
//! beyond its surface; of them the one that holds most of what is not yet held is taken, until all
//! is; then every sphere shrinks to what no other holds. The way beyond is the same for all links
//! of a robot: the least with which the spheres are not too many.

use crate::block::{Block, BlockPoint, LANES, load_point, splat_point, square_between};
use crate::exact::{to_parry, to_parry_pose, trimesh};
use crate::geometry::{FARTHEST, Mesh, Placed, Shape, around};
use crate::pose::{Pose, cross, minus, norm};
use crate::robot::Robot;
use crate::winding::Winding;
use fearless_simd::{Level, dispatch, f32x8};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::shape::SharedShape;
use psmp::Draw;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BinaryHeap;
use std::f64::consts::{PI, TAU};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// How many spheres a robot is covered with if nobody says otherwise.
pub const DEFAULT_SPHERES: usize = 256;

/// A sphere of a link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ball {
    /// Its middle, in the link's frame.
    pub middle: [f64; 3],
    /// Its radius.
    pub radius: f64,
}

impl Ball {
    fn holds(&self, point: [f64; 3]) -> bool {
        square(point, self.middle) <= self.radius * self.radius
    }

    fn holds_piece(&self, piece: &Piece) -> bool {
        piece.iter().all(|&corner| self.holds(corner))
    }
}

/// The spheres of one link and how much more than the link they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkCover {
    /// The spheres.
    pub balls: Vec<Ball>,
    /// The volume of the spheres' union that is outside the link, in cubic metres.
    pub excess_volume: f64,
    /// The volume of the link, in cubic metres.
    pub volume: f64,
    /// How far a sphere reaches beyond the link at most, in metres.
    pub overreach: f64,
}

/// A robot covered by spheres.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SphereModel {
    robot: String,
    links: Vec<LinkCover>,
}

impl SphereModel {
    /// Covers every link of a robot, with `budget` spheres in all, but at least one for every link
    /// that has collision geometry. Links whose geometry is spheres, as in spherised URDFs, keep
    /// theirs.
    #[must_use]
    pub fn cover(robot: &Robot, budget: usize) -> Self {
        let links = robot.links().par_iter();
        let drafts: Vec<Draft> = links.map(|l| Draft::new(&l.collision)).collect();
        let covers = fit(&drafts, budget);
        Self {
            robot: robot.name().to_owned(),
            links: drafts
                .into_par_iter()
                .zip(covers)
                .map(|(draft, balls)| draft.report(balls))
                .collect(),
        }
    }

    /// Covers that someone else made as the model of a robot, or what is wrong with them: each must
    /// hold all of its link's surface, as those made here do.
    pub(crate) fn from_covers(robot: &Robot, links: Vec<LinkCover>) -> Result<Self, String> {
        let (expected, count) = (robot.links().len(), links.len());
        if count != expected {
            return Err(format!("has {count} links, and the robot {expected}"));
        }
        let both = robot.links().par_iter().zip(&links);
        let open = both.find_map_first(|(link, cover)| {
            let covered = is_covered(&link.collision, cover);
            (!covered).then_some(&link.name)
        });
        match open {
            Some(link) => Err(format!("does not cover link `{link}`")),
            None => Ok(Self {
                robot: robot.name().to_owned(),
                links,
            }),
        }
    }

    /// The spheres of a link, in its frame.
    ///
    /// # Panics
    /// If there is no such link.
    #[must_use]
    pub fn of_link(&self, link: usize) -> &[Ball] {
        &self.links[link].balls
    }

    /// Each link's spheres and how much more than the link they are, in the robot's order.
    #[must_use]
    pub fn links(&self) -> &[LinkCover] {
        &self.links
    }

    /// How many spheres there are in all.
    #[must_use]
    pub fn count(&self) -> usize {
        self.links.iter().map(|l| l.balls.len()).sum()
    }
}

/// Covers shapes with at most `budget` spheres.
pub(crate) fn cover(shapes: &[Placed], budget: usize) -> LinkCover {
    let draft = Draft::new(shapes);
    let covers = fit(std::slice::from_ref(&draft), budget);
    draft.report(covers.into_iter().next().unwrap_or_default())
}

/// The covers with the least way beyond the surface that need at most `budget` spheres in all.
fn fit(drafts: &[Draft], budget: usize) -> Vec<Vec<Ball>> {
    // The widest spheres count as they are. Otherwise one link may take the whole budget, and once
    // all that are done have taken more, no other needs to be covered.
    let at = |beyond: f64, most: usize| -> Option<Vec<Vec<Ball>>> {
        let taken = AtomicUsize::new(0);
        let cover = |draft: &Draft| {
            if taken.load(Relaxed) > most {
                return None;
            }
            let balls = draft.balls(beyond, most);
            let before = taken.fetch_add(balls.len(), Relaxed);
            (before + balls.len() <= most).then_some(balls)
        };
        drafts.par_iter().map(cover).collect()
    };
    // With as much as the greatest extent, one sphere holds a link.
    let mut high = drafts.iter().map(|d| d.extent).fold(1e-3, f64::max);
    let mut low = 2e-3;
    let mut best = at(high, usize::MAX).unwrap_or_default();
    // Nine halvings of the interval of logarithms leave a hundredth.
    for _ in 0..9 {
        let middle = (low * high).sqrt();
        match at(middle, budget) {
            Some(covers) => {
                best = covers;
                high = middle;
            }
            None => low = middle,
        }
    }
    best
}

/// A ball around balls.
pub(crate) fn enclosing_ball(balls: &[Ball]) -> Ball {
    let Some(first) = balls.first() else {
        return Ball {
            middle: [0.0; 3],
            radius: 0.0,
        };
    };
    let mut middle = first.middle;
    let reach = |from: [f64; 3], b: &Ball| norm(minus(b.middle, from)) + b.radius;
    for step in 1..400 {
        let farthest = balls
            .iter()
            .max_by(|a, b| reach(middle, a).total_cmp(&reach(middle, b)));
        let Some(b) = farthest else { break };
        // Towards its farthest point.
        let way = minus(b.middle, middle);
        let length = norm(way).max(1e-12);
        let far = [0, 1, 2].map(|i| b.middle[i] + way[i] / length * b.radius);
        let share = 1.0 / (f64::from(step) + 1.0);
        middle = [0, 1, 2].map(|i| middle[i] + (far[i] - middle[i]) * share);
    }
    let radius = balls.iter().map(|b| reach(middle, b)).fold(0.0, f64::max);
    Ball { middle, radius }
}

/// A small triangle, or a point inside given three times.
type Piece = [[f64; 3]; 3];

/// How many pieces a word of bits has.
const WORD: usize = LANES * LANES;

/// The pieces in single precision, eight side by side, which is enough to tell for nearly all of them
/// whether a ball holds them. Pieces that follow each other are near each other, so of most words of
/// them a ball holds all or none, and of the others of most eights.
struct RoughPieces {
    /// The words, eight side by side, and the eights of each word.
    words: Vec<Eight>,
    eights: Vec<Eight>,
    /// The three corners of eight pieces each.
    corners: Vec<[BlockPoint<[f32; LANES]>; 3]>,
    /// More than single precision loses.
    rounding: f64,
    level: Level,
}

/// Eight bunches of pieces.
struct Eight {
    /// The middle of each.
    middles: BlockPoint<[f32; LANES]>,
    /// How far from its middle a bunch reaches at most.
    reach: f64,
}

impl Eight {
    /// These pieces in bunches of this size.
    fn new(pieces: &[Piece], size: usize) -> Self {
        // Where there is no bunch, nothing is near.
        let mut eight = Self {
            middles: [[f32::INFINITY; LANES]; 3],
            reach: 0.0,
        };
        for (place, bunch) in pieces.chunks(size).enumerate() {
            let (low, high) = around(bunch.iter().flatten().copied(), 0.0);
            let middle = [0, 1, 2].map(|i| low[i].midpoint(high[i]));
            let squares = bunch.iter().flatten().map(|&v| square(v, middle));
            eight.reach = eight.reach.max(squares.fold(0.0, f64::max).sqrt());
            for (lanes, at) in eight.middles.iter_mut().zip(middle) {
                lanes[place] = at as f32;
            }
        }
        eight
    }

    /// A bit for each bunch that a ball holds, and one for each of the others that it meets.
    #[inline(always)]
    fn meet<B: Block<Store = [f32; LANES]>>(
        &self,
        token: B::Token,
        middle: [B; 3],
        radius: f64,
        rounding: f64,
    ) -> (u8, u8) {
        let reach = self.reach + rounding;
        let apart = square_between(load_point::<B>(token, &self.middles), middle);
        let whole = match radius > reach {
            true => apart.within((radius - reach).powi(2) as f32),
            false => 0,
        };
        (
            whole,
            apart.within((radius + reach).powi(2) as f32) & !whole,
        )
    }
}

impl RoughPieces {
    fn new(pieces: &[Piece]) -> Self {
        // Where there is no piece, nothing is near.
        let nowhere = [[f32::INFINITY; LANES]; 3];
        let mut corners = vec![[nowhere; 3]; pieces.len().div_ceil(LANES)];
        for (place, piece) in pieces.iter().enumerate() {
            for (corner, at) in corners[place / LANES].iter_mut().zip(piece) {
                for axis in 0..3 {
                    corner[axis][place % LANES] = at[axis] as f32;
                }
            }
        }
        let farthest = pieces.iter().flatten().flatten();
        let farthest = farthest.fold(0.0_f64, |most, v| most.max(v.abs()));
        let words = pieces.chunks(WORD * LANES);
        let eights = pieces.chunks(WORD);
        Self {
            words: words.map(|p| Eight::new(p, WORD)).collect(),
            eights: eights.map(|p| Eight::new(p, LANES)).collect(),
            corners,
            rounding: (1e-6 * farthest).max(1e-5),
            level: Level::new(),
        }
    }

    /// A bit for each piece that a ball holds.
    fn held_by(&self, ball: &Ball, pieces: &[Piece]) -> Vec<u64> {
        let mut bits = vec![0; pieces.len().div_ceil(WORD)];
        let level = self.level;
        dispatch!(level, simd => self.mark_held::<f32x8<_>>(simd, ball, pieces, &mut bits));
        bits
    }

    #[inline(always)]
    fn mark_held<B: Block<Store = [f32; LANES]>>(
        &self,
        token: B::Token,
        ball: &Ball,
        pieces: &[Piece],
        bits: &mut [u64],
    ) {
        let [x, y, z] = ball.middle;
        let middle = splat_point::<B>(token, [x as f32, y as f32, z as f32]);
        let (radius, rounding) = (ball.radius, self.rounding);
        let certain = (radius - rounding).max(0.0).powi(2) as f32;
        let possible = (radius + rounding).powi(2) as f32;
        for (first, words) in self.words.iter().enumerate() {
            let (mut whole, mut partly) = words.meet(token, middle, radius, rounding);
            while whole != 0 {
                bits[first * LANES + whole.trailing_zeros() as usize] = u64::MAX;
                whole &= whole - 1;
            }
            while partly != 0 {
                let word = first * LANES + partly.trailing_zeros() as usize;
                partly &= partly - 1;
                let (mut whole, mut partly) =
                    self.eights[word].meet(token, middle, radius, rounding);
                while whole != 0 {
                    bits[word] |= 0xff << (whole.trailing_zeros() as usize * LANES);
                    whole &= whole - 1;
                }
                while partly != 0 {
                    let place = partly.trailing_zeros() as usize;
                    partly &= partly - 1;
                    let [a, b, c] = &self.corners[word * LANES + place];
                    let apart = square_between(load_point::<B>(token, a), middle)
                        .greater(square_between(load_point::<B>(token, b), middle))
                        .greater(square_between(load_point::<B>(token, c), middle));
                    let mut held = apart.within(certain);
                    let mut open = apart.within(possible) & !held;
                    while open != 0 {
                        let lane = open.trailing_zeros() as usize;
                        open &= open - 1;
                        let piece = &pieces[word * WORD + place * LANES + lane];
                        held |= u8::from(ball.holds_piece(piece)) << lane;
                    }
                    bits[word] |= u64::from(held) << (place * LANES);
                }
            }
        }
        // The last word may have room for more pieces than there are.
        if let Some(last) = bits.last_mut() {
            *last &= u64::MAX >> (WORD - 1 - (pieces.len() - 1) % WORD);
        }
    }
}

/// The places of the ones among bits.
fn ones(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    bits.iter().enumerate().flat_map(|(word, &bits)| {
        let rest = |bits: &u64| Some(bits & (bits - 1)).filter(|rest| *rest != 0);
        let all = std::iter::successors(Some(bits).filter(|bits| *bits != 0), rest);
        all.map(move |bits| word * WORD + bits.trailing_zeros() as usize)
    })
}

/// What a cover must hold.
struct Surface {
    /// Spheres of the geometry itself, which stay.
    given: Vec<Ball>,
    /// The rest of the surface, in small triangles.
    pieces: Vec<Piece>,
    /// How large the rest is.
    extent: f64,
}

impl Surface {
    fn of(shapes: &[Placed]) -> Self {
        let mut given = Vec::new();
        let mut triangles: Vec<Piece> = Vec::new();
        for placed in shapes {
            match &placed.shape {
                Shape::Sphere { radius } => given.push(Ball {
                    middle: placed.pose.translation,
                    radius: *radius,
                }),
                shape => {
                    let place = |t: Piece| t.map(|v| placed.pose.apply(v));
                    triangles.extend(triangles_around(shape).into_iter().map(place));
                }
            }
        }
        let mut pieces = Vec::new();
        let mut extent = 0.0;
        if !triangles.is_empty() {
            let (low, high) = around(triangles.iter().flatten().copied(), 0.0);
            extent = norm(minus(high, low));
        }
        // A surface that goes to and fro far more often than that of a thing would be cut into more
        // pieces than there is memory for.
        let area = |t: &Piece| 0.5 * norm(cross(minus(t[1], t[0]), minus(t[2], t[0])));
        let layers = triangles.iter().map(area).sum::<f64>() / (100.0 * extent * extent);
        let finest = extent / 26.0 * layers.max(1.0).sqrt();
        for triangle in triangles {
            subdivide(triangle, finest, &mut pieces);
        }
        Self {
            given,
            pieces,
            extent,
        }
    }
}

/// Whether a cover is one of these shapes. What it takes is in proportion to the surface, and a
/// small part of what making a cover takes.
fn is_covered(shapes: &[Placed], cover: &LinkCover) -> bool {
    let balls = &cover.balls;
    let surface = Surface::of(shapes);
    let is_length = |v: f64| (0.0..=4.0 * FARTHEST).contains(&v);
    let sound = |b: &Ball| {
        b.radius > 0.0 && is_length(b.radius) && b.middle.iter().all(|v| is_length(v.abs()))
    };
    let numbers = [cover.excess_volume, cover.volume, cover.overreach];
    if !balls.iter().all(sound) || !numbers.iter().all(|v| v.is_finite() && *v >= 0.0) {
        return false;
    }
    // Neighbours are mostly held by the same ball.
    let mut last = 0;
    let mut is_held = |piece: &Piece| {
        let holds = |ball: &Ball| ball.holds_piece(piece);
        if balls.get(last).is_some_and(holds) {
            return true;
        }
        let found = balls.iter().position(holds);
        last = found.unwrap_or(last);
        // A triangle that is a point has no surface.
        found.is_some() || (piece[0] == piece[1] && piece[1] == piece[2])
    };
    surface.given.iter().all(|ball| balls.contains(ball)) && surface.pieces.iter().all(&mut is_held)
}

/// Sorts pieces so that those that follow each other are near each other: along a curve through all
/// of the space that changes one bit of each coordinate after the other (Morton's).
fn sort_by_place(pieces: &mut [Piece]) {
    let (low, high) = around(pieces.iter().flatten().copied(), 0.0);
    let size = minus(high, low).map(|v| v.max(f64::MIN_POSITIVE));
    pieces.sort_by_cached_key(|piece| {
        let middle = |i: usize| (piece[0][i] + piece[1][i] + piece[2][i]) / 3.0;
        let cells = [0, 1, 2].map(|i| (1023.0 * (middle(i) - low[i]) / size[i]) as u32);
        let bit = |place: u32| {
            let [x, y, z] = cells.map(|cell| cell >> place & 1);
            (x << 2 | y << 1 | z) << (3 * place)
        };
        (0..10).map(bit).sum::<u32>()
    });
}

/// A link made ready for covering.
struct Draft {
    /// Spheres of the geometry itself, which stay.
    given: Vec<Ball>,
    pieces: Vec<Piece>,
    /// Points in the link and how deep inside they are.
    candidates: Vec<([f64; 3], f64)>,
    /// Points around the link, and whether each is inside.
    samples: Vec<([f64; 3], bool)>,
    /// The volume that a sample stands for.
    sample_volume: f64,
    shapes: Vec<Placed>,
    /// How large the link is.
    extent: f64,
}

impl Draft {
    fn new(shapes: &[Placed]) -> Self {
        let surface = Surface::of(shapes);
        let mut draft = Self {
            given: surface.given,
            pieces: surface.pieces,
            candidates: Vec::new(),
            samples: Vec::new(),
            sample_volume: 0.0,
            shapes: shapes.to_vec(),
            extent: surface.extent,
        };
        draft.sample();
        if draft.pieces.is_empty() {
            return draft;
        }
        // A few points inside, so that nothing small hides in a hollow between spheres.
        let open = |p: &[f64; 3]| !draft.given.iter().any(|b| b.holds(*p));
        let inside = draft
            .samples
            .iter()
            .filter(|(p, inside)| *inside && open(p));
        let inside: Vec<Piece> = inside.map(|(p, _)| [*p; 3]).collect();
        // What has no inside is covered from its surface.
        let on_surface = draft.pieces.iter().step_by(4).map(|p| (p[0], 0.0));
        let on_surface: Vec<_> = on_surface.take(400).collect();
        draft.candidates.extend(on_surface);
        draft.pieces.extend(inside);
        sort_by_place(&mut draft.pieces);
        draft
    }

    /// Scatters points around the link and finds which are inside, and how deep.
    fn sample(&mut self) {
        const SAMPLES: u64 = 8000;
        if self.shapes.is_empty() {
            return;
        }
        let corners = self.shapes.iter().flat_map(|s| {
            let (low, high) = s.shape.bounds(&s.pose);
            [low, high]
        });
        let (low, high) = around(corners, 0.0);
        let margin = 0.1 * norm(minus(high, low));
        let (low, high) = (low.map(|v| v - margin), high.map(|v| v + margin));
        let size = minus(high, low);
        self.sample_volume = size.iter().product::<f64>() / SAMPLES as f64;
        let solids = solids_of(&self.shapes);
        let open: Vec<(Winding, Pose)> = self
            .shapes
            .iter()
            .filter_map(|s| match &s.shape {
                Shape::Mesh(mesh) if !mesh.is_closed() => {
                    Some((Winding::of(mesh), s.pose.inverse()))
                }
                _ => None,
            })
            .collect();
        for index in 0..SAMPLES {
            let draw = Draw::new(1, index);
            let point = [0, 1, 2].map(|i| low[i] + size[i] * draw.unit(i as u64));
            // Of an open mesh only the surface is known to parry; winding tells its inside.
            let in_open_mesh = open
                .iter()
                .any(|(surface, back)| surface.holds(back.apply(point)));
            let depth = match (depth_in(&solids, point), in_open_mesh) {
                (depth, false) => depth,
                (depth, true) => depth.abs(),
            };
            self.samples.push((point, depth > 0.0));
            if depth > 0.0 && self.candidates.len() < 2500 {
                self.candidates.push((point, depth));
            }
        }
    }

    /// Spheres that hold the surface and reach about `beyond` beyond it; if it takes more than
    /// `most`, only some of them, but more than that.
    fn balls(&self, beyond: f64, most: usize) -> Vec<Ball> {
        let mut balls = self.given.clone();
        let candidates: Vec<Ball> = self
            .candidates
            .iter()
            .map(|&(middle, depth)| Ball {
                middle,
                radius: depth + beyond,
            })
            .collect();
        let words = self.pieces.len().div_ceil(64);
        let rough = RoughPieces::new(&self.pieces);
        let held: Vec<Vec<u64>> = candidates
            .par_iter()
            .map(|ball| rough.held_by(ball, &self.pieces))
            .collect();
        let mut left = vec![u64::MAX; words];
        if !self.pieces.len().is_multiple_of(64) {
            left[words - 1] = (1 << (self.pieces.len() % 64)) - 1;
        }
        let gain = |bits: &[u64], left: &[u64]| -> u32 {
            let words = bits.iter().zip(left);
            words.map(|(b, l)| (b & l).count_ones()).sum()
        };
        let mut chosen = Vec::new();
        // What a candidate gains only ever gets less, so an old number is a bound: one that is
        // still the greatest when it is counted anew is the greatest of all.
        let bounds = held.iter().enumerate();
        let mut bounds: BinaryHeap<(u32, usize)> =
            bounds.map(|(c, bits)| (gain(bits, &left), c)).collect();
        while let Some((_, c)) = bounds.pop() {
            let now = (gain(&held[c], &left), c);
            if bounds.peek().is_some_and(|next| *next > now) {
                bounds.push(now);
                continue;
            }
            if now.0 == 0 || chosen.len() > most {
                break;
            }
            chosen.push(candidates[c]);
            for (l, b) in left.iter_mut().zip(&held[c]) {
                *l &= !b;
            }
        }
        if chosen.len() > most {
            return chosen;
        }
        // What no candidate holds gets a sphere of its own.
        for (place, piece) in self.pieces.iter().enumerate() {
            let holds = |ball: &Ball| ball.holds_piece(piece);
            if left[place / 64] >> (place % 64) & 1 == 1 && !chosen.iter().any(holds) {
                chosen.push(ball_around(piece, piece[0], 100));
            }
        }
        shrink(&self.pieces, &rough, &mut chosen);
        balls.extend(chosen.into_iter().filter(|b| b.radius > 0.0));
        balls
    }

    /// The cover, and how much more than the link it is.
    fn report(self, balls: Vec<Ball>) -> LinkCover {
        let inside = self.samples.iter().filter(|(_, inside)| *inside).count();
        let outside = self
            .samples
            .iter()
            .filter(|(p, inside)| !inside && balls.iter().any(|b| b.holds(*p)));
        LinkCover {
            excess_volume: outside.count() as f64 * self.sample_volume,
            volume: inside as f64 * self.sample_volume,
            overreach: overreach(&balls, &self.shapes),
            balls,
        }
    }
}

/// How far the surface of the spheres is from the shapes at most.
fn overreach(balls: &[Ball], shapes: &[Placed]) -> f64 {
    let solids = solids_of(shapes);
    let mut worst = 0.0_f64;
    for (index, ball) in balls.iter().enumerate() {
        for direction in directions(200) {
            let point = [0, 1, 2].map(|i| ball.middle[i] + ball.radius * direction[i]);
            let hidden = balls.iter().enumerate();
            if hidden
                .into_iter()
                .any(|(i, b)| i != index && b.holds(point))
            {
                continue;
            }
            worst = worst.max(distance_to(&solids, point));
        }
    }
    worst
}

/// Directions spread evenly over the sphere.
fn directions(count: usize) -> impl Iterator<Item = [f64; 3]> {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    (0..count).map(move |i| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
        let out = (1.0 - z * z).sqrt();
        let angle = golden * i as f64;
        [out * angle.cos(), out * angle.sin(), z]
    })
}

fn solids_of(shapes: &[Placed]) -> Vec<(ParryPose, SharedShape)> {
    let solid = |s: &Placed| {
        let shape = match &s.shape {
            Shape::Mesh(mesh) => SharedShape::new(trimesh(mesh)),
            shape => to_parry(shape),
        };
        (to_parry_pose(&s.pose), shape)
    };
    shapes.iter().map(solid).collect()
}

/// How deep a point is inside the solids; negative outside.
fn depth_in(solids: &[(ParryPose, SharedShape)], [x, y, z]: [f64; 3]) -> f64 {
    let point = Vector::new(x, y, z);
    let depth = |(pose, shape): &(ParryPose, SharedShape)| {
        let nearest = shape.project_point(pose, point, false);
        let apart = (nearest.point - point).length();
        if nearest.is_inside { apart } else { -apart }
    };
    solids.iter().map(depth).fold(f64::NEG_INFINITY, f64::max)
}

/// How far a point is from the nearest of the solids; zero inside.
fn distance_to(solids: &[(ParryPose, SharedShape)], [x, y, z]: [f64; 3]) -> f64 {
    (-depth_in(solids, [x, y, z])).max(0.0)
}

/// Triangles whose hull contains the shape's surface: round shapes get a polygon around them.
fn triangles_around(shape: &Shape) -> Vec<Piece> {
    const SIDES: usize = 24;
    match shape {
        Shape::Box(half) => {
            let [x, y, z] = *half;
            prism(
                4,
                |i| {
                    let (sx, sy) = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)][i];
                    [sx * x, sy * y]
                },
                z,
            )
        }
        Shape::Cylinder {
            radius,
            half_height,
        } => {
            let out = radius / (PI / SIDES as f64).cos();
            prism(
                SIDES,
                |i| {
                    let angle = TAU * i as f64 / SIDES as f64;
                    [out * angle.cos(), out * angle.sin()]
                },
                *half_height,
            )
        }
        Shape::Sphere { radius } => round_ended(*radius, 0.0),
        Shape::Capsule {
            radius,
            half_height,
        } => round_ended(*radius, *half_height),
        Shape::Mesh(mesh) => mesh.corners().collect(),
        Shape::Heightfield(field) => Mesh::corners(&field.to_mesh()).collect(),
        Shape::Points(cloud) => cloud
            .points
            .iter()
            .flat_map(|p| {
                let moved = |t: Piece| t.map(|v| [0, 1, 2].map(|i| v[i] + p[i]));
                round_ended(cloud.radius, 0.0).into_iter().map(moved)
            })
            .collect(),
        Shape::HalfSpace => Vec::new(),
    }
}

fn prism(sides: usize, corner: impl Fn(usize) -> [f64; 2], half_height: f64) -> Vec<Piece> {
    let at = |i: usize, z: f64| {
        let [x, y] = corner(i % sides);
        [x, y, z]
    };
    (0..sides)
        .flat_map(|i| {
            let (low, high) = (-half_height, half_height);
            [
                [at(i, low), at(i + 1, low), at(i + 1, high)],
                [at(i, low), at(i + 1, high), at(i, high)],
                [[0.0, 0.0, high], at(i, high), at(i + 1, high)],
                [[0.0, 0.0, low], at(i + 1, low), at(i, low)],
            ]
        })
        .collect()
}

/// A polyhedron around a capsule or ball.
fn round_ended(radius: f64, half_height: f64) -> Vec<Piece> {
    const SIDES: usize = 20;
    const RINGS: usize = 10;
    // Every facet of the inscribed polyhedron comes no nearer than this share of the radius.
    let out = radius / ((PI / SIDES as f64).cos() * (PI / (2.0 * RINGS as f64)).cos());
    let at = |ring: usize, side: usize, upper: bool| {
        let (polar, angle) = (
            PI * ring as f64 / RINGS as f64,
            TAU * side as f64 / SIDES as f64,
        );
        let lift = if upper { half_height } else { -half_height };
        [
            out * polar.sin() * angle.cos(),
            out * polar.sin() * angle.sin(),
            out * polar.cos() + lift,
        ]
    };
    let mut triangles = Vec::new();
    for side in 0..SIDES {
        let mut quad = |a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]| {
            triangles.extend([[a, b, c], [a, c, d]]);
        };
        for ring in 0..RINGS {
            let upper = ring < RINGS / 2;
            quad(
                at(ring, side, upper),
                at(ring + 1, side, upper),
                at(ring + 1, side + 1, upper),
                at(ring, side + 1, upper),
            );
        }
        let middle = RINGS / 2;
        quad(
            at(middle, side, true),
            at(middle, side, false),
            at(middle, side + 1, false),
            at(middle, side + 1, true),
        );
    }
    let flat = |t: &Piece| norm(cross(minus(t[1], t[0]), minus(t[2], t[0]))) > 1e-15;
    triangles.retain(flat);
    triangles
}

/// Halves a triangle at its longest side until no side is longer than `finest`.
fn subdivide(triangle: Piece, finest: f64, into: &mut Vec<Piece>) {
    let [a, b, c] = triangle;
    let sides = [norm(minus(b, a)), norm(minus(c, b)), norm(minus(a, c))];
    let longest = (0..3)
        .max_by(|&i, &j| sides[i].total_cmp(&sides[j]))
        .unwrap_or(0);
    if sides[longest] <= finest {
        into.push(triangle);
        return;
    }
    let [p, q, r] = [
        triangle[longest],
        triangle[(longest + 1) % 3],
        triangle[(longest + 2) % 3],
    ];
    let middle = [0, 1, 2].map(|i| p[i].midpoint(q[i]));
    subdivide([p, middle, r], finest, into);
    subdivide([middle, q, r], finest, into);
}

fn square(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [x, y, z] = minus(a, b);
    x * x + y * y + z * z
}

/// Lets each sphere in turn shrink to what no other holds.
fn shrink(pieces: &[Piece], rough: &RoughPieces, balls: &mut [Ball]) {
    let mut held: Vec<Vec<u64>> = balls.iter().map(|b| rough.held_by(b, pieces)).collect();
    let mut holders = vec![0_u32; pieces.len()];
    for place in held.iter().flat_map(|bits| ones(bits)) {
        holders[place] += 1;
    }
    for _ in 0..2 {
        for (ball, held) in balls.iter_mut().zip(&mut held) {
            let alone = ones(held).filter(|&place| holders[place] == 1);
            // About the same middle: moved towards what it is needed for, it would reach farther
            // beyond the surface there.
            let needed = alone
                .flat_map(|place| pieces[place])
                .map(|v| square(v, ball.middle))
                .fold(0.0, f64::max);
            let smaller = Ball {
                middle: ball.middle,
                radius: needed.sqrt() * (1.0 + 1e-9),
            };
            if smaller.radius >= ball.radius {
                continue;
            }
            ones(held).for_each(|place| holders[place] -= 1);
            *held = rough.held_by(&smaller, pieces);
            ones(held).for_each(|place| holders[place] += 1);
            *ball = smaller;
        }
    }
}

/// A small ball around points; of radius zero if there are none. Steps towards the farthest point,
/// ever smaller ones, end near the smallest ball.
fn ball_around(points: &[[f64; 3]], start: [f64; 3], steps: u32) -> Ball {
    let mut middle = start;
    let mut best = Ball {
        middle,
        radius: 0.0,
    };
    let mut least = f64::INFINITY;
    for step in 1..=steps {
        let mut farthest = (-1.0, middle);
        for &point in points {
            let apart = square(point, middle);
            if apart > farthest.0 {
                farthest = (apart, point);
            }
        }
        if farthest.0 < 0.0 {
            return best;
        }
        if farthest.0 < least {
            least = farthest.0;
            best.middle = middle;
        }
        let share = 1.0 / (f64::from(step) + 1.0);
        middle = [0, 1, 2].map(|i| middle[i] + (farthest.1[i] - middle[i]) * share);
    }
    // So that rounding leaves no corner out.
    best.radius = least.sqrt() * (1.0 + 1e-9);
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;

    /// Points on the surface of a shape, by its own definition.
    fn surface(shape: &Shape, count: u64) -> Vec<[f64; 3]> {
        triangles_around(shape)
            .into_iter()
            .cycle()
            .zip(0..count)
            .map(|([a, b, c], i)| {
                let draw = Draw::new(3, i);
                let (u, v) = (draw.unit(0), draw.unit(1));
                let (u, v) = if u + v > 1.0 {
                    (1.0 - u, 1.0 - v)
                } else {
                    (u, v)
                };
                [0, 1, 2].map(|k| a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]))
            })
            .collect()
    }

    #[test]
    fn every_surface_point_is_covered_and_nearly_all_inside() {
        for shape in [
            Shape::cuboid([0.1, 0.2, 0.3]).unwrap(),
            Shape::cylinder(0.06, 0.3).unwrap(),
            Shape::capsule(0.06, 0.3).unwrap(),
            Shape::cone(0.1, 0.2).unwrap(),
        ] {
            let placed = Placed {
                shape: shape.clone(),
                pose: Pose::IDENTITY,
            };
            for budget in [1, 4, 9] {
                let cover = cover(std::slice::from_ref(&placed), budget);
                assert!(cover.balls.len() <= budget);
                for p in surface(&shape, 20_000) {
                    assert!(
                        cover.balls.iter().any(|b| b.holds(p)),
                        "{shape:?} {budget} {p:?}"
                    );
                }
                // Other points than those that the cover was made for.
                let solids = solids_of(std::slice::from_ref(&placed));
                let (low, high) = shape.bounds(&placed.pose);
                let points = (0..20_000).map(|i| {
                    let draw = Draw::new(7, i);
                    [0, 1, 2].map(|k| low[k] + (high[k] - low[k]) * draw.unit(k as u64))
                });
                let inside: Vec<_> = points.filter(|&p| depth_in(&solids, p) > 0.0).collect();
                let hollow = inside
                    .iter()
                    .filter(|p| !cover.balls.iter().any(|b| b.holds(**p)))
                    .count();
                assert!(
                    1000 * hollow <= inside.len(),
                    "{shape:?} {budget}: {hollow} of {} are in a hollow",
                    inside.len()
                );
            }
        }
    }

    #[test]
    fn a_tangle_of_large_triangles_is_not_cut_without_end() {
        let corner = |i: u64| [0, 1, 2].map(|axis| Draw::new(5, i).unit(axis));
        let vertices = (0..60_000).map(corner).collect();
        let triangles = (0..20_000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = Mesh::new(vertices, triangles).unwrap();
        let tangle = Placed {
            shape: Shape::Mesh(mesh.into()),
            pose: Pose::IDENTITY,
        };
        let pieces = Surface::of(&[tangle]).pieces.len();
        assert!((20_000..1_000_000).contains(&pieces), "{pieces}");
    }

    #[test]
    fn more_spheres_fit_better_and_the_budget_holds() {
        let (robot, _) = models::panda_like();
        let excess = |m: &SphereModel| m.links().iter().map(|l| l.excess_volume).sum::<f64>();
        let few = SphereModel::cover(&robot, 15);
        let many = SphereModel::cover(&robot, 60);
        assert!(few.count() <= 15 && many.count() <= 60);
        assert!(
            excess(&many) < 0.6 * excess(&few),
            "{} {}",
            excess(&many),
            excess(&few)
        );
        assert!(many.links().iter().all(|l| !l.balls.is_empty()));
    }
}

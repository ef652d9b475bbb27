//! The arm as a tree of spheres, and the tests of a block of configurations that run on it.
//!
//! Every body is covered by spheres, and the spheres stand in a tree: one around the body, some
//! around a few neighbours each, and the covering ones. Only where a sphere touches in a lane that
//! still matters are those within it placed and tested. The answer is a bit for each lane, and of a
//! block only the first collision matters: lanes behind it are not looked at again.

use crate::arm::Arm;
use crate::block::{
    Block, BlockPoint, BlockPose, LANES, constant_pose, load_point, load_pose, splat_point,
    square_between, store_point,
};
use crate::contacts::Contacts;
use crate::geometry::around;
use crate::kinematics::Kinematics;
use crate::obstacle::{Numbered, PreparedShape, Solid};
use crate::pose::{Pose, minus};
use crate::sphere_cover::{Ball, SphereModel, cover, enclosing_ball};
use crate::surroundings::Surroundings;
use crate::world::Margins;
use fearless_simd::{Level, Simd, dispatch, f32x8};
use psmp::Space;
use psmp::roadmap::halton;

/// What is added to every radius, in metres: more than single precision can lose on an arm of some
/// metres, so that a verdict "free" holds for the exact shapes that the spheres cover.
pub const ROUNDING: f64 = 1e-5;

/// How many spheres cover a thing that is held.
const SPHERES_OF_HELD: usize = 24;

/// How many neighbouring spheres have one around them.
const GROUP: usize = 4;

/// The arm as spheres: what stays the same from check to check and from scene to scene.
pub(crate) struct SphereTree {
    pub kinematics: Kinematics<f32>,
    pub exact_kinematics: Kinematics<f64>,
    pub bodies: Vec<Body>,
    /// The groups of all bodies, one body's after the other's.
    groups: Vec<Group>,
    /// The spheres of all groups, one group's after the other's.
    spheres: Vec<Sphere>,
    /// Bodies whose spheres touch each other in most configurations: these spheres tell nothing.
    crowded: Vec<(u32, u32)>,
}

/// Two bodies that must not touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BodyPair {
    pub one: u32,
    pub other: u32,
    /// Its place among all pairs of the world.
    pub place: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct Sphere {
    pub middle: [f32; 3],
    pub radius: f32,
}

pub(crate) struct Body {
    pub frame: usize,
    /// A sphere around the body.
    pub bound: Sphere,
    /// Its groups.
    first: usize,
    end: usize,
}

/// A few neighbouring spheres.
pub(crate) struct Group {
    body: usize,
    /// A sphere around them.
    bound: Sphere,
    first: usize,
    end: usize,
}

/// What touches what in a block: places, and a bit for each lane.
#[derive(Clone, Default)]
pub(crate) struct Touches {
    /// A body, and an obstacle by its place among the shapes of the scene.
    pub bodies: Vec<(u32, u32, u8)>,
    /// A pair by its place among those that must not touch.
    pub pairs: Vec<(u32, u8)>,
}

/// Room for one block of this kind.
type Room<B> = Scratch<<B as Block>::Store>;

/// Room for one block.
#[derive(Clone)]
pub(crate) struct Scratch<St> {
    pub inputs: Vec<St>,
    frames: Vec<BlockPose<St>>,
    /// Where the spheres around bodies, around groups, and the covering ones are.
    pub bodies: Vec<BlockPoint<St>>,
    groups: Vec<BlockPoint<St>>,
    spheres: Vec<BlockPoint<St>>,
    /// Whether the groups of a body, and the spheres of a group, are those of this block.
    body_placed: Vec<bool>,
    group_placed: Vec<bool>,
}

impl<St: Copy> Scratch<St> {
    pub fn new(tree: &SphereTree, zero: St) -> Self {
        Self {
            inputs: vec![zero; tree.kinematics.dimension()],
            frames: vec![[[zero; 3]; 4]; tree.kinematics.frame_count()],
            bodies: vec![[zero; 3]; tree.bodies.len()],
            groups: vec![[zero; 3]; tree.groups.len()],
            spheres: vec![[zero; 3]; tree.spheres.len()],
            body_placed: vec![false; tree.bodies.len()],
            group_placed: vec![false; tree.groups.len()],
        }
    }
}

impl Scratch<[f32; LANES]> {
    /// Takes up to eight configurations in, and says which lanes they are in.
    #[inline(always)]
    pub fn load(&mut self, block: &[f64], dimension: usize) -> u8 {
        let count = block.len() / dimension;
        assert!((1..=LANES).contains(&count), "up to eight configurations");
        for (axis, input) in self.inputs.iter_mut().enumerate() {
            for (lane, value) in input.iter_mut().enumerate() {
                *value = block[lane.min(count - 1) * dimension + axis] as f32;
            }
        }
        u8::MAX >> (LANES - count)
    }
}

impl SphereTree {
    pub fn new(arm: &Arm, spheres: &SphereModel, contacts: &Contacts) -> Self {
        let mut tree = Self {
            kinematics: arm.kinematics().cast(),
            exact_kinematics: arm.kinematics().clone(),
            bodies: Vec::new(),
            groups: Vec::new(),
            spheres: Vec::new(),
            crowded: Vec::new(),
        };
        for body in &contacts.bodies {
            let (_, mount) = arm.kinematics().mount(body.link);
            let balls: Vec<Ball> = match body.held {
                true => cover(&body.shapes, SPHERES_OF_HELD).balls,
                false => {
                    let placed = |b: &Ball| Ball {
                        middle: mount.apply(b.middle),
                        radius: b.radius,
                    };
                    spheres.of_link(body.link).iter().map(placed).collect()
                }
            };
            let bound = enclosing_ball(&balls);
            let first = tree.groups.len();
            for group in neighbours(balls) {
                let start = tree.spheres.len();
                tree.spheres.extend(group.iter().map(padded));
                tree.groups.push(Group {
                    body: tree.bodies.len(),
                    bound: around_all(&group),
                    first: start,
                    end: tree.spheres.len(),
                });
            }
            tree.bodies.push(Body {
                frame: body.frame,
                bound: Sphere {
                    middle: bound.middle.map(|v| v as f32),
                    radius: (bound.radius + 2.0 * ROUNDING) as f32,
                },
                first,
                end: tree.groups.len(),
            });
        }
        let level = Level::new();
        tree.crowded = dispatch!(level, simd => tree.find_crowded(simd, arm.space()));
        tree
    }

    /// Bodies whose spheres touch each other in more than half of configurations all over the space.
    #[inline(always)]
    fn find_crowded<S: Simd>(&self, simd: S, space: &Space) -> Vec<(u32, u32)> {
        const BLOCKS: usize = 8;
        let bodies = self.bodies.len();
        let mut counts = vec![0; bodies * bodies];
        let mut scratch = Scratch::new(self, [0.0; LANES]);
        let dimension = space.dimension();
        let drawn = halton(space, BLOCKS * LANES);
        for block in drawn.chunks(LANES * dimension) {
            let lanes = scratch.load(block, dimension);
            self.place_bodies::<f32x8<S>>(simd, &mut scratch);
            for one in 0..bodies {
                for other in one + 1..bodies {
                    if self.bodies[one].frame == self.bodies[other].frame {
                        continue;
                    }
                    let pair = (one as u32, other as u32);
                    let mut search = Search::for_all(lanes);
                    self.search_pair::<f32x8<S>>(simd, pair, &mut scratch, 0.0, &mut search);
                    counts[one * bodies + other] += search.hits.count_ones() as usize;
                }
            }
        }
        let most = |&place: &usize| counts[place] > BLOCKS * LANES / 2;
        let found = (0..counts.len()).filter(most);
        found
            .map(|place| ((place / bodies) as u32, (place % bodies) as u32))
            .collect()
    }

    /// The pairs of bodies that are to be checked: those that their spheres tell something of, and
    /// those that are crowded.
    pub fn pairs(&self, contacts: &Contacts) -> (Vec<BodyPair>, Vec<BodyPair>) {
        let all = contacts.pairs.iter().enumerate();
        let all = all.map(|(place, &(one, other))| BodyPair {
            one: one as u32,
            other: other as u32,
            place: place as u32,
        });
        all.partition(|pair| !self.crowded.contains(&(pair.one, pair.other)))
    }

    /// A bit for each lane that collides; only those of `relevant` up to the first collision are
    /// to be trusted.
    #[inline(always)]
    pub fn hits<B: Block>(
        &self,
        token: B::Token,
        surroundings: &Surroundings,
        scratch: &mut Room<B>,
        relevant: u8,
    ) -> u8 {
        self.place_bodies::<B>(token, scratch);
        let mut search = Search::for_first(relevant);
        if !self.search_scene::<B>(token, surroundings, scratch, None, &mut search) {
            let pairs = &surroundings.pairs;
            self.search_itself::<B>(token, pairs, scratch, None, &mut search);
        }
        search.hits
    }

    /// A bit for each of the `relevant` lanes in which something comes within its margin.
    #[inline(always)]
    pub fn within_margins<B: Block>(
        &self,
        token: B::Token,
        surroundings: &Surroundings,
        scratch: &mut Room<B>,
        margins: &Margins,
        relevant: u8,
    ) -> u8 {
        self.place_bodies::<B>(token, scratch);
        let mut search = Search::for_all(relevant);
        let (bodies, pairs) = (Some(&*margins.bodies), Some(&*margins.pairs));
        if !self.search_scene::<B>(token, surroundings, scratch, bodies, &mut search) {
            self.search_itself::<B>(token, &surroundings.pairs, scratch, pairs, &mut search);
        }
        search.hits
    }

    /// Takes down everything that comes within its margin in one of the `relevant` lanes, whatever
    /// else does.
    #[inline(always)]
    pub fn touches<B: Block>(
        &self,
        token: B::Token,
        surroundings: &Surroundings,
        scratch: &mut Room<B>,
        margins: Option<&Margins>,
        relevant: u8,
        touches: &mut Touches,
    ) {
        touches.bodies.clear();
        touches.pairs.clear();
        self.place_bodies::<B>(token, scratch);
        let (bodies, pairs) = match margins {
            Some(margins) => (Some(&*margins.bodies), Some(&*margins.pairs)),
            None => (None, None),
        };
        for index in (0..self.bodies.len()).rev() {
            let obstacles = &surroundings.obstacles[index];
            let margin = margin_of(bodies, index);
            macro_rules! each {
                ($($kind:ident),+) => {$(
                    for Numbered { solid, number } in &obstacles.$kind {
                        let mut search = Search::for_all(relevant);
                        self.search_body::<B, _>(token, index, solid, scratch, margin, &mut search);
                        if search.hits != 0 {
                            touches.bodies.push((index as u32, *number, search.hits));
                        }
                    }
                )+};
            }
            each!(boxes, cylinders, capsules, half_spaces, detailed);
        }
        for pair in &surroundings.pairs {
            let mut search = Search::for_all(relevant);
            let margin = margin_of(pairs, pair.place as usize);
            let bodies = (pair.one, pair.other);
            self.search_pair::<B>(token, bodies, scratch, margin, &mut search);
            if search.hits != 0 {
                touches.pairs.push((pair.place, search.hits));
            }
        }
        let crowded = surroundings.crowded.iter();
        touches
            .pairs
            .extend(crowded.map(|pair| (pair.place, relevant)));
    }

    /// Computes where the bodies are in a block.
    #[inline(always)]
    pub fn place_bodies<B: Block>(&self, token: B::Token, scratch: &mut Room<B>) {
        self.kinematics
            .block_frames::<B>(token, &scratch.inputs, &mut scratch.frames);
        scratch.body_placed.fill(false);
        scratch.group_placed.fill(false);
        for index in 0..self.bodies.len() {
            self.place_bound::<B>(token, index, scratch);
        }
    }

    /// Looks for collisions of the bodies with the scene, in a block that is placed, and says whether
    /// nothing is left to look for.
    #[inline(always)]
    fn search_scene<B: Block>(
        &self,
        token: B::Token,
        surroundings: &Surroundings,
        scratch: &mut Room<B>,
        margins: Option<&[f64]>,
        search: &mut Search,
    ) -> bool {
        if surroundings.standing_collision.is_some() {
            return search.found(search.relevant);
        }
        // The hand meets things before the shoulder does.
        for index in (0..self.bodies.len()).rev() {
            let obstacles = &surroundings.obstacles[index];
            let margin = margin_of(margins, index);
            macro_rules! each {
                ($($kind:ident),+) => {$(
                    for Numbered { solid, .. } in &obstacles.$kind {
                        if self.search_body::<B, _>(token, index, solid, scratch, margin, search) {
                            return true;
                        }
                    }
                )+};
            }
            each!(boxes, cylinders, capsules, half_spaces, detailed);
        }
        false
    }

    /// Whether a body touches a shape in one of these lanes, in a block that is placed.
    #[inline(always)]
    pub fn body_touches<B: Block>(
        &self,
        token: B::Token,
        index: usize,
        shape: &PreparedShape,
        scratch: &mut Room<B>,
        relevant: u8,
    ) -> bool {
        let mut search = Search::for_first(relevant);
        macro_rules! search {
            ($solid:ident) => {
                self.search_body::<B, _>(token, index, $solid, scratch, 0.0, &mut search)
            };
        }
        match shape {
            PreparedShape::Box(solid) => search!(solid),
            PreparedShape::Cylinder(solid) => search!(solid),
            PreparedShape::Capsule(solid) => search!(solid),
            PreparedShape::HalfSpace(solid) => search!(solid),
            PreparedShape::Detailed(solid) => search!(solid),
        };
        search.hits != 0
    }

    /// Looks for collisions of a body with a solid, down the tree, and says whether nothing is left
    /// to look for.
    #[inline(always)]
    fn search_body<B: Block, O: Solid>(
        &self,
        token: B::Token,
        index: usize,
        solid: &O,
        scratch: &mut Room<B>,
        margin: f32,
        search: &mut Search,
    ) -> bool {
        let body = &self.bodies[index];
        let middle = load_point::<B>(token, &scratch.bodies[index]);
        let near = solid.touches(token, middle, body.bound.radius + margin);
        if near & search.relevant == 0 {
            return false;
        }
        self.place_groups::<B>(token, index, scratch);
        for g in body.first..body.end {
            let group = &self.groups[g];
            let middle = load_point::<B>(token, &scratch.groups[g]);
            let near = solid.touches(token, middle, group.bound.radius + margin);
            if near & search.relevant == 0 {
                continue;
            }
            self.place_spheres::<B>(token, g, scratch);
            let mut hits = 0;
            for i in group.first..group.end {
                let middle = load_point::<B>(token, &scratch.spheres[i]);
                hits |= solid.touches(token, middle, self.spheres[i].radius + margin);
            }
            if search.found(hits) {
                return true;
            }
        }
        false
    }

    /// The covering spheres of a body.
    pub fn spheres_of(&self, body: &Body) -> &[Sphere] {
        // They follow each other.
        match &self.groups[body.first..body.end] {
            [] => &[],
            groups => &self.spheres[groups[0].first..groups[groups.len() - 1].end],
        }
    }

    /// A bit for each lane in which the bodies of a pair touch, in a block that is placed.
    #[inline(always)]
    pub fn hits_with_itself<B: Block>(
        &self,
        token: B::Token,
        pairs: &[BodyPair],
        scratch: &mut Room<B>,
        relevant: u8,
    ) -> u8 {
        let mut search = Search::for_first(relevant);
        self.search_itself::<B>(token, pairs, scratch, None, &mut search);
        search.hits
    }

    /// Looks for bodies of a pair that touch each other, in a block that is placed.
    #[inline(always)]
    fn search_itself<B: Block>(
        &self,
        token: B::Token,
        pairs: &[BodyPair],
        scratch: &mut Room<B>,
        margins: Option<&[f64]>,
        search: &mut Search,
    ) {
        for pair in pairs {
            let margin = margin_of(margins, pair.place as usize);
            let bodies = (pair.one, pair.other);
            if self.search_pair::<B>(token, bodies, scratch, margin, search) {
                return;
            }
        }
    }

    /// Looks for lanes in which two bodies touch each other, and says whether nothing is left to look
    /// for.
    #[inline(always)]
    fn search_pair<B: Block>(
        &self,
        token: B::Token,
        pair: (u32, u32),
        scratch: &mut Room<B>,
        margin: f32,
        search: &mut Search,
    ) -> bool {
        let (a, b) = (pair.0 as usize, pair.1 as usize);
        let (one, other) = (&self.bodies[a], &self.bodies[b]);
        let middles = [
            load_point::<B>(token, &scratch.bodies[a]),
            load_point::<B>(token, &scratch.bodies[b]),
        ];
        let limit = one.bound.radius + other.bound.radius + margin;
        let near = square_between(middles[0], middles[1]).within(limit * limit);
        if near & search.relevant == 0 {
            return false;
        }
        self.place_groups::<B>(token, a, scratch);
        self.place_groups::<B>(token, b, scratch);
        for g in one.first..one.end {
            let middle = load_point::<B>(token, &scratch.groups[g]);
            let radius = self.groups[g].bound.radius + margin;
            // First against the whole of the other body.
            let limit = radius + other.bound.radius;
            let near = square_between(middle, middles[1]).within(limit * limit);
            if near & search.relevant == 0 {
                continue;
            }
            for h in other.first..other.end {
                let limit = radius + self.groups[h].bound.radius;
                let apart = square_between(middle, load_point::<B>(token, &scratch.groups[h]));
                if apart.within(limit * limit) & search.relevant == 0 {
                    continue;
                }
                self.place_spheres::<B>(token, g, scratch);
                self.place_spheres::<B>(token, h, scratch);
                let hits = self.hits_between::<B>(token, g, h, scratch, margin);
                if search.found(hits) {
                    return true;
                }
            }
        }
        false
    }

    /// Computes where a body's bound is.
    #[inline(always)]
    fn place_bound<B: Block>(&self, token: B::Token, index: usize, scratch: &mut Room<B>) {
        let Body { frame, bound, .. } = &self.bodies[index];
        let middle = match *frame {
            0 => splat_point(token, bound.middle),
            frame => load_pose::<B>(token, &scratch.frames[frame]).apply_constant(bound.middle),
        };
        store_point(middle, &mut scratch.bodies[index]);
    }

    /// Computes where the groups of a body are, if that is not done yet.
    #[inline(always)]
    fn place_groups<B: Block>(&self, token: B::Token, index: usize, scratch: &mut Room<B>) {
        if std::mem::replace(&mut scratch.body_placed[index], true) {
            return;
        }
        let body = &self.bodies[index];
        let pose = frame_pose::<B>(token, &scratch.frames, body.frame);
        for i in body.first..body.end {
            let middle = self.groups[i].bound.middle;
            store_point(pose.apply_constant(middle), &mut scratch.groups[i]);
        }
    }

    /// Computes where the spheres of a group are, if that is not done yet.
    #[inline(always)]
    fn place_spheres<B: Block>(&self, token: B::Token, index: usize, scratch: &mut Room<B>) {
        if std::mem::replace(&mut scratch.group_placed[index], true) {
            return;
        }
        let group = &self.groups[index];
        let pose = frame_pose::<B>(token, &scratch.frames, self.bodies[group.body].frame);
        for i in group.first..group.end {
            let middle = self.spheres[i].middle;
            store_point(pose.apply_constant(middle), &mut scratch.spheres[i]);
        }
    }

    /// A bit for each lane in which a sphere of one group touches one of another.
    #[inline(always)]
    fn hits_between<B: Block>(
        &self,
        token: B::Token,
        g: usize,
        h: usize,
        scratch: &Room<B>,
        margin: f32,
    ) -> u8 {
        let mut hits = 0;
        for i in self.groups[g].first..self.groups[g].end {
            let middle = load_point::<B>(token, &scratch.spheres[i]);
            let radius = self.spheres[i].radius + margin;
            for j in self.groups[h].first..self.groups[h].end {
                let limit = radius + self.spheres[j].radius;
                let apart = square_between(middle, load_point::<B>(token, &scratch.spheres[j]));
                hits |= apart.within(limit * limit);
            }
        }
        hits
    }

    /// The least distance from a covering sphere to what it must not touch.
    pub fn room(&self, surroundings: &Surroundings, scratch: &mut Scratch<[f32; 1]>) -> f64 {
        self.kinematics
            .block_frames::<f32>((), &scratch.inputs, &mut scratch.frames);
        scratch.group_placed.fill(false);
        for index in 0..self.groups.len() {
            self.place_spheres::<f32>((), index, scratch);
        }
        let middle = |i: usize| scratch.spheres[i].map(|v| v[0]);
        // A body's spheres follow each other.
        let spheres = |body: &Body| match &self.groups[body.first..body.end] {
            [] => 0..0,
            groups => groups[0].first..groups[groups.len() - 1].end,
        };
        let mut least = f32::INFINITY;
        if surroundings.standing_collision.is_some() {
            least = 0.0;
        }
        for (body, obstacles) in self.bodies.iter().zip(&surroundings.obstacles) {
            for i in spheres(body) {
                least = least.min(obstacles.distance(middle(i)) - self.spheres[i].radius);
            }
        }
        for pair in surroundings.pairs.iter().chain(&surroundings.crowded) {
            let one = &self.bodies[pair.one as usize];
            let other = &self.bodies[pair.other as usize];
            for i in spheres(one) {
                for j in spheres(other) {
                    let apart = square_between(middle(i), middle(j)).sqrt();
                    least = least.min(apart - self.spheres[i].radius - self.spheres[j].radius);
                }
            }
        }
        f64::from(least)
    }
}

/// A margin in single precision; none where there are none.
#[inline(always)]
fn margin_of(margins: Option<&[f64]>, place: usize) -> f32 {
    match margins {
        Some(margins) => margins[place] as f32,
        None => 0.0,
    }
}

fn padded(ball: &Ball) -> Sphere {
    Sphere {
        middle: ball.middle.map(|v| v as f32),
        radius: (ball.radius + ROUNDING) as f32,
    }
}

/// A sphere around balls. It reaches a little farther than theirs, so that rounding cannot lose
/// one; of a single ball it is that ball.
fn around_all(balls: &[Ball]) -> Sphere {
    let mut sphere = padded(&enclosing_ball(balls));
    if balls.len() > 1 {
        sphere.radius += ROUNDING as f32;
    }
    sphere
}

/// Splits balls into groups of neighbours, at the median of the widest axis.
fn neighbours(mut balls: Vec<Ball>) -> Vec<Vec<Ball>> {
    if balls.len() <= GROUP {
        return if balls.is_empty() {
            vec![]
        } else {
            vec![balls]
        };
    }
    let (low, high) = around(balls.iter().map(|b| b.middle), 0.0);
    let width = minus(high, low);
    let widest = (0..3)
        .max_by(|&i, &j| width[i].total_cmp(&width[j]))
        .unwrap_or(0);
    balls.sort_by(|a, b| a.middle[widest].total_cmp(&b.middle[widest]));
    let rest = balls.split_off(balls.len().div_ceil(2));
    let mut groups = neighbours(balls);
    groups.extend(neighbours(rest));
    groups
}

#[inline(always)]
fn frame_pose<B: Block>(token: B::Token, frames: &[BlockPose<B::Store>], frame: usize) -> Pose<B> {
    match frame {
        0 => constant_pose(token, &Pose::IDENTITY.cast()),
        frame => load_pose(token, &frames[frame]),
    }
}

/// The lanes that still matter, and what was found.
struct Search {
    relevant: u8,
    hits: u8,
    /// Whether lanes behind the first collision matter too.
    all: bool,
}

impl Search {
    /// For the first collision of these lanes.
    #[inline(always)]
    fn for_first(relevant: u8) -> Self {
        Self {
            relevant,
            hits: 0,
            all: false,
        }
    }

    /// For every one of these lanes that collides.
    #[inline(always)]
    fn for_all(relevant: u8) -> Self {
        Self {
            relevant,
            hits: 0,
            all: true,
        }
    }

    /// Takes collisions in, and says whether nothing is left to look for.
    #[inline(always)]
    fn found(&mut self, hits: u8) -> bool {
        let hits = hits & self.relevant;
        if hits == 0 {
            return false;
        }
        self.hits |= hits;
        // Only what comes before the first collision can change the answer.
        self.relevant &= match self.all {
            true => !hits,
            false => (hits & hits.wrapping_neg()) - 1,
        };
        self.relevant == 0
    }
}

//! Checking with spheres, eight configurations at a time.
//!
//! Every body of the arm is covered by spheres, and the spheres stand in a tree: one around the
//! body, some around a few neighbours each, and the covering ones. In a block of eight
//! configurations the frames are computed side by side; then the sphere around each body is tested
//! against each obstacle in reach, and only where a sphere touches in a lane that still matters are
//! those within it placed and tested. The answer is a bit for each lane, and of a block only the
//! first collision matters: lanes behind it are not looked at again.

use crate::arm::{Arm, ArmError};
use crate::block::{Block, BlockPose, LANES, constant_pose, load_pose};
use crate::contacts::Contacts;
use crate::exact::distance_to_box;
use crate::geometry::around;
use crate::kinematics::Kinematics;
use crate::obstacle::{Obstacles, PreparedShape, Solid};
use crate::pose::{Pose, minus, norm};
use crate::scene::Scene;
use crate::sphere_cover::{Ball, SphereModel, cover, enclosing_ball};
use crate::world::{ArmWorld, Clearances};
use fearless_simd::{Level, Simd, dispatch, f32x8};
use psmp::checker::World;
use std::convert::Infallible;
use std::sync::Arc;

/// What is added to every radius, in metres: more than single precision can lose on an arm of some
/// metres, so that a verdict "free" holds for the exact shapes that the spheres cover.
pub const ROUNDING: f64 = 1e-5;

/// How many spheres cover a thing that is held.
const SPHERES_OF_HELD: usize = 24;

/// How many neighbouring spheres have one around them.
const GROUP: usize = 4;

/// An arm in a scene, as spheres.
#[derive(Clone)]
pub struct SphereWorld {
    model: Arc<Model>,
    surroundings: Arc<Surroundings>,
    level: Level,
    eight: Scratch<[f32; LANES]>,
    one: Scratch<[f32; 1]>,
}

/// The arm as spheres: what stays the same from check to check and from scene to scene.
struct Model {
    kinematics: Kinematics<f32>,
    exact_kinematics: Kinematics<f64>,
    bodies: Vec<Body>,
    /// The groups of all bodies, one body's after the other's.
    groups: Vec<Group>,
    /// The spheres of all groups, one group's after the other's.
    spheres: Vec<Sphere>,
    pairs: Vec<(u32, u32)>,
}

/// A scene as the bodies of a model see it.
struct Surroundings {
    /// For each body the obstacles in its reach that it must not touch.
    obstacles: Vec<Obstacles>,
    /// What never moves and yet touches, if anything does: then nothing is free.
    standing_collision: Option<(String, String)>,
}

#[derive(Clone, Copy)]
struct Sphere {
    middle: [f32; 3],
    radius: f32,
}

struct Body {
    frame: usize,
    /// A sphere around the body.
    bound: Sphere,
    /// Its groups.
    first: usize,
    end: usize,
}

/// A few neighbouring spheres.
struct Group {
    body: usize,
    /// A sphere around them.
    bound: Sphere,
    first: usize,
    end: usize,
}

/// Room for one block.
#[derive(Clone)]
struct Scratch<St> {
    inputs: Vec<St>,
    frames: Vec<BlockPose<St>>,
    /// Where the spheres around bodies, around groups, and the covering ones are.
    bodies: Vec<[St; 3]>,
    groups: Vec<[St; 3]>,
    spheres: Vec<[St; 3]>,
    /// Whether the groups of a body, and the spheres of a group, are those of this block.
    body_placed: Vec<bool>,
    group_placed: Vec<bool>,
}

impl<St: Copy> Scratch<St> {
    fn new(model: &Model, zero: St) -> Self {
        Self {
            inputs: vec![zero; model.kinematics.dimension()],
            frames: vec![[zero; 12]; model.kinematics.frame_count()],
            bodies: vec![[zero; 3]; model.bodies.len()],
            groups: vec![[zero; 3]; model.groups.len()],
            spheres: vec![[zero; 3]; model.spheres.len()],
            body_placed: vec![false; model.bodies.len()],
            group_placed: vec![false; model.groups.len()],
        }
    }
}

impl Scratch<[f32; LANES]> {
    /// Takes up to eight configurations in, and says which lanes they are in.
    #[inline(always)]
    fn load(&mut self, block: &[f64], dimension: usize) -> u8 {
        let count = block.len() / dimension;
        for (axis, input) in self.inputs.iter_mut().enumerate() {
            for (lane, value) in input.iter_mut().enumerate() {
                *value = block[lane.min(count - 1) * dimension + axis] as f32;
            }
        }
        u8::MAX >> (LANES - count)
    }
}

impl SphereWorld {
    /// An arm whose links are covered by `spheres`, in a scene.
    ///
    /// # Errors
    /// If the scene attaches something to a link that the robot has not.
    ///
    /// # Panics
    /// If `spheres` are another robot's.
    pub fn new(arm: &Arm, spheres: &SphereModel, scene: &Scene) -> Result<Self, ArmError> {
        let contacts = Contacts::new(arm, scene)?;
        let model = Arc::new(Model::new(arm, spheres, &contacts));
        Ok(Self {
            eight: Scratch::new(&model, [0.0; LANES]),
            one: Scratch::new(&model, [0.0]),
            level: Level::new(),
            surroundings: Arc::new(Surroundings::new(&model, &contacts, scene)),
            model,
        })
    }

    /// The same arm in another scene that has the same things attached to it, if any: what is
    /// known of the arm's spheres is shared.
    ///
    /// # Errors
    /// If the scene attaches something to a link that the robot has not.
    ///
    /// # Panics
    /// If `arm` is another arm, or the scene attaches other things.
    pub fn in_scene(&self, arm: &Arm, scene: &Scene) -> Result<Self, ArmError> {
        let contacts = Contacts::new(arm, scene)?;
        let count = contacts.bodies.len();
        assert_eq!(
            count,
            self.model.bodies.len(),
            "the same arm, holding the same"
        );
        Ok(Self {
            surroundings: Arc::new(Surroundings::new(&self.model, &contacts, scene)),
            ..self.clone()
        })
    }

    /// The names of a body that never moves and of what it touches all the same, if there are any:
    /// then no configuration is free.
    #[must_use]
    pub fn standing_collision(&self) -> Option<(&str, &str)> {
        let found = self.surroundings.standing_collision.as_ref();
        found.map(|(body, object)| (body.as_str(), object.as_str()))
    }

    /// Whether a configuration is free, computed in one lane: the plain path that the fast one is
    /// measured against.
    #[must_use]
    pub fn is_free_in_one_lane(&mut self, configuration: &[f64]) -> bool {
        for (input, &value) in self.one.inputs.iter_mut().zip(configuration) {
            *input = [value as f32];
        }
        self.model
            .hits::<f32>((), &self.surroundings, &mut self.one, 1)
            == 0
    }

    /// How many bodies the arm has.
    pub(crate) fn body_count(&self) -> usize {
        self.model.bodies.len()
    }

    /// The box around each body in a configuration: its number, and the least and the greatest
    /// coordinates.
    pub(crate) fn body_boxes(
        &mut self,
        configuration: &[f64],
        mut each: impl FnMut(usize, [f32; 3], [f32; 3]),
    ) {
        for (input, &value) in self.one.inputs.iter_mut().zip(configuration) {
            *input = [value as f32];
        }
        self.model.place_bodies::<f32>((), &mut self.one);
        for (index, body) in self.model.bodies.iter().enumerate() {
            let middle = self.one.bodies[index].map(|v| v[0]);
            let radius = body.bound.radius;
            each(
                index,
                middle.map(|v| v - radius),
                middle.map(|v| v + radius),
            );
        }
    }

    #[inline(always)]
    fn first_in_blocks<S: Simd>(&mut self, simd: S, configurations: &[f64]) -> Option<usize> {
        let dimension = self.model.kinematics.dimension();
        let blocks = configurations.chunks(LANES * dimension);
        for (index, block) in blocks.enumerate() {
            let relevant = self.eight.load(block, dimension);
            let hits =
                self.model
                    .hits::<f32x8<S>>(simd, &self.surroundings, &mut self.eight, relevant);
            if hits != 0 {
                return Some(index * LANES + hits.trailing_zeros() as usize);
            }
        }
        None
    }
}

/// One arm in many scenes, asked about the same motions: kinematics and self-collisions are
/// computed once for all of them.
pub struct SphereWorlds {
    model: Arc<Model>,
    scenes: Vec<Arc<Surroundings>>,
    level: Level,
    scratch: Scratch<[f32; LANES]>,
}

impl SphereWorlds {
    /// An arm in these scenes, which attach nothing to it.
    ///
    /// # Errors
    /// If a scene attaches something to the arm: what it holds is part of the arm, so that nothing
    /// would be the same for all.
    pub fn new(arm: &Arm, spheres: &SphereModel, scenes: &[Scene]) -> Result<Self, ArmError> {
        if let Some(held) = scenes.iter().find_map(|s| s.attached.first()) {
            return Err(ArmError::AttachedInTable(held.object.name.clone()));
        }
        let alone = SphereWorld::new(arm, spheres, &Scene::default())?;
        let surroundings = |scene: &Scene| {
            let contacts = Contacts::new(arm, scene)?;
            Ok(Arc::new(Surroundings::new(&alone.model, &contacts, scene)))
        };
        Ok(Self {
            scenes: scenes.iter().map(surroundings).collect::<Result<_, _>>()?,
            model: alone.model,
            level: alone.level,
            scratch: alone.eight,
        })
    }

    /// How many scenes there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.scenes.len()
    }

    /// In which scenes all of these configurations are free: a bit each in `free`, which has
    /// `count().div_ceil(64)` words.
    pub fn free_in(&mut self, configurations: &[f64], free: &mut [u64]) {
        let level = self.level;
        dispatch!(level, simd => self.free_in_blocks(simd, configurations, free));
    }

    #[inline(always)]
    fn free_in_blocks<S: Simd>(&mut self, simd: S, configurations: &[f64], free: &mut [u64]) {
        for (place, word) in free.iter_mut().enumerate() {
            let left = self.scenes.len() - 64 * place;
            *word = if left >= 64 {
                u64::MAX
            } else {
                (1 << left) - 1
            };
        }
        let dimension = self.model.kinematics.dimension();
        for block in configurations.chunks(LANES * dimension) {
            let relevant = self.scratch.load(block, dimension);
            self.model.place_bodies::<f32x8<S>>(simd, &mut self.scratch);
            if self
                .model
                .hits_with_itself::<f32x8<S>>(simd, &mut self.scratch, relevant)
                != 0
            {
                free.fill(0);
                return;
            }
            for (place, word) in free.iter_mut().enumerate() {
                let mut left = *word;
                while left != 0 {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    let scene = &self.scenes[64 * place + bit as usize];
                    let hits = self.model.hits_with_scene::<f32x8<S>>(
                        simd,
                        scene,
                        &mut self.scratch,
                        relevant,
                    );
                    if hits != 0 {
                        *word &= !(1 << bit);
                    }
                }
            }
        }
    }
}

impl Clone for SphereWorlds {
    /// The scenes are shared, so that every thread can have its own.
    fn clone(&self) -> Self {
        Self {
            model: self.model.clone(),
            scenes: self.scenes.clone(),
            level: self.level,
            scratch: self.scratch.clone(),
        }
    }
}

impl World for SphereWorld {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        let dimension = configuration.len();
        Ok(self.first_collision(configuration, dimension)?.is_none())
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, Infallible> {
        assert_eq!(
            dimension,
            self.model.kinematics.dimension(),
            "one number for each joint"
        );
        let level = self.level;
        Ok(dispatch!(level, simd => self.first_in_blocks(simd, configurations)))
    }
}

impl ArmWorld for SphereWorld {
    fn motions(&self) -> Clearances {
        let reach = |b: &Body| norm(b.bound.middle.map(f64::from)) + f64::from(b.bound.radius);
        let bodies: Vec<(usize, f64)> = self
            .model
            .bodies
            .iter()
            .map(|b| (b.frame, reach(b)))
            .collect();
        let pairs = self.model.pairs.iter();
        let pairs: Vec<_> = pairs.map(|&(a, b)| (a as usize, b as usize)).collect();
        Clearances::new(&self.model.exact_kinematics, &bodies, &pairs)
    }

    fn measure(&mut self, configuration: &[f64], clearances: &mut Clearances) {
        for (input, &value) in self.one.inputs.iter_mut().zip(configuration) {
            *input = [value as f32];
        }
        self.model
            .clearances(&self.surroundings, &mut self.one, clearances);
    }
}

impl Surroundings {
    fn new(model: &Model, contacts: &Contacts, scene: &Scene) -> Self {
        let mut surroundings = Self {
            obstacles: vec![Obstacles::default(); model.bodies.len()],
            standing_collision: None,
        };
        let bodies = model.bodies.iter().zip(&contacts.against_objects);
        for (index, (body, against)) in bodies.enumerate() {
            let middle = norm(body.bound.middle.map(f64::from));
            let (anchor, reach) = model.exact_kinematics.reach(body.frame, middle);
            let reach = reach + f64::from(body.bound.radius) + ROUNDING;
            let objects = scene.objects.iter().zip(against);
            for (object, _) in objects.filter(|(_, against)| **against) {
                for placed in &object.shapes {
                    let (low, high) = placed.shape.bounds(&placed.pose);
                    if distance_to_box(anchor, low, high) > reach {
                        continue;
                    }
                    let shape = PreparedShape::new(placed);
                    // What never moves is checked now, once.
                    if body.frame == 0 {
                        let mut alone = Obstacles::default();
                        alone.add(&shape);
                        let groups = &model.groups[body.first..body.end];
                        let mut spheres =
                            groups.iter().flat_map(|g| &model.spheres[g.first..g.end]);
                        if spheres.any(|s| alone.touch::<f32>((), s.middle, s.radius) != 0) {
                            let names = (contacts.bodies[index].name.clone(), object.name.clone());
                            surroundings.standing_collision = Some(names);
                        }
                    } else {
                        surroundings.obstacles[index].add(&shape);
                    }
                }
            }
        }
        surroundings
    }
}

impl Model {
    fn new(arm: &Arm, spheres: &SphereModel, contacts: &Contacts) -> Self {
        let mut model = Self {
            kinematics: arm.kinematics().cast(),
            exact_kinematics: arm.kinematics().clone(),
            bodies: Vec::new(),
            groups: Vec::new(),
            spheres: Vec::new(),
            pairs: contacts
                .pairs
                .iter()
                .map(|&(a, b)| (a as u32, b as u32))
                .collect(),
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
            let first = model.groups.len();
            for group in neighbours(balls) {
                let start = model.spheres.len();
                model.spheres.extend(group.iter().map(padded));
                model.groups.push(Group {
                    body: model.bodies.len(),
                    bound: around_all(&group),
                    first: start,
                    end: model.spheres.len(),
                });
            }
            model.bodies.push(Body {
                frame: body.frame,
                bound: Sphere {
                    middle: bound.middle.map(|v| v as f32),
                    radius: (bound.radius + 2.0 * ROUNDING) as f32,
                },
                first,
                end: model.groups.len(),
            });
        }
        model
    }

    /// A bit for each lane that collides; only those of `relevant` up to the first collision are
    /// to be trusted.
    #[inline(always)]
    fn hits<B: Block>(
        &self,
        token: B::Token,
        surroundings: &Surroundings,
        scratch: &mut Scratch<B::Store>,
        relevant: u8,
    ) -> u8 {
        self.place_bodies::<B>(token, scratch);
        let with_scene = self.hits_with_scene::<B>(token, surroundings, scratch, relevant);
        // Only what comes before the first collision can change the answer.
        let before = relevant & with_scene.wrapping_sub(1) & !with_scene;
        let left = if with_scene == 0 { relevant } else { before };
        if left == 0 {
            return with_scene;
        }
        with_scene | self.hits_with_itself::<B>(token, scratch, left)
    }

    /// Computes where the bodies are in a block.
    #[inline(always)]
    fn place_bodies<B: Block>(&self, token: B::Token, scratch: &mut Scratch<B::Store>) {
        self.kinematics
            .block_frames::<B>(token, &scratch.inputs, &mut scratch.frames);
        scratch.body_placed.fill(false);
        scratch.group_placed.fill(false);
        for index in 0..self.bodies.len() {
            self.place_bound::<B>(token, index, scratch);
        }
    }

    /// A bit for each lane in which a body touches the scene, in a block that is placed.
    #[inline(always)]
    fn hits_with_scene<B: Block>(
        &self,
        token: B::Token,
        surroundings: &Surroundings,
        scratch: &mut Scratch<B::Store>,
        relevant: u8,
    ) -> u8 {
        if surroundings.standing_collision.is_some() {
            return relevant;
        }
        let mut search = Search { relevant, hits: 0 };
        // The hand meets things before the shoulder does.
        for index in (0..self.bodies.len()).rev() {
            let body = &self.bodies[index];
            let middle = load::<B>(token, &scratch.bodies[index]);
            let o = &surroundings.obstacles[index];
            macro_rules! each {
                ($kind:ident) => {
                    for solid in &o.$kind {
                        let near = solid.touches(token, middle, body.bound.radius);
                        if near & search.relevant == 0 {
                            continue;
                        }
                        self.place_groups::<B>(token, index, scratch);
                        for g in body.first..body.end {
                            let group = &self.groups[g];
                            let middle = load::<B>(token, &scratch.groups[g]);
                            let near = solid.touches(token, middle, group.bound.radius);
                            if near & search.relevant == 0 {
                                continue;
                            }
                            self.place_spheres::<B>(token, g, scratch);
                            let mut hits = 0;
                            for i in group.first..group.end {
                                let middle = load::<B>(token, &scratch.spheres[i]);
                                hits |= solid.touches(token, middle, self.spheres[i].radius);
                            }
                            if search.found(hits) {
                                return search.hits;
                            }
                        }
                    }
                };
            }
            each!(boxes);
            each!(cylinders);
            each!(capsules);
            each!(half_spaces);
            each!(detailed);
        }
        search.hits
    }

    /// A bit for each lane in which two bodies touch, in a block that is placed.
    #[inline(always)]
    fn hits_with_itself<B: Block>(
        &self,
        token: B::Token,
        scratch: &mut Scratch<B::Store>,
        relevant: u8,
    ) -> u8 {
        let mut search = Search { relevant, hits: 0 };
        for &(a, b) in &self.pairs {
            let (a, b) = (a as usize, b as usize);
            let (one, other) = (&self.bodies[a], &self.bodies[b]);
            let middles = [a, b].map(|i| load::<B>(token, &scratch.bodies[i]));
            let limit = one.bound.radius + other.bound.radius;
            let near = square_between(middles[0], middles[1]).within(limit * limit);
            if near & search.relevant == 0 {
                continue;
            }
            self.place_groups::<B>(token, a, scratch);
            self.place_groups::<B>(token, b, scratch);
            for g in one.first..one.end {
                let middle = load::<B>(token, &scratch.groups[g]);
                let radius = self.groups[g].bound.radius;
                // First against the whole of the other body.
                let limit = radius + other.bound.radius;
                let near = square_between(middle, middles[1]).within(limit * limit);
                if near & search.relevant == 0 {
                    continue;
                }
                for h in other.first..other.end {
                    let limit = radius + self.groups[h].bound.radius;
                    let apart = square_between(middle, load::<B>(token, &scratch.groups[h]));
                    if apart.within(limit * limit) & search.relevant == 0 {
                        continue;
                    }
                    self.place_spheres::<B>(token, g, scratch);
                    self.place_spheres::<B>(token, h, scratch);
                    let hits = self.hits_between::<B>(token, g, h, scratch);
                    if search.found(hits) {
                        return search.hits;
                    }
                }
            }
        }
        search.hits
    }

    /// Computes where a body's bound is.
    #[inline(always)]
    fn place_bound<B: Block>(
        &self,
        token: B::Token,
        index: usize,
        scratch: &mut Scratch<B::Store>,
    ) {
        let body = &self.bodies[index];
        let middle = match body.frame {
            0 => body.bound.middle.map(|v| B::splat(token, v)),
            frame => {
                load_pose::<B>(token, &scratch.frames[frame]).apply_constant(body.bound.middle)
            }
        };
        for (value, into) in middle.into_iter().zip(&mut scratch.bodies[index]) {
            value.store(into);
        }
    }

    /// Computes where the groups of a body are, if that is not done yet.
    #[inline(always)]
    fn place_groups<B: Block>(
        &self,
        token: B::Token,
        index: usize,
        scratch: &mut Scratch<B::Store>,
    ) {
        if std::mem::replace(&mut scratch.body_placed[index], true) {
            return;
        }
        let body = &self.bodies[index];
        let pose = frame_pose::<B>(token, &scratch.frames, body.frame);
        let groups = &self.groups[body.first..body.end];
        for (group, into) in groups.iter().zip(&mut scratch.groups[body.first..body.end]) {
            for (value, into) in pose
                .apply_constant(group.bound.middle)
                .into_iter()
                .zip(into)
            {
                value.store(into);
            }
        }
    }

    /// Computes where the spheres of a group are, if that is not done yet.
    #[inline(always)]
    fn place_spheres<B: Block>(
        &self,
        token: B::Token,
        index: usize,
        scratch: &mut Scratch<B::Store>,
    ) {
        if std::mem::replace(&mut scratch.group_placed[index], true) {
            return;
        }
        let group = &self.groups[index];
        let pose = frame_pose::<B>(token, &scratch.frames, self.bodies[group.body].frame);
        let spheres = &self.spheres[group.first..group.end];
        for (sphere, into) in spheres
            .iter()
            .zip(&mut scratch.spheres[group.first..group.end])
        {
            for (value, into) in pose.apply_constant(sphere.middle).into_iter().zip(into) {
                value.store(into);
            }
        }
    }

    /// A bit for each lane in which a sphere of one group touches one of another.
    #[inline(always)]
    fn hits_between<B: Block>(
        &self,
        token: B::Token,
        g: usize,
        h: usize,
        scratch: &Scratch<B::Store>,
    ) -> u8 {
        let mut hits = 0;
        for i in self.groups[g].first..self.groups[g].end {
            let middle = load::<B>(token, &scratch.spheres[i]);
            for j in self.groups[h].first..self.groups[h].end {
                let limit = self.spheres[i].radius + self.spheres[j].radius;
                let apart = square_between(middle, load::<B>(token, &scratch.spheres[j]));
                hits |= apart.within(limit * limit);
            }
        }
        hits
    }

    fn clearances(
        &self,
        surroundings: &Surroundings,
        scratch: &mut Scratch<[f32; 1]>,
        clearances: &mut Clearances,
    ) {
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
        let bodies = self.bodies.iter().zip(&surroundings.obstacles);
        for ((body, obstacles), clearance) in bodies.zip(&mut clearances.bodies) {
            let gap = |i: usize| obstacles.distance(middle(i)) - self.spheres[i].radius;
            let least = spheres(body).map(gap).fold(f32::INFINITY, f32::min);
            *clearance = f64::from(least);
        }
        if surroundings.standing_collision.is_some() {
            clearances.bodies.fill(0.0);
        }
        for (&(a, b), clearance) in self.pairs.iter().zip(&mut clearances.pairs) {
            let (one, other) = (&self.bodies[a as usize], &self.bodies[b as usize]);
            let mut least = f32::INFINITY;
            for i in spheres(one) {
                for j in spheres(other) {
                    let apart = square_between(middle(i), middle(j)).sqrt();
                    least = least.min(apart - self.spheres[i].radius - self.spheres[j].radius);
                }
            }
            *clearance = f64::from(least);
        }
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
}

impl Search {
    /// Takes collisions in, and says whether nothing is left to look for.
    #[inline(always)]
    fn found(&mut self, hits: u8) -> bool {
        let hits = hits & self.relevant;
        if hits == 0 {
            return false;
        }
        self.hits |= hits;
        // Only what comes before the first collision can change the answer.
        self.relevant &= (hits & hits.wrapping_neg()) - 1;
        self.relevant == 0
    }
}

#[inline(always)]
fn load<B: Block>(token: B::Token, point: &[B::Store; 3]) -> [B; 3] {
    [
        B::load(token, &point[0]),
        B::load(token, &point[1]),
        B::load(token, &point[2]),
    ]
}

#[inline(always)]
fn square_between<B: Block>(one: [B; 3], other: [B; 3]) -> B {
    let [x, y, z] = [0, 1, 2].map(|i| one[i] - other[i]);
    z.mul_plus(z, y.mul_plus(y, x * x))
}

impl Obstacles {
    /// A bit for each lane whose ball touches any of them.
    fn touch<B: Block>(&self, token: B::Token, middle: [B; 3], radius: f32) -> u8 {
        let mut hits = 0;
        macro_rules! each {
            ($($kind:ident),+) => {$(
                for solid in &self.$kind {
                    hits |= solid.touches(token, middle, radius);
                }
            )+};
        }
        each!(boxes, cylinders, capsules, half_spaces, detailed);
        hits
    }

    /// How far a point is from the nearest of them, at least.
    fn distance(&self, point: [f32; 3]) -> f32 {
        let mut least = f32::INFINITY;
        macro_rules! each {
            ($($kind:ident),+) => {$(
                for solid in &self.$kind {
                    least = least.min(solid.distance::<f32>((), point));
                }
            )+};
        }
        each!(boxes, cylinders, capsules, half_spaces, detailed);
        least
    }
}

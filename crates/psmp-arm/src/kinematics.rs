//! Forward kinematics: where every link is in a configuration, or in many.
//!
//! A robot is first reduced to the frames that move. Fixed joints, and variables that are held at
//! a value, melt into constants; every joint's axis becomes the z axis of its frame by turning the
//! constants around it. What is left for each moving joint is one product with a constant pose and
//! one turn about z, the same few operations whatever the robot, and eight configurations go
//! through it side by side.

use crate::block::{Block, BlockPose, LANES, constant_pose, load_pose, store_pose};
use crate::pose::{Pose, Scalar, cross, minus, norm};
use crate::robot::{JointKind, Robot};
use crate::sweep::BodyBall;
use fearless_simd::{Level, Simd, dispatch, f32x8};

/// How a frame moves in its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Motion {
    Turn,
    Slide,
}

/// A frame that moves.
#[derive(Debug, Clone, PartialEq)]
struct Frame<C> {
    /// Another frame, before this one; frame 0 is the root, which stands still.
    parent: usize,
    /// Where the frame is in its parent when its position is zero.
    origin: Pose<C>,
    motion: Motion,
    /// Position = `multiplier` times this entry of the configuration + `offset`.
    input: usize,
    multiplier: C,
    offset: C,
}

/// The kinematics of a robot, or of those of its variables that are planned for.
#[derive(Debug, Clone, PartialEq)]
pub struct Kinematics<C = f64> {
    /// Frame `i + 1` is entry `i`.
    frames: Vec<Frame<C>>,
    /// For each link its frame, and where in it.
    mounts: Vec<(usize, Pose<C>)>,
    dimension: usize,
    /// For each frame how far it slides at most, for bounds on motion.
    slides: Vec<f64>,
}

/// What the value of a variable is.
#[derive(Clone, Copy)]
enum Value {
    Input(usize),
    Held(f64),
}

impl Kinematics<f64> {
    /// All variables of a robot, in its order.
    #[must_use]
    pub fn new(robot: &Robot) -> Self {
        let all: Vec<usize> = (0..robot.variables().len()).collect();
        Self::of_variables(robot, &all, &vec![0.0; all.len()])
    }

    /// Only `variables`, in this order; every other is held at its value in `rest`, which has one
    /// for each variable of the robot.
    ///
    /// # Panics
    /// If `rest` has not one value for each variable of the robot, or a variable is not there.
    #[must_use]
    pub fn of_variables(robot: &Robot, variables: &[usize], rest: &[f64]) -> Self {
        assert_eq!(
            rest.len(),
            robot.variables().len(),
            "a value for each variable"
        );
        let mut values: Vec<Value> = rest.iter().map(|&v| Value::Held(v)).collect();
        for (input, &variable) in variables.iter().enumerate() {
            values[variable] = Value::Input(input);
        }
        let mut builder = Builder {
            robot,
            values,
            frames: Vec::new(),
            slides: vec![0.0],
        };
        let mut mounts: Vec<(usize, Pose)> = Vec::with_capacity(robot.links().len());
        for link in robot.links() {
            let mount = match link.joint {
                None => (0, Pose::IDENTITY),
                Some(joint) => {
                    let parent = mounts[robot.joints()[joint].parent];
                    builder.joint(joint, parent)
                }
            };
            mounts.push(mount);
        }
        Self {
            frames: builder.frames,
            mounts,
            dimension: variables.len(),
            slides: builder.slides,
        }
    }

    /// The same kinematics in another kind of number.
    #[must_use]
    pub fn cast<C: Scalar>(&self) -> Kinematics<C> {
        let frames = self.frames.iter().map(|f| Frame {
            parent: f.parent,
            origin: f.origin.cast(),
            motion: f.motion,
            input: f.input,
            multiplier: C::from_f64(f.multiplier),
            offset: C::from_f64(f.offset),
        });
        Kinematics {
            frames: frames.collect(),
            mounts: self.mounts.iter().map(|(f, p)| (*f, p.cast())).collect(),
            dimension: self.dimension,
            slides: self.slides.clone(),
        }
    }

    /// How a point that is fixed to `frame` moves, and the frame turns, along and about the axes of the
    /// root for a unit of each input: the geometric Jacobian, a column an input. `point` and `frames`
    /// are as they are in one configuration.
    pub(crate) fn velocities(
        &self,
        frame: usize,
        point: [f64; 3],
        frames: &[Pose],
        columns: &mut [[f64; 6]],
    ) {
        columns.fill([0.0; 6]);
        let mut at = frame;
        while at != 0 {
            let (f, pose) = (&self.frames[at - 1], &frames[at]);
            let axis = pose.rotation.map(|row| row[2] * f.multiplier);
            let (along, about) = match f.motion {
                Motion::Turn => (cross(axis, minus(point, pose.translation)), axis),
                Motion::Slide => (axis, [0.0; 3]),
            };
            let column = &mut columns[f.input];
            for i in 0..3 {
                column[i] += along[i];
                column[3 + i] += about[i];
            }
            at = f.parent;
        }
    }

    /// For each input, whether a whole turn of it leaves every frame where it was.
    pub(crate) fn whole_turns(&self) -> Vec<bool> {
        let of = |input: usize| {
            let mut moved = self.frames.iter().filter(|f| f.input == input);
            moved.all(|f| f.motion == Motion::Turn && f.multiplier.fract() == 0.0)
        };
        (0..self.dimension).map(of).collect()
    }

    /// A point that stands still, and how far from it at most a point is that is `distance` away
    /// from the origin of `frame`, in every configuration.
    pub(crate) fn reach(&self, frame: usize, distance: f64) -> ([f64; 3], f64) {
        let (mut at, mut reach, mut anchor) = (frame, distance, [0.0; 3]);
        while at != 0 {
            let f = &self.frames[at - 1];
            reach += self.slides[at];
            match f.parent {
                0 => anchor = f.origin.translation,
                _ => reach += norm(f.origin.translation),
            }
            at = f.parent;
        }
        (anchor, reach)
    }

    /// How many joints there are between a frame and one that carries it.
    pub(crate) fn joints_between(&self, frame: usize, carrier: usize) -> usize {
        let mut count = 0;
        let mut at = frame;
        while at != carrier {
            count += 1;
            at = self.frames[at - 1].parent;
        }
        count
    }

    /// How far the points of a body move at most while each input moves by up to its entry in `half`
    /// from where the frames are: `moved` gets it for no joint, then for the nearest to the body, the two
    /// nearest and so on to the base.
    pub(crate) fn moved(&self, body: &BodyBall, frames: &[Pose], half: &[f64], moved: &mut [f64]) {
        let middle = frames[body.frame].apply(body.middle);
        let (mut at, mut joint, mut so_far) = (body.frame, 0, 0.0);
        moved[0] = 0.0;
        while at != 0 {
            let f = &self.frames[at - 1];
            let angle = (half[f.input] * f.multiplier).abs();
            so_far += angle
                * match f.motion {
                    Motion::Slide => 1.0,
                    // What the joints so far move a point they may move it away from the axis.
                    Motion::Turn => frames[at].distance_from_z(middle) + body.radius + so_far,
                };
            joint += 1;
            moved[joint] = so_far;
            at = f.parent;
        }
    }

    /// The last frame that carries both.
    pub(crate) fn common_ancestor(&self, one: usize, other: usize) -> usize {
        let parent = |f: usize| self.frames[f - 1].parent;
        let (mut a, mut b) = (one, other);
        // A parent's number is less than its child's.
        while a != b {
            if a > b {
                a = parent(a);
            } else {
                b = parent(b);
            }
        }
        a
    }
}

struct Builder<'a> {
    robot: &'a Robot,
    values: Vec<Value>,
    frames: Vec<Frame<f64>>,
    slides: Vec<f64>,
}

impl Builder<'_> {
    /// Where the child of a joint is mounted, whose parent is mounted at `parent`.
    fn joint(&mut self, index: usize, parent: (usize, Pose)) -> (usize, Pose) {
        let robot = self.robot;
        let joint = &robot.joints()[index];
        let at = (parent.0, parent.1.then(&joint.origin));
        let first_of = |joint: usize| {
            robot
                .variables()
                .iter()
                .position(|v| v.joint == joint)
                .unwrap_or(0)
        };
        let first = match joint.mimic {
            Some(mimic) => first_of(mimic.joint),
            None => first_of(index),
        };
        let (multiplier, offset) = joint.mimic.map_or((1.0, 0.0), |m| (m.multiplier, m.offset));
        let limits = match joint.mimic {
            // A follower goes where the one it follows takes it.
            Some(m) => robot.joints()[m.joint]
                .limits
                .map(|(low, high)| (low * multiplier + offset, high * multiplier + offset)),
            None => joint.limits,
        };
        let mut step = |at, motion, axis, variable: usize| {
            self.step(at, motion, axis, variable, (multiplier, offset), limits)
        };
        match joint.kind {
            JointKind::Fixed => at,
            JointKind::Revolute | JointKind::Continuous => {
                step(at, Motion::Turn, joint.axis, first)
            }
            JointKind::Prismatic => step(at, Motion::Slide, joint.axis, first),
            JointKind::Planar => {
                // The two directions across the axis, then the turn about it.
                let across = Pose::taking_z_to(joint.axis).rotation;
                let column = |c: usize| [across[0][c], across[1][c], across[2][c]];
                let at = step(at, Motion::Slide, column(0), first);
                let at = step(at, Motion::Slide, column(1), first + 1);
                step(at, Motion::Turn, joint.axis, first + 2)
            }
            JointKind::Floating => {
                let unit = |axis: usize| std::array::from_fn(|i| f64::from(u8::from(i == axis)));
                let mut at = at;
                for axis in 0..3 {
                    at = step(at, Motion::Slide, unit(axis), first + axis);
                }
                // Roll is about x first, so yaw about z is outermost.
                for axis in [2, 1, 0] {
                    at = step(at, Motion::Turn, unit(axis), first + 3 + axis);
                }
                at
            }
        }
    }

    fn step(
        &mut self,
        (frame, pose): (usize, Pose),
        motion: Motion,
        axis: [f64; 3],
        variable: usize,
        (multiplier, offset): (f64, f64),
        limits: Option<(f64, f64)>,
    ) -> (usize, Pose) {
        let aligned = pose.then(&Pose::taking_z_to(axis));
        let back = Pose::taking_z_to(axis).inverse();
        match self.values[variable] {
            Value::Held(value) => {
                let position = value * multiplier + offset;
                let moved = match motion {
                    Motion::Turn => aligned.turned(position.sin_cos()),
                    Motion::Slide => aligned.slid(position),
                };
                (frame, moved.then(&back))
            }
            Value::Input(input) => {
                self.frames.push(Frame {
                    parent: frame,
                    origin: aligned,
                    motion,
                    input,
                    multiplier,
                    offset,
                });
                let slide = match (motion, limits) {
                    (Motion::Slide, Some((low, high))) => low.abs().max(high.abs()),
                    (Motion::Slide, None) => f64::INFINITY,
                    (Motion::Turn, _) => 0.0,
                };
                self.slides.push(slide);
                (self.frames.len(), back)
            }
        }
    }
}

impl<C: Scalar> Kinematics<C> {
    /// How many numbers a configuration has.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many frames there are, the root included.
    pub(crate) fn frame_count(&self) -> usize {
        self.frames.len() + 1
    }

    /// The frame that a link is fixed to, and where in it.
    pub(crate) fn mount(&self, link: usize) -> (usize, Pose<C>) {
        self.mounts[link]
    }

    /// Room for the poses of all links in `count` configurations.
    #[must_use]
    pub fn poses(&self, count: usize) -> Poses<C> {
        let identity = Pose::IDENTITY.cast();
        Poses {
            frames: vec![identity; self.frame_count()],
            links: vec![identity; self.mounts.len() * count],
            lanes: vec![[[[0.0; LANES]; 3]; 4]; self.frame_count()],
            inputs: vec![[0.0; LANES]; self.dimension],
            link_count: self.mounts.len(),
        }
    }

    /// The poses of all frames in one configuration.
    #[inline]
    pub(crate) fn frames(&self, configuration: &[C], frames: &mut [Pose<C>]) {
        for (index, f) in self.frames.iter().enumerate() {
            let position = configuration[f.input] * f.multiplier + f.offset;
            let origin = match f.parent {
                0 => f.origin,
                parent => frames[parent].then(&f.origin),
            };
            frames[index + 1] = match f.motion {
                Motion::Turn => origin.turned(position.sin_cos()),
                Motion::Slide => origin.slid(position),
            };
        }
    }

    fn check_room(&self, configurations: &[C], poses: &Poses<C>) -> usize {
        let count = configurations.len() / self.dimension.max(1);
        assert!(
            configurations.len() == count * self.dimension
                && count * self.mounts.len() <= poses.links.len(),
            "{} numbers do not fit {} variables and room for {} configurations",
            configurations.len(),
            self.dimension,
            poses.links.len() / self.mounts.len().max(1)
        );
        count
    }
}

/// The poses of links in configurations, computed by [`Kinematics`] and reused.
#[derive(Debug, Clone)]
pub struct Poses<C> {
    frames: Vec<Pose<C>>,
    links: Vec<Pose<C>>,
    lanes: Vec<BlockPose<[f32; LANES]>>,
    inputs: Vec<[f32; LANES]>,
    link_count: usize,
}

impl<C: Scalar> Poses<C> {
    /// The poses of all links in a configuration, in the robot's order.
    #[must_use]
    pub fn of(&self, configuration: usize) -> &[Pose<C>] {
        &self.links[configuration * self.link_count..(configuration + 1) * self.link_count]
    }
}

impl Kinematics<f64> {
    /// Computes the poses of all links in these configurations, given one after the other.
    /// Nothing is allocated.
    ///
    /// # Panics
    /// If the numbers are not whole configurations, or `poses` has not room for them.
    pub fn compute(&self, configurations: &[f64], poses: &mut Poses<f64>) {
        self.check_room(configurations, poses);
        let each = configurations.chunks_exact(self.dimension.max(1));
        for (q, links) in each.zip(poses.links.chunks_exact_mut(self.mounts.len())) {
            self.frames(q, &mut poses.frames);
            for ((frame, pose), link) in self.mounts.iter().zip(links) {
                *link = poses.frames[*frame].then(pose);
            }
        }
    }
}

impl Kinematics<f32> {
    /// Computes the poses of all links in these configurations, given one after the other, eight
    /// at a time. Nothing is allocated.
    ///
    /// # Panics
    /// If the numbers are not whole configurations, or `poses` has not room for them.
    pub fn compute(&self, configurations: &[f32], poses: &mut Poses<f32>) {
        let count = self.check_room(configurations, poses);
        let level = Level::new();
        dispatch!(level, simd => self.compute_lanes(simd, configurations, count, poses));
    }

    #[inline(always)]
    fn compute_lanes<S: Simd>(
        &self,
        simd: S,
        configurations: &[f32],
        count: usize,
        poses: &mut Poses<f32>,
    ) {
        let links = self.mounts.len();
        for first in (0..count).step_by(LANES) {
            for lane in 0..LANES {
                let q = &configurations[(first + lane).min(count - 1) * self.dimension..];
                for (input, &value) in poses.inputs.iter_mut().zip(q) {
                    input[lane] = value;
                }
            }
            self.block_frames::<f32x8<S>>(simd, &poses.inputs, &mut poses.lanes);
            for (link, (frame, mount)) in self.mounts.iter().enumerate() {
                let placed = match frame {
                    0 => constant_pose::<f32x8<S>>(simd, mount),
                    _ => load_pose::<f32x8<S>>(simd, &poses.lanes[*frame]).then_constant(mount),
                };
                for lane in 0..LANES.min(count - first) {
                    poses.links[(first + lane) * links + link] = Pose {
                        rotation: placed.rotation.map(|row| row.map(|v| v[lane])),
                        translation: placed.translation.map(|v| v[lane]),
                    };
                }
            }
        }
    }

    /// The poses of all frames but the root in the configurations of a block.
    #[inline(always)]
    pub(crate) fn block_frames<B: Block>(
        &self,
        token: B::Token,
        inputs: &[B::Store],
        frames: &mut [BlockPose<B::Store>],
    ) {
        for (index, f) in self.frames.iter().enumerate() {
            let input = B::load(token, &inputs[f.input]);
            let position = input.times_plus(f.multiplier, B::splat(token, f.offset));
            let origin = match f.parent {
                0 => constant_pose(token, &f.origin),
                parent => load_pose::<B>(token, &frames[parent]).then_constant(&f.origin),
            };
            let moved = match f.motion {
                Motion::Turn => origin.turned(position.sin_cos()),
                Motion::Slide => origin.slid(position),
            };
            store_pose(&moved, &mut frames[index + 1]);
        }
    }
}

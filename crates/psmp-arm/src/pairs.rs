//! Pairs of links that need no check, found by sampling.
//!
//! Some links of a robot touch in every configuration and some in none; to check them is to call
//! everything a collision, or to waste time. As MoveIt's setup assistant does, links next to each other
//! are left out, then those that touch where all joints are at rest, then those that touch in nearly all
//! or in none of many random configurations. The true shapes say what touches; spheres that cover the
//! links say quickly of most pairs that they are apart. A configuration is drawn by its number and the
//! seed, so that threads change nothing.

use crate::arm::ArmError;
use crate::geometry::Shape;
use crate::kept::{Kind, seal, unseal};
use crate::kinematics::Kinematics;
use crate::pose::{Pose, minus, norm};
use crate::robot::{Robot, Variable};
use crate::robot_hash::{add, add_robot};
use crate::sphere_cover::{Ball, DEFAULT_SPHERES, SphereModel, enclosing_ball};
use crate::srdf::{Group, Reason, Semantics};
use crate::true_shape::{Room, TrueShape, to_parry_pose};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use psmp::Draw;
use psmp_files::FileError;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;
use std::hash::Hasher;
use std::path::Path;
use std::sync::Arc;
use twox_hash::XxHash64;

/// How many configurations are drawn between two looks at which pairs are decided.
const ROUND: usize = 250;

/// Of this way of finding pairs and of keeping them; another way is another number.
const VERSION: u64 = 1;

const PAIRS: Kind = Kind {
    name: "set of pairs",
    folder: "pairs",
    ending: "pairs",
};

/// How pairs of links that need no check are looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairSampling {
    /// How many configurations are drawn.
    pub samples: usize,
    /// By which seed.
    pub seed: u64,
    /// In what share of them links touch that are said to always touch.
    pub min_collision_fraction: f64,
}

impl Default for PairSampling {
    fn default() -> Self {
        Self {
            samples: 10_000,
            seed: 0,
            min_collision_fraction: 0.95,
        }
    }
}

impl Semantics {
    /// What can be told of a robot without an SRDF: which pairs of links need no check, with a group
    /// `arm`, which is its longest chain without the hand at its end, and a group `all` if that leaves
    /// joints out. `spheres` cover the robot. `done` is told each time how many more configurations were
    /// looked at.
    ///
    /// # Errors
    /// If a link has a shape that cannot move.
    ///
    /// # Panics
    /// If `spheres` are another robot's.
    pub fn sampled(
        robot: &Robot,
        spheres: &SphereModel,
        options: &PairSampling,
        done: impl Fn(usize),
    ) -> Result<Self, ArmError> {
        Ok(Self {
            groups: groups(robot),
            disabled: disabled_pairs(robot, spheres, options, done)?,
            states: Vec::new(),
        })
    }

    /// Leaves out the pairs of links that touch in every one of many random configurations: nothing would be free
    /// with them. A robot whose links are spheres may have such pairs though its true shapes, which the SRDF was written
    /// for, never touch. The pairs that are left out now and were not before.
    ///
    /// # Errors
    /// If a link has a shape that cannot move.
    ///
    /// # Panics
    /// If `spheres` are another robot's.
    pub fn leave_out_what_always_touches(
        &mut self,
        robot: &Robot,
        spheres: &SphereModel,
    ) -> Result<Vec<(usize, usize)>, ArmError> {
        let mut bodies = Bodies::new(robot, Kinematics::new(robot), spheres)?;
        let links: Vec<usize> = bodies.all.iter().map(|body| body.link).collect();
        let places = 0..links.len();
        let mut open: Vec<_> = places
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .filter(|&(a, b)| !self.disabled.contains_key(&(links[a], links[b])))
            .collect();
        for number in 0..ROUND {
            bodies.place(&draw(robot, 0, number as u64));
            open.retain(|&(a, b)| bodies.touch(a, b));
        }
        let pairs: Vec<_> = open.iter().map(|&(a, b)| (links[a], links[b])).collect();
        (self.disabled).extend(pairs.iter().map(|&pair| (pair, Reason::Always)));
        Ok(pairs)
    }

    /// The same from the user's cache, or found and kept there; and what is wrong with the cache, if
    /// anything is.
    ///
    /// # Errors
    /// If a link has a shape that cannot move.
    pub fn kept(robot: &Robot, options: &PairSampling) -> Result<(Self, Vec<FileError>), ArmError> {
        keep(robot, options, None)
    }
}

fn keep(
    robot: &Robot,
    options: &PairSampling,
    folder: Option<&Path>,
) -> Result<(Semantics, Vec<FileError>), ArmError> {
    let mut hash = XxHash64::with_seed(VERSION);
    add_robot(&mut hash, robot);
    hash.write_usize(options.samples);
    hash.write_u64(options.seed);
    add(&mut hash, &[options.min_collision_fraction]);
    let hash = hash.finish();
    let mut more = Vec::new();
    let (semantics, mut troubles) = PAIRS.keep(
        folder,
        hash,
        |bytes| {
            Ok(Semantics {
                groups: groups(robot),
                disabled: read(unseal(hash, bytes)?, robot)?,
                states: Vec::new(),
            })
        },
        || {
            let spheres = match folder {
                Some(_) => SphereModel::cover(robot, DEFAULT_SPHERES),
                None => {
                    let (spheres, troubles) = SphereModel::kept(robot, DEFAULT_SPHERES);
                    more = troubles;
                    spheres
                }
            };
            Semantics::sampled(robot, &spheres, options, |_| {})
        },
        |semantics| seal(hash, &written(&semantics.disabled)),
    )?;
    troubles.extend(more);
    Ok((semantics, troubles))
}

/// Three numbers for each pair: its links, and the place of the reason among all.
fn written(disabled: &BTreeMap<(usize, usize), Reason>) -> Vec<u8> {
    let place = |reason| Reason::ALL.iter().position(|r| *r == reason).unwrap_or(0);
    let numbers = disabled
        .iter()
        .flat_map(|(&(a, b), &reason)| [a, b, place(reason)]);
    numbers.flat_map(|n| (n as u32).to_le_bytes()).collect()
}

fn read(bytes: &[u8], robot: &Robot) -> Result<BTreeMap<(usize, usize), Reason>, String> {
    let number = |four: &[u8]| bytemuck::pod_read_unaligned::<u32>(four) as usize;
    let pair = |twelve: &[u8]| {
        let [a, b, reason] = [0, 4, 8].map(|at| number(&twelve[at..at + 4]));
        let sound = a < b && b < robot.links().len();
        Some(((a, b), *Reason::ALL.get(reason)?)).filter(|_| sound)
    };
    let pairs: Option<BTreeMap<_, _>> = bytes.chunks_exact(12).map(pair).collect();
    pairs.ok_or_else(|| "has pairs of another robot".to_owned())
}

/// The pairs of links that need no check, the lesser first, and why.
fn disabled_pairs(
    robot: &Robot,
    spheres: &SphereModel,
    options: &PairSampling,
    done: impl Fn(usize),
) -> Result<BTreeMap<(usize, usize), Reason>, ArmError> {
    let mut bodies = Bodies::new(robot, Kinematics::new(robot), spheres)?;
    let rest: Vec<f64> = robot.variables().iter().map(Variable::rest).collect();
    bodies.place(&rest);
    let adjacent = adjacent_links(robot);
    let mut disabled = BTreeMap::new();
    let mut open = Vec::new();
    let count = bodies.all.len();
    for (a, b) in (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))) {
        let all = bodies.all.clone();
        let (one, other) = (&all[a], &all[b]);
        let reason = if adjacent.contains(&(one.link, other.link)) {
            Reason::Adjacent
        } else if bodies.touch(a, b) {
            Reason::Default
        } else if one.frame == other.frame {
            // They never move against each other.
            Reason::Never
        } else {
            open.push(Pair { a, b, touched: 0 });
            continue;
        };
        disabled.insert((one.link, other.link), reason);
    }
    let least = options.min_collision_fraction * options.samples as f64;
    for first in (0..options.samples).step_by(ROUND) {
        let drawn = options.samples.min(first + ROUND);
        let touched = (first..drawn)
            .into_par_iter()
            .map_init(
                || bodies.clone(),
                |bodies, number| {
                    bodies.place(&draw(robot, options.seed, number as u64));
                    let mut touch = |p: &Pair| usize::from(bodies.touch(p.a, p.b));
                    open.iter().map(&mut touch).collect::<Vec<_>>()
                },
            )
            .reduce(
                || vec![0; open.len()],
                |one, other| one.iter().zip(&other).map(|(x, y)| x + y).collect(),
            );
        for (pair, touched) in open.iter_mut().zip(touched) {
            pair.touched += touched;
        }
        // What has touched, and not too often, is to be checked, whatever else is drawn.
        open.retain(|pair| {
            let most = options.samples - (drawn - pair.touched);
            pair.touched == 0 || most as f64 >= least
        });
        done(drawn - first);
    }
    if options.samples > 0 {
        disabled.extend(open.iter().map(|pair| {
            let reason = match pair.touched {
                0 => Reason::Never,
                _ => Reason::Always,
            };
            ((bodies.all[pair.a].link, bodies.all[pair.b].link), reason)
        }));
    }
    Ok(disabled)
}

/// Two bodies, and in how many configurations they have touched.
struct Pair {
    a: usize,
    b: usize,
    touched: usize,
}

/// The configuration of this number: each variable within its limits, angles that go round anywhere,
/// and what can slide without end at rest.
fn draw(robot: &Robot, seed: u64, number: u64) -> Vec<f64> {
    let draw = Draw::new(seed, number);
    let place = |(index, variable): (usize, &Variable)| match variable.limits {
        Some((low, high)) => low + (high - low) * draw.unit(index as u64),
        None if variable.wraps => PI * (2.0 * draw.unit(index as u64) - 1.0),
        None => variable.rest(),
    };
    robot.variables().iter().enumerate().map(place).collect()
}

/// The links that have a shape, placed.
#[derive(Clone)]
pub(crate) struct Bodies {
    all: Arc<[Body]>,
    kinematics: Arc<Kinematics<f64>>,
    frames: Vec<Pose>,
    /// The ball around each body, and the balls that cover it.
    placed: Vec<(Ball, Vec<Ball>)>,
    room: Room,
}

struct Body {
    link: usize,
    /// The frame that it moves with.
    frame: usize,
    /// Its shapes in that frame.
    shapes: Vec<(ParryPose, Arc<TrueShape>)>,
    /// Balls that cover it, in that frame, and one around them.
    balls: Vec<Ball>,
    bound: Ball,
}

impl Bodies {
    fn new(
        robot: &Robot,
        kinematics: Kinematics<f64>,
        spheres: &SphereModel,
    ) -> Result<Self, ArmError> {
        let mut all = Vec::new();
        for (index, link) in robot.links().iter().enumerate() {
            if link.collision.is_empty() {
                continue;
            }
            let ground = |s: &Shape| matches!(s, Shape::HalfSpace | Shape::Heightfield(_));
            if link.collision.iter().any(|s| ground(&s.shape)) {
                return Err(ArmError::MovingGround(link.name.clone()));
            }
            let (frame, mount) = kinematics.mount(index);
            let shapes = link.collision.iter();
            let balls = spheres.of_link(index).iter();
            let balls: Vec<Ball> = balls.map(|b| moved(&mount, b)).collect();
            all.push(Body {
                link: index,
                frame,
                shapes: shapes
                    .map(|s| (to_parry_pose(&mount.then(&s.pose)), s.shape.true_shape()))
                    .collect(),
                bound: enclosing_ball(&balls),
                balls,
            });
        }
        Ok(Self {
            frames: vec![Pose::IDENTITY; kinematics.frame_count()],
            placed: all.iter().map(|b| (b.bound, b.balls.clone())).collect(),
            all: all.into(),
            kinematics: Arc::new(kinematics),
            room: Room::default(),
        })
    }

    /// Moves all to where they are in a configuration.
    fn place(&mut self, configuration: &[f64]) {
        self.kinematics.frames(configuration, &mut self.frames);
        for (body, (bound, balls)) in self.all.iter().zip(&mut self.placed) {
            let pose = &self.frames[body.frame];
            *bound = moved(pose, &body.bound);
            for (ball, own) in balls.iter_mut().zip(&body.balls) {
                *ball = moved(pose, own);
            }
        }
    }

    /// Whether the spheres of two bodies touch where they are.
    fn spheres_touch(&self, a: usize, b: usize) -> bool {
        let ((bound, balls), (other_bound, other_balls)) = (&self.placed[a], &self.placed[b]);
        let near = |one: &Ball, other: &Ball| {
            norm(minus(one.middle, other.middle)) <= one.radius + other.radius
        };
        let mut balls = balls.iter().filter(|ball| near(ball, other_bound));
        near(bound, other_bound)
            && balls.any(|ball| other_balls.iter().any(|other| near(ball, other)))
    }

    /// Whether two bodies touch where they are.
    fn touch(&mut self, a: usize, b: usize) -> bool {
        if !self.spheres_touch(a, b) {
            return false;
        }
        let (one, other) = (&self.all[a], &self.all[b]);
        // Where the other is, as seen from the one.
        let between = to_parry_pose(&self.frames[one.frame])
            .inv_mul(&to_parry_pose(&self.frames[other.frame]));
        let room = &mut self.room;
        one.shapes.iter().any(|(pose, shape)| {
            let seen = pose.inv_mul(&between);
            other.shapes.iter().any(|(inner, other)| {
                let mut direction = Vector::X;
                !shape.farther(other, &(seen * *inner), 0.0, &mut direction, room)
            })
        })
    }
}

fn moved(pose: &Pose, ball: &Ball) -> Ball {
    Ball {
        middle: pose.apply(ball.middle),
        radius: ball.radius,
    }
}

/// The pairs of links with shapes that a joint joins, or several with only links without a shape
/// between them; the lesser first.
pub(crate) fn adjacent_links(robot: &Robot) -> BTreeSet<(usize, usize)> {
    let links = robot.links();
    let mut next_to: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); links.len()];
    for joint in robot.joints() {
        next_to[joint.parent].insert(joint.child);
        next_to[joint.child].insert(joint.parent);
    }
    for empty in (0..links.len()).filter(|&link| links[link].collision.is_empty()) {
        let around = std::mem::take(&mut next_to[empty]);
        for &link in &around {
            next_to[link].remove(&empty);
            let others = around.iter().filter(|&&other| other != link);
            next_to[link].extend(others);
        }
    }
    let pairs = next_to.iter().enumerate();
    pairs
        .flat_map(|(one, others)| others.iter().map(move |&other| (one, other)))
        .filter(|(one, other)| one < other)
        .collect()
}

/// The longest chain without the hand at its end, and all joints if that leaves some out.
fn groups(robot: &Robot) -> Vec<Group> {
    let Some(tip) = chain_tip(robot) else {
        return Vec::new();
    };
    let (mut joints, mut links) = (Vec::new(), vec![tip]);
    while let Some(joint) = robot.links()[links[links.len() - 1]].joint {
        joints.push(joint);
        links.push(robot.joints()[joint].parent);
    }
    joints.sort_unstable();
    links.sort_unstable();
    let moving = |joints: &[usize]| {
        let own = |v: &&Variable| joints.contains(&v.joint);
        robot.variables().iter().filter(own).count()
    };
    let leaves_out = moving(&joints) < robot.variables().len();
    let arm = Group {
        name: "arm".to_owned(),
        joints,
        links,
    };
    let all = leaves_out.then(|| Group {
        name: "all".to_owned(),
        joints: (0..robot.joints().len()).collect(),
        links: (0..robot.links().len()).collect(),
    });
    [arm].into_iter().chain(all).collect()
}

/// The last link of the longest chain. It ends where it parts into several that move, if most of its
/// joints lie before: these are fingers.
fn chain_tip(robot: &Robot) -> Option<usize> {
    let (links, joints) = (robot.links(), robot.joints());
    let mut before = vec![0; links.len()];
    // Links come parents first.
    for link in 1..links.len() {
        let joint = &joints[links[link].joint?];
        let moves = joint.kind != crate::robot::JointKind::Fixed;
        before[link] = before[joint.parent] + usize::from(moves);
    }
    // How many joints there are at most from the root through a link to an end.
    let mut through = before.clone();
    for link in (1..links.len()).rev() {
        let parent = joints[links[link].joint?].parent;
        through[parent] = through[parent].max(through[link]);
    }
    let most = through[0];
    let mut tip = 0;
    loop {
        let children = || joints.iter().filter(|j| j.parent == tip).map(|j| j.child);
        let moving = children().filter(|&child| through[child] > before[tip]);
        if moving.count() > 1 && most - before[tip] < before[tip] {
            break;
        }
        match children().find(|&child| through[child] == most) {
            Some(child) => tip = child,
            None => break,
        }
    }
    (before[tip] > 0).then_some(tip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;

    const FEW: PairSampling = PairSampling {
        samples: 600,
        seed: 1,
        min_collision_fraction: 0.95,
    };

    /// An arm in the plane: a post, a link without a shape, an upper arm that turns all the way round,
    /// a lower arm, a sleeve around all of that, which turns too, and a hand of two fingers.
    fn robot() -> Robot {
        let link = |name: &str, x: f64, size: [f64; 3]| {
            let [a, b, c] = size;
            format!(
                r#"<link name="{name}"><collision><origin xyz="{x} 0 0"/><geometry>
                <box size="{a} {b} {c}"/></geometry></collision></link>"#
            )
        };
        let joint = |name: &str, kind: &str, parent: &str, child: &str, x: f64| {
            format!(
                r#"<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
                <origin xyz="{x} 0 0"/><axis xyz="0 0 1"/><limit lower="-3.14" upper="3.14"/></joint>"#
            )
        };
        let text = [
            "<robot name=\"r\"><link name=\"nothing\"/>".to_owned(),
            link("post", 0.0, [0.1, 0.1, 0.1]),
            link("upper", 0.5, [0.9, 0.05, 0.05]),
            link("lower", 0.6, [1.1, 0.05, 0.05]),
            link("sleeve", 0.0, [0.3, 0.3, 0.3]),
            link("left", 0.05, [0.08, 0.01, 0.01]),
            link("right", 0.05, [0.08, 0.01, 0.01]),
            joint("foot", "fixed", "post", "nothing", 0.0),
            joint("shoulder", "revolute", "nothing", "upper", 0.0),
            joint("elbow", "revolute", "upper", "lower", 1.0),
            joint("collar", "revolute", "lower", "sleeve", -0.8),
            joint("one", "prismatic", "lower", "left", 1.0),
            joint("other", "prismatic", "lower", "right", 1.0),
            "</robot>".to_owned(),
        ];
        Robot::parse("r.urdf", &text.concat()).unwrap()
    }

    fn reason(robot: &Robot, found: &Semantics, one: &str, other: &str) -> Option<Reason> {
        let [a, b] = [one, other].map(|name| robot.link(name).unwrap());
        found.disabled.get(&(a.min(b), a.max(b))).copied()
    }

    #[test]
    fn pairs_are_left_out_for_the_right_reason() {
        let robot = robot();
        let spheres = SphereModel::cover(&robot, 40);
        let found = Semantics::sampled(&robot, &spheres, &FEW, |_| {}).unwrap();
        let reason = |one, other| reason(&robot, &found, one, other);
        // A link without a shape between two does not part them.
        assert_eq!(reason("post", "upper"), Some(Reason::Adjacent));
        assert_eq!(reason("upper", "lower"), Some(Reason::Adjacent));
        assert_eq!(reason("left", "right"), Some(Reason::Default));
        assert_eq!(reason("upper", "sleeve"), Some(Reason::Default));
        // The lower arm can be folded back onto the post, but seldom is.
        assert_eq!(reason("post", "lower"), None);
        assert!(found.disabled.values().all(|r| *r != Reason::User));
    }

    #[test]
    fn what_never_and_what_always_touches_is_found() {
        let (robot, _) = models::planar(3);
        let spheres = SphereModel::cover(&robot, 12);
        // The first and the third link touch where the second is folded back.
        let touching = |limits: &str| {
            let limited = |i: usize| {
                let limits = if i == 2 {
                    limits
                } else {
                    "lower=\"-3\" upper=\"3\""
                };
                format!(
                    r#"<link name="l{i}"><collision><origin xyz="0.15 0 0"/><geometry><box size="0.28 0.02 0.02"/>
                    </geometry></collision></link><joint name="j{i}" type="revolute"><parent link="l{}"/>
                    <child link="l{i}"/><origin xyz="{} 0 0"/><axis xyz="0 0 1"/><limit {limits}/></joint>"#,
                    i - 1,
                    if i == 1 { 0.0 } else { 0.3 }
                )
            };
            let text = format!(
                "<robot name=\"r\"><link name=\"l0\"/>{}{}{}</robot>",
                limited(1),
                limited(2),
                limited(3)
            );
            let robot = Robot::parse("r.urdf", &text).unwrap();
            let spheres = SphereModel::cover(&robot, 12);
            let found = Semantics::sampled(&robot, &spheres, &FEW, |_| {}).unwrap();
            reason(&robot, &found, "l1", "l3")
        };
        assert_eq!(
            touching("lower=\"-0.5\" upper=\"0.5\""),
            Some(Reason::Never)
        );
        assert_eq!(touching("lower=\"-3\" upper=\"3\""), None);
        // Every sample is counted.
        let counted = std::cell::Cell::new(0);
        let count = |more| counted.set(counted.get() + more);
        let options = PairSampling {
            samples: 613,
            ..FEW
        };
        Semantics::sampled(&robot, &spheres, &options, count).unwrap();
        assert_eq!(counted.get(), 613);
    }

    /// The upper arm turns in the post; the sleeve and the fingers touch others at rest, and not wherever they are.
    #[test]
    fn what_an_srdf_does_not_know_to_touch_always_is_left_out() {
        let robot = robot();
        let spheres = SphereModel::cover(&robot, 40);
        let mut semantics = Semantics::default();
        let found = semantics.leave_out_what_always_touches(&robot, &spheres);
        let found = found.unwrap();
        let pair = |one, other| {
            let [a, b] = [one, other].map(|name| robot.link(name).unwrap());
            (a.min(b), a.max(b))
        };
        assert_eq!(found, [pair("post", "upper")]);
        assert_eq!(semantics.disabled.get(&found[0]), Some(&Reason::Always));
        let again = semantics.leave_out_what_always_touches(&robot, &spheres);
        assert_eq!(again.unwrap(), []);
    }

    #[test]
    fn links_that_touch_nearly_always_are_called_so() {
        // Away from each other at rest only.
        let text = r#"<robot name="r">
            <link name="a"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
            <link name="b"><collision><origin xyz="0 0 5"/><geometry><sphere radius="0.1"/></geometry></collision></link>
            <link name="c"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
            <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
            <joint name="k" type="prismatic"><parent link="b"/><child link="c"/><origin xyz="0 0 0.152"/>
            <axis xyz="0 0 -1"/><limit lower="0" upper="0.1"/></joint></robot>"#;
        let robot = Robot::parse("r.urdf", text).unwrap();
        let spheres = SphereModel::cover(&robot, 40);
        let found = Semantics::sampled(&robot, &spheres, &FEW, |_| {}).unwrap();
        assert_eq!(reason(&robot, &found, "a", "c"), Some(Reason::Always));
        let strict = PairSampling {
            min_collision_fraction: 1.0,
            ..FEW
        };
        let found = Semantics::sampled(&robot, &spheres, &strict, |_| {}).unwrap();
        assert_eq!(reason(&robot, &found, "a", "c"), None);
    }

    #[test]
    fn threads_change_nothing_and_seeds_do() {
        let (robot, _) = models::panda_like();
        let spheres = SphereModel::cover(&robot, 40);
        let found = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let sampled = || Semantics::sampled(&robot, &spheres, &FEW, |_| {}).unwrap();
            pool.unwrap().install(sampled).to_srdf(&robot)
        };
        let one = found(1);
        assert_eq!(found(3), one);
        // What is written is read as the same.
        let read = Semantics::parse("r.srdf", &one, &robot).unwrap();
        assert_eq!(read.to_srdf(&robot), one);
        assert_ne!(draw(&robot, 1, 0), draw(&robot, 2, 0));
    }

    #[test]
    fn the_arm_is_the_longest_chain_without_its_hand() {
        let robot = robot();
        let groups = groups(&robot);
        let names = |group: &Group| -> Vec<&str> {
            let joints = group
                .joints
                .iter()
                .map(|&j| robot.joints()[j].name.as_str());
            joints.collect()
        };
        assert_eq!(names(&groups[0]), ["foot", "shoulder", "elbow"]);
        assert_eq!(
            (groups[1].name.as_str(), names(&groups[1]).len()),
            ("all", 6)
        );
        // Where there is no hand, the arm is all.
        let (planar, _) = models::planar(4);
        let only = super::groups(&planar);
        assert_eq!((only.len(), only[0].joints.len()), (1, 4));
        let still = Robot::parse("r.urdf", "<robot name=\"r\"><link name=\"a\"/></robot>").unwrap();
        assert!(super::groups(&still).is_empty());
    }

    #[test]
    fn pairs_that_are_none_are_found_anew_and_said_so() {
        let folder = tempfile::tempdir().unwrap();
        let robot = robot();
        let keep = || keep(&robot, &FEW, Some(folder.path())).unwrap();
        let (first, troubles) = keep();
        assert!(troubles.is_empty(), "{troubles:?}");
        let path = std::fs::read_dir(folder.path()).unwrap().next().unwrap();
        let path = path.unwrap().path();
        let good = std::fs::read(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let hash = u64::from_str_radix(name, 16).unwrap();
        let numbers = |numbers: [u32; 3]| -> Vec<u8> {
            let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            seal(hash, &bytes)
        };
        for bad in [
            b"pairs".to_vec(),
            good[1..].to_vec(),
            numbers([1, 0, 0]),
            numbers([0, 1000, 0]),
            numbers([0, 1, 5]),
        ] {
            std::fs::write(&path, bad).unwrap();
            let (again, troubles) = keep();
            assert_eq!(again, first);
            assert_eq!(troubles.len(), 1, "{troubles:?}");
            assert!(keep().1.is_empty());
        }
    }
}

//! Things that stand about, on a table, on the boards of a shelf or on the floor, and how worlds scatter them.

use crate::families::{normal_pair, within};
use psmp_arm::{Object, Placed, Pose, Shape};
use rand::RngExt;
use rand_pcg::Pcg64;

/// How often another place is tried for a thing before it is left out.
const MOST_PLACES: usize = 1000;
/// How often a thing is missing.
const MISSING: f64 = 0.3;
/// How far a thing is turned at most, either way.
const TURN: f64 = 0.5;

/// A thing of a base scene.
pub(super) struct Thing {
    pub name: &'static str,
    /// Where it stands, seen from above.
    pub at: [f64; 2],
    pub kind: Kind,
    /// What it stands on, counted as its scene does.
    pub level: usize,
}

pub(super) enum Kind {
    /// By its sides.
    Box([f64; 3]),
    /// By radius and height.
    Cylinder(f64, f64),
}

impl Kind {
    /// The radius of a disc around it, seen from above.
    fn radius(&self) -> f64 {
        match self {
            Self::Box([long, wide, _]) => long.hypot(*wide) / 2.0,
            Self::Cylinder(radius, _) => *radius,
        }
    }
}

impl Thing {
    /// The thing at some place, turned, on ground of this height.
    pub fn object(&self, [x, y]: [f64; 2], yaw: f64, ground: f64) -> Object {
        let placed = match self.kind {
            Kind::Box(sides) => cuboid([x, y, ground + sides[2] / 2.0], sides, yaw),
            Kind::Cylinder(radius, height) => Placed {
                shape: Shape::Cylinder {
                    radius,
                    half_height: height / 2.0,
                },
                pose: Pose::at([x, y, ground + height / 2.0]),
            },
        };
        object(self.name, vec![placed])
    }
}

/// How things are scattered.
pub(super) struct Scattering<'a> {
    /// How far a thing is from where it stands in the base scene, in each direction: the standard
    /// deviation.
    pub spread: f64,
    /// How far all of them are shifted.
    pub shift: [f64; 2],
    /// Whether a thing on this level may have its middle there.
    pub fits: &'a dyn Fn(usize, [f64; 2]) -> bool,
    /// How high each level is.
    pub ground: &'a dyn Fn(usize) -> f64,
}

/// Some of the things, each somewhat elsewhere and turned. Seen from above each is a disc, and on one level
/// discs keep apart; where the others leave no room a thing is missing.
pub(super) fn scatter(random: &mut Pcg64, things: &[Thing], how: &Scattering<'_>) -> Vec<Object> {
    let mut standing: Vec<(usize, [f64; 2], f64)> = Vec::new();
    let mut objects = Vec::new();
    for thing in things {
        if random.random::<f64>() < MISSING {
            continue;
        }
        let yaw = within(random, [-TURN, TURN]);
        let radius = thing.kind.radius();
        let place = (0..MOST_PLACES).find_map(|_| {
            let moved = normal_pair(random);
            let at = [0, 1].map(|i| thing.at[i] + how.spread * moved[i] + how.shift[i]);
            let apart = standing.iter().all(|(level, other, wide)| {
                let gap = (at[0] - other[0]).hypot(at[1] - other[1]);
                *level != thing.level || gap > radius + wide
            });
            (apart && (how.fits)(thing.level, at)).then_some(at)
        });
        if let Some(at) = place {
            standing.push((thing.level, at, radius));
            objects.push(thing.object(at, yaw, (how.ground)(thing.level)));
        }
    }
    objects
}

/// An object of several shapes.
pub(super) fn object(name: &str, shapes: Vec<Placed>) -> Object {
    Object {
        name: name.to_owned(),
        shapes,
    }
}

/// A box by its middle and its sides, turned about the vertical.
pub(super) fn cuboid(middle: [f64; 3], sides: [f64; 3], yaw: f64) -> Placed {
    Placed {
        shape: Shape::Box(sides.map(|s| s / 2.0)),
        pose: Pose::from_xyz_rpy(middle, [0.0, 0.0, yaw]),
    }
}

/// The floor at this height.
pub(super) fn floor(height: f64) -> Object {
    let slab = cuboid([0.0, 0.0, height - 0.05], [3.0, 3.0, 0.1], 0.0);
    object("floor", vec![slab])
}

//! Cluttered tables.
//!
//! An arm stands before a table on which things are crowded. It is to go from below the table to
//! above it, around the table's edge and between the things. In each world the table is shifted and
//! raised a little, the things on it and on the floor stand somewhat elsewhere and turned, and some
//! are missing.

use super::things::{Kind, Scattering, Thing, cuboid, floor, object, scatter};
use super::{ARMS, End, Stage};
use crate::families::within;
use psmp_arm::Scene;
use rand_pcg::Pcg64;

/// Where the table stands for an arm: heights in metres.
struct Table {
    arm: &'static str,
    /// The height of the table's surface.
    surface: f64,
    /// The height of the floor.
    floor: f64,
}

/// The table before the arm of this name.
pub(super) fn before(arm: &'static str) -> Box<dyn Stage> {
    let (surface, floor) = if arm == ARMS[0] {
        (0.58, -0.12)
    } else if arm == ARMS[1] {
        (0.25, -0.55)
    } else {
        (0.45, -0.12)
    };
    Box::new(Table {
        arm,
        surface,
        floor,
    })
}

/// How thick the table is.
const THICKNESS: f64 = 0.04;
/// The table's middle and sides, seen from above.
const TABLE: ([f64; 2], [f64; 2]) = ([0.68, 0.0], [0.7, 1.2]);
/// How thick its legs are.
const LEG: f64 = 0.06;

/// What things stand on.
const ON_TABLE: usize = 0;
const ON_FLOOR: usize = 1;

const fn on_table(name: &'static str, at: [f64; 2], kind: Kind) -> Thing {
    Thing {
        name,
        at,
        kind,
        level: ON_TABLE,
    }
}

const fn on_floor(name: &'static str, at: [f64; 2], kind: Kind) -> Thing {
    Thing {
        name,
        at,
        kind,
        level: ON_FLOOR,
    }
}

/// The base scene besides the table. The middle of the table is left for the hand; what stands on
/// the floor beside the arm is in the way of now one swing of its elbow, now another.
const THINGS: [Thing; 11] = [
    on_table("carton", [0.52, 0.3], Kind::Box([0.16, 0.12, 0.24])),
    on_table("cereal", [0.82, -0.08], Kind::Box([0.07, 0.2, 0.3])),
    on_table("book", [0.48, -0.4], Kind::Box([0.15, 0.22, 0.05])),
    on_table("crate", [0.86, 0.36], Kind::Box([0.2, 0.24, 0.16])),
    on_table("bottle", [0.5, -0.2], Kind::Cylinder(0.04, 0.28)),
    on_table("vase", [0.7, 0.22], Kind::Cylinder(0.06, 0.26)),
    on_table("can", [0.66, -0.24], Kind::Cylinder(0.035, 0.13)),
    on_table("jar", [0.88, -0.38], Kind::Cylinder(0.05, 0.18)),
    on_floor("bin", [0.62, -0.38], Kind::Cylinder(0.12, 0.26)),
    on_floor("stool", [0.25, -0.55], Kind::Box([0.28, 0.28, 0.55])),
    on_floor("lamp", [0.3, 0.5], Kind::Cylinder(0.05, 1.3)),
];

/// How far a thing is from where it stands in the base scene, in each direction: the standard
/// deviation.
const SPREAD: f64 = 0.1;
/// How far the table is shifted and raised at most.
const SHIFT: f64 = 0.05;

impl Table {
    /// Table and floor.
    fn furniture(&self, shift: [f64; 3]) -> Scene {
        let ([x, y], [long, wide]) = TABLE;
        let (x, y) = (x + shift[0], y + shift[1]);
        let surface = self.surface + shift[2];
        let mut table = vec![cuboid(
            [x, y, surface - THICKNESS / 2.0],
            [long, wide, THICKNESS],
            0.0,
        )];
        let height = surface - THICKNESS - self.floor;
        for (right, front) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            let at = [
                x + right * (long - LEG) / 2.0,
                y + front * (wide - LEG) / 2.0,
                self.floor + height / 2.0,
            ];
            table.push(cuboid(at, [LEG, LEG, height], 0.0));
        }
        Scene {
            robot: Some(self.arm.replace('-', "_")),
            objects: vec![floor(self.floor), object("table", table)],
            ..Scene::default()
        }
    }

    /// On which height things stand where the table is raised so far.
    fn ground(&self, level: usize, raised: f64) -> f64 {
        match level {
            ON_FLOOR => self.floor,
            _ => self.surface + raised,
        }
    }
}

impl Stage for Table {
    fn base_scene(&self) -> Scene {
        let mut scene = self.furniture([0.0; 3]);
        let things = THINGS.iter();
        let things = things.map(|t| t.object(t.at, 0.0, self.ground(t.level, 0.0)));
        scene.objects.extend(things);
        scene
    }

    fn perturbed(&self, random: &mut Pcg64) -> Scene {
        let shift = [0; 3].map(|_| within(random, [-SHIFT, SHIFT]));
        let mut scene = self.furniture(shift);
        let scattering = Scattering {
            spread: SPREAD,
            shift: [shift[0], shift[1]],
            fits: &|level, at| level == ON_FLOOR || on_top(at, shift),
            ground: &|level| self.ground(level, shift[2]),
        };
        scene.objects.extend(scatter(random, &THINGS, &scattering));
        scene
    }

    fn ends(&self) -> [End; 2] {
        let end = |place, heights| End {
            place,
            within: [[0.55, 0.75], [-0.2, 0.2], heights],
        };
        let underside = self.surface - THICKNESS;
        [
            end("below the table", [self.floor + 0.1, underside - 0.08]),
            end(
                "above the table",
                [self.surface + 0.05, self.surface + 0.18],
            ),
        ]
    }
}

/// Whether the middle of a thing is on the table.
fn on_top(at: [f64; 2], shift: [f64; 3]) -> bool {
    let (middle, sides) = TABLE;
    (0..2).all(|i| (at[i] - middle[i] - shift[i]).abs() < sides[i] / 2.0 - 0.03)
}

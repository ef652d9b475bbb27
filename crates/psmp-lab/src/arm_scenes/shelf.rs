//! Cluttered shelves.
//!
//! An arm stands before a shelf with three boards, two sides and a back, open towards the arm. Its hand is between
//! two boards and is to go between the next two: out of the shelf, past the edge of the board and in again, between
//! things that stand there. In each world the shelf is shifted a little, each board is somewhat higher or lower,
//! the things stand somewhat elsewhere and turned, and some are missing.

use super::things::{Kind, Scattering, Thing, cuboid, floor, object, scatter};
use super::{ARMS, End, Stage};
use crate::families::within;
use psmp_arm::Scene;
use rand_pcg::Pcg64;

/// Where the shelf stands for an arm: heights in metres.
struct Shelf {
    arm: &'static str,
    /// The height of the middle of the shelf: halfway between its lowest board and its top.
    middle: f64,
    /// The height of the floor.
    floor: f64,
}

/// The shelf before the arm of this name.
pub(super) fn before(arm: &'static str) -> Box<dyn Stage> {
    let (middle, floor) = if arm == ARMS[0] {
        (0.5, -0.15)
    } else if arm == ARMS[1] {
        (0.35, -0.55)
    } else {
        (0.35, -0.3)
    };
    Box::new(Shelf { arm, middle, floor })
}

/// How many boards there are, the top among them, and how far apart their middles are.
const BOARDS: usize = 3;
const APART: f64 = 0.42;
/// How thick boards, sides and back are.
const THICKNESS: f64 = 0.03;
/// Where the shelf is, seen from above: from front to back and from side to side.
const DEPTH: [f64; 2] = [0.48, 0.84];
const WIDTH: [f64; 2] = [-0.55, 0.55];
/// How far the hand reaches in at the start and at the goal, and how far it is to the side.
const HAND: [[f64; 2]; 2] = [[0.58, 0.74], [-0.2, 0.2]];

/// How far a thing is from where it stands in the base scene, in each direction: the standard
/// deviation.
const SPREAD: f64 = 0.1;
/// How far the shelf is shifted, and how far each of its boards is raised or lowered, at most.
const SHIFT: f64 = 0.04;
const RAISED: f64 = 0.03;

const fn on_board(level: usize, name: &'static str, at: [f64; 2], kind: Kind) -> Thing {
    Thing {
        name,
        at,
        kind,
        level,
    }
}

/// What stands on the boards, counted from the lowest. The middle of each is left for the hand.
const THINGS: [Thing; 10] = [
    on_board(0, "carton", [0.66, 0.3], Kind::Box([0.14, 0.12, 0.24])),
    on_board(0, "bottle", [0.58, -0.22], Kind::Cylinder(0.04, 0.28)),
    on_board(0, "jar", [0.74, -0.38], Kind::Cylinder(0.06, 0.18)),
    on_board(0, "can", [0.76, 0.05], Kind::Cylinder(0.035, 0.13)),
    on_board(1, "cereal", [0.7, -0.25], Kind::Box([0.2, 0.07, 0.3])),
    on_board(1, "vase", [0.6, 0.26], Kind::Cylinder(0.05, 0.26)),
    on_board(1, "books", [0.72, 0.42], Kind::Box([0.16, 0.1, 0.22])),
    on_board(1, "mug", [0.76, 0.04], Kind::Cylinder(0.04, 0.1)),
    on_board(2, "crate", [0.66, 0.2], Kind::Box([0.24, 0.3, 0.16])),
    on_board(2, "lamp", [0.6, -0.25], Kind::Cylinder(0.06, 0.3)),
];

impl Shelf {
    /// The height of a board's middle in the base scene.
    fn board(&self, level: usize) -> f64 {
        self.middle + APART * (level as f64 - (BOARDS - 1) as f64 / 2.0)
    }

    /// Shelf and floor: shifted so far, with its boards raised so far.
    fn furniture(&self, [x, y]: [f64; 2], raised: [f64; BOARDS]) -> Scene {
        let [front, back] = DEPTH.map(|end| end + x);
        let [right, left] = WIDTH.map(|end| end + y);
        let (long, wide) = (back - front, left - right);
        let (along, across) = (front.midpoint(back), right.midpoint(left));
        let boards = raised.iter().enumerate().map(|(level, raised)| {
            let height = self.board(level) + raised;
            cuboid([along, across, height], [long, wide, THICKNESS], 0.0)
        });
        // They reach from the floor to the top, wherever that is.
        let top = self.board(BOARDS - 1) + RAISED + THICKNESS / 2.0;
        let (upright, high) = (self.floor.midpoint(top), top - self.floor);
        let sides =
            [right, left].map(|side| cuboid([along, side, upright], [long, THICKNESS, high], 0.0));
        let behind = cuboid([back, across, upright], [THICKNESS, wide, high], 0.0);
        let shelf = boards.chain(sides).chain([behind]).collect();
        Scene {
            robot: Some(self.arm.replace('-', "_")),
            objects: vec![floor(self.floor), object("shelf", shelf)],
            ..Scene::default()
        }
    }

    /// On which height things on a board stand.
    fn ground(&self, level: usize, raised: [f64; BOARDS]) -> f64 {
        self.board(level) + raised[level] + THICKNESS / 2.0
    }
}

impl Stage for Shelf {
    fn base_scene(&self) -> Scene {
        let level = [0.0; BOARDS];
        let mut scene = self.furniture([0.0; 2], level);
        let things = THINGS.iter();
        let things = things.map(|t| t.object(t.at, 0.0, self.ground(t.level, level)));
        scene.objects.extend(things);
        scene
    }

    fn perturbed(&self, random: &mut Pcg64) -> Scene {
        let shift = [0; 2].map(|_| within(random, [-SHIFT, SHIFT]));
        let raised = [0; BOARDS].map(|_| within(random, [-RAISED, RAISED]));
        let mut scene = self.furniture(shift, raised);
        let fits = |_, at: [f64; 2]| {
            let inside = |axis: usize, [low, high]: [f64; 2]| {
                (low + 0.05..high - 0.05).contains(&(at[axis] - shift[axis]))
            };
            inside(0, DEPTH) && inside(1, WIDTH)
        };
        let scattering = Scattering {
            spread: SPREAD,
            shift,
            fits: &fits,
            ground: &|level| self.ground(level, raised),
        };
        scene.objects.extend(scatter(random, &THINGS, &scattering));
        scene
    }

    fn ends(&self) -> [End; 2] {
        let [along, across] = HAND;
        let above = |level, place| {
            let [low, high] = [self.board(level), self.board(level + 1)];
            End {
                place,
                within: [along, across, [low + 0.08, high - 0.08]],
            }
        };
        [
            above(0, "between the lower two boards"),
            above(1, "between the upper two boards"),
        ]
    }
}

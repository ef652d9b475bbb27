//! An office: a floor of rooms along two corridors, with furniture, and with doors that a round robot just fits
//! through.
//!
//! The corridors run from left to right. Below the lower one and above the upper one is a row of rooms; between
//! them are two rows back to back, and two passages. Each room has a door to its corridor, and some have one
//! to a neighbour, so that there are many ways. All worlds of a problem set are one floor at different hours:
//! walls and desks stay, chairs are somewhere else each time, and every door has a habit of being open or
//! closed, which is what there is to learn from experience here. Start and goal are in rooms on opposite sides
//! of the floor.
//!
//! The robot is a disc. Its radius is part of the [images](super::ProblemSet::image), which show where
//! its centre may be: the passage that a door leaves there is a few cells wide.

use super::WorldRecipe;
use super::obstacles::{Rectangle, around, piece, within};
use rand::RngExt;
use rand_pcg::Pcg64;

/// The robot's radius. Think of a floor of 24 metres, and of a robot half a metre across.
pub(super) const ROBOT: f64 = 0.01;
/// How much wider than the robot a door is.
const TO_SPARE: [f64; 2] = [0.0035, 0.006];
const WALL: f64 = 0.006;
/// How wide corridors and passages are, and rooms, the latter on average.
const CORRIDOR: [f64; 2] = [0.045, 0.06];
const ROOM: f64 = 0.16;
/// Where the corridors and the passages begin.
const CORRIDORS: [[f64; 2]; 2] = [[0.18, 0.25], [0.7, 0.77]];
const PASSAGES: [[f64; 2]; 2] = [[0.15, 0.35], [0.6, 0.8]];
/// How likely there is a door between neighbours in an outer row, in an inner row, and back to back.
const BESIDE: f64 = 0.5;
const BESIDE_INSIDE: f64 = 0.3;
const BACK_TO_BACK: f64 = 0.4;
/// How likely a door is open: each door has one of these.
const HABITS: [f64; 3] = [0.95, 0.8, 0.5];
/// How many desks and chairs a room has, and their sides.
const DESKS: [u32; 2] = [2, 5];
const DESK: [[f64; 2]; 2] = [[0.03, 0.06], [0.018, 0.03]];
const CHAIRS: [u32; 2] = [1, 4];
const CHAIR: [f64; 2] = [0.012, 0.018];
/// How far a piece of furniture stays off start, goal, doors and other pieces, so that no room is cut in two.
const KEPT_CLEAR: f64 = 3.0 * ROBOT;

pub(super) fn recipe(random: &mut Pcg64) -> WorldRecipe {
    let floor = Floor::draw(random);
    Box::new(move |random| floor.at_some_hour(random))
}

/// Start and goal; before, in and behind each door; and along the corridors and passages.
pub(super) fn places(random: &mut Pcg64) -> Vec<Vec<f64>> {
    let floor = Floor::draw(random);
    let at_doors = floor.doors.iter().flat_map(Door::places);
    let along = floor.corridors.iter().flat_map(|corridor| {
        let [x, y] = [corridor.x, corridor.y];
        let length = (x[1] - x[0]).max(y[1] - y[0]);
        let count = (length / CORRIDOR[0]).ceil();
        (1..count as u32).map(move |place| {
            let share = f64::from(place) / count;
            let is_upright = y[1] - y[0] == length;
            let [along_x, along_y] = if is_upright {
                [0.5, share]
            } else {
                [share, 0.5]
            };
            [
                x[0] + along_x * (x[1] - x[0]),
                y[0] + along_y * (y[1] - y[0]),
            ]
        })
    });
    floor
        .ends
        .into_iter()
        .chain(at_doors)
        .chain(along)
        .map(Vec::from)
        .collect()
}

/// A door in a wall.
struct Door {
    /// Its middle.
    at: [f64; 2],
    width: f64,
    /// Whether its wall is upright.
    is_upright: bool,
    /// How likely it is open.
    habit: f64,
}

impl Door {
    /// What stands in the way when it is closed.
    fn closed(&self) -> Rectangle {
        let [along, across] = [self.width, WALL];
        piece(self.at, self.is_upright, along, across)
    }

    /// Before it, in it and behind it.
    fn places(&self) -> [[f64; 2]; 3] {
        let [x, y] = self.at;
        [-1.0, 0.0, 1.0].map(|side| {
            let off = side * (WALL / 2.0 + 1.5 * ROBOT);
            match self.is_upright {
                true => [x + off, y],
                false => [x, y + off],
            }
        })
    }
}

/// A floor: what its worlds have in common.
#[derive(Default)]
struct Floor {
    walls: Vec<Rectangle>,
    doors: Vec<Door>,
    /// The corridors and the passages between them.
    corridors: Vec<Rectangle>,
    rooms: Vec<Rectangle>,
    desks: Vec<Rectangle>,
    /// Start and goal.
    ends: [[f64; 2]; 2],
}

impl Floor {
    fn draw(random: &mut Pcg64) -> Self {
        let mut floor = Self::default();
        for at in [WALL / 2.0, 1.0 - WALL / 2.0] {
            floor.wall(random, at, [0.0, 1.0], true, 0.0);
            floor.wall(random, at, [0.0, 1.0], false, 0.0);
        }
        let corridor = |random: &mut Pcg64, from| {
            let low = within(random, from);
            [low, low + within(random, CORRIDOR)]
        };
        let [lower, upper] = CORRIDORS.map(|from| corridor(random, from));
        floor.corridors = vec![
            Rectangle::new([0.0, 1.0], lower),
            Rectangle::new([0.0, 1.0], upper),
        ];
        let ends = [([0.0, lower[0]], lower[0]), ([upper[1], 1.0], upper[1])];
        floor.ends = ends.map(|(y, door)| {
            let rooms = floor.row(random, [0.0, 1.0], y, door, BESIDE);
            let room = &rooms[random.random_range(0..rooms.len())];
            [room.x, room.y]
                .map(|[low, high]| within(random, [low + KEPT_CLEAR, high - KEPT_CLEAR]))
        });
        let middle = around(lower[1].midpoint(upper[0]), 0.1);
        let middle = within(random, middle);
        let mut from = 0.0;
        for passage in PASSAGES.map(Some).into_iter().chain([None]) {
            let [begins, ends] = passage.map_or([1.0, 1.0], |passage| corridor(random, passage));
            let rooms = floor.row(
                random,
                [from, begins],
                [lower[1], middle],
                lower[1],
                BESIDE_INSIDE,
            );
            for room in rooms {
                floor.wall(random, middle, room.x, false, BACK_TO_BACK);
            }
            floor.row(
                random,
                [from, begins],
                [middle, upper[0]],
                upper[0],
                BESIDE_INSIDE,
            );
            if passage.is_some() {
                let y = [lower[1], upper[0]];
                floor.corridors.push(Rectangle::new([begins, ends], y));
                for x in [begins, ends] {
                    floor.wall(random, x, [lower[1], upper[0]], true, 0.0);
                }
                for y in [lower[1], upper[0]] {
                    floor.wall(random, y, [begins, ends], false, 1.0);
                }
            }
            from = ends;
        }
        let desk = |random: &mut Pcg64| DESK.map(|side| within(random, side));
        floor.desks = floor.furniture(random, DESKS, desk);
        floor
    }

    /// A row of rooms, each with a door to the corridor at this height, and perhaps one to the next.
    fn row(
        &mut self,
        random: &mut Pcg64,
        [left, right]: [f64; 2],
        y: [f64; 2],
        corridor: f64,
        beside: f64,
    ) -> Vec<Rectangle> {
        let count = ((right - left) / ROOM).round().max(1.0);
        let mut rooms = Vec::new();
        let mut from = left;
        for room in 1..=count as u32 {
            let is_last = room == count as u32;
            let share = (f64::from(room) + within(random, [-0.25, 0.25])) / count;
            let to = if is_last {
                right
            } else {
                left + share * (right - left)
            };
            self.wall(random, corridor, [from, to], false, 1.0);
            if !is_last {
                self.wall(random, to, y, true, beside);
            }
            rooms.push(Rectangle::new([from, to], y));
            from = to;
        }
        self.rooms.extend(&rooms);
        rooms
    }

    /// A stretch of wall, with a door somewhere if chance will have it.
    fn wall(
        &mut self,
        random: &mut Pcg64,
        at: f64,
        [from, to]: [f64; 2],
        is_upright: bool,
        door: f64,
    ) {
        let place = |along| if is_upright { [at, along] } else { [along, at] };
        let mut solid = |[from, to]: [f64; 2]| {
            let middle = place(from.midpoint(to));
            self.walls.push(piece(middle, is_upright, to - from, WALL));
        };
        if random.random::<f64>() >= door {
            return solid([from, to]);
        }
        let width = 2.0 * ROBOT + within(random, TO_SPARE);
        let beside = WALL + width / 2.0;
        let along = within(random, [from + beside, to - beside]);
        let [low, high] = around(along, width);
        solid([from, low]);
        solid([high, to]);
        self.doors.push(Door {
            at: place(along),
            width,
            is_upright,
            habit: HABITS[random.random_range(0..HABITS.len())],
        });
    }

    /// Some pieces in each room, of sizes that are drawn, lying either way.
    fn furniture(
        &self,
        random: &mut Pcg64,
        [fewest, most]: [u32; 2],
        size: impl Fn(&mut Pcg64) -> [f64; 2],
    ) -> Vec<Rectangle> {
        let doors = self.doors.iter().map(|door| door.at);
        let places = self.ends.into_iter().chain(doors);
        let kept_clear = places.map(|[x, y]| Rectangle::new([x, x], [y, y]));
        let mut all: Vec<Rectangle> = kept_clear.chain(self.desks.iter().copied()).collect();
        let before = all.len();
        for room in &self.rooms {
            for _ in 0..random.random_range(fewest..=most) {
                let [along, across] = size(random);
                let [x, y] = match random.random() {
                    true => [across, along],
                    false => [along, across],
                };
                let inside = |random: &mut Pcg64, [low, high]: [f64; 2], side| {
                    around(within(random, [low + side / 2.0, high - side / 2.0]), side)
                };
                let piece = Rectangle::new(inside(random, room.x, x), inside(random, room.y, y));
                if all.iter().all(|other| gap(&piece, other) > KEPT_CLEAR) {
                    all.push(piece);
                }
            }
        }
        all.split_off(before)
    }

    /// The obstacles of one world.
    fn at_some_hour(&self, random: &mut Pcg64) -> Vec<Rectangle> {
        let doors = self.doors.iter();
        let closed: Vec<Rectangle> = doors
            .filter(|door| random.random::<f64>() >= door.habit)
            .map(Door::closed)
            .collect();
        let chair = |random: &mut Pcg64| [within(random, CHAIR); 2];
        let chairs = self.furniture(random, CHAIRS, chair);
        let parts = [&self.walls, &self.desks, &closed, &chairs];
        parts.into_iter().flatten().copied().collect()
    }
}

/// How far two rectangles are apart, along the axis on which they are farther.
fn gap(one: &Rectangle, other: &Rectangle) -> f64 {
    let off = |a: [f64; 2], b: [f64; 2]| (a[0] - b[1]).max(b[0] - a[1]);
    off(one.x, other.x).max(off(one.y, other.y))
}

//! Rooms: a square that thin walls divide into some ten rooms, with doors between neighbours.
//!
//! All worlds of a problem set are one house. Its walls are drawn once, by dividing the square and then its
//! parts in two until no room is large, and so are the places of the doors. Which doors are closed is one of a
//! few patterns that the worlds share, all of which leave a way from the first room to the last; in each world
//! a few doors are not as its pattern has them, and a piece of furniture or two may stand before one. So a door
//! tells of others at the far end of the house, and never for certain, which is what there is to learn here. In
//! an [office](super::OFFICE) doors keep to habits of their own and tell nothing of each other.

use super::WorldRecipe;
use super::obstacles::{Rectangle, around, forest, piece, within};
use rand::RngExt;
use rand_pcg::Pcg64;

const WALL: f64 = 0.02;
const DOOR: f64 = 0.09;
/// The least side of a room, and the longest that is not divided.
const LEAST_SIDE: f64 = 0.2;
const LONGEST_SIDE: f64 = 0.45;
/// How far a door stays off the corners of its rooms.
const OFF_CORNERS: f64 = 0.03;
const PATTERNS: usize = 20;
/// How likely a door is open in a pattern, and how likely it is not as the pattern has it.
const OPEN: f64 = 0.55;
const DEPARTS: f64 = 0.1;
const SQUARES: f64 = 2.0;

pub(super) fn recipe(random: &mut Pcg64) -> WorldRecipe {
    let house = House::draw(random);
    let patterns = house.patterns(random);
    Box::new(move |random| {
        let pattern = &patterns[random.random_range(0..patterns.len())];
        let mut obstacles = house.walls.clone();
        for (door, open) in house.doors.iter().zip(pattern) {
            let departs = random.random::<f64>() < DEPARTS;
            if *open == departs {
                obstacles.push(door.closed);
            }
        }
        obstacles.extend(forest(random, SQUARES));
        obstacles
    })
}

/// A door between two rooms.
struct Door {
    rooms: [usize; 2],
    /// What stands in the way when it is closed.
    closed: Rectangle,
}

/// What the worlds of a set have in common.
struct House {
    rooms: Vec<Rectangle>,
    walls: Vec<Rectangle>,
    doors: Vec<Door>,
}

impl House {
    fn draw(random: &mut Pcg64) -> Self {
        let mut rooms = Vec::new();
        divide(random, Rectangle::new([0.0, 1.0], [0.0, 1.0]), &mut rooms);
        let mut house = Self {
            walls: Vec::new(),
            doors: Vec::new(),
            rooms,
        };
        for one in 0..house.rooms.len() {
            for other in 0..house.rooms.len() {
                house.wall_between(random, [one, other]);
            }
        }
        house
    }

    /// The wall between two rooms if the first lies directly to the left of the second or below it, with a
    /// door somewhere if there is room for one.
    fn wall_between(&mut self, random: &mut Pcg64, rooms: [usize; 2]) {
        let [one, other] = rooms.map(|room| self.rooms[room]);
        let shared = |a: [f64; 2], b: [f64; 2]| [a[0].max(b[0]), a[1].min(b[1])];
        let (is_upright, at, [from, to]) = if one.x[1] == other.x[0] {
            (true, one.x[1], shared(one.y, other.y))
        } else if one.y[1] == other.y[0] {
            (false, one.y[1], shared(one.x, other.x))
        } else {
            return;
        };
        if from >= to {
            return;
        }
        let stretch = |[from, to]: [f64; 2]| {
            let along = from.midpoint(to);
            let middle = if is_upright { [at, along] } else { [along, at] };
            piece(middle, is_upright, to - from, WALL)
        };
        // Walls reach into each other where they meet.
        let [begins, ends] = [from - WALL / 2.0, to + WALL / 2.0];
        let off = WALL / 2.0 + OFF_CORNERS + DOOR / 2.0;
        if to - from < 2.0 * off {
            self.walls.push(stretch([begins, ends]));
            return;
        }
        let [low, high] = around(within(random, [from + off, to - off]), DOOR);
        self.walls
            .extend([[begins, low], [high, ends]].map(stretch));
        self.doors.push(Door {
            rooms,
            closed: stretch([low, high]),
        });
    }

    /// Which doors are open, several times: such that the last room can be reached from the first.
    fn patterns(&self, random: &mut Pcg64) -> Vec<Vec<bool>> {
        loop {
            let patterns: Vec<Vec<bool>> = (0..PATTERNS)
                .map(|_| {
                    let doors = self.doors.iter();
                    doors.map(|_| random.random::<f64>() < OPEN).collect()
                })
                .filter(|pattern: &Vec<bool>| self.is_connected(pattern))
                .collect();
            if !patterns.is_empty() {
                return patterns;
            }
        }
    }

    /// Whether open doors lead from the first room, in which one begins, to the last.
    fn is_connected(&self, open: &[bool]) -> bool {
        let mut reached = vec![false; self.rooms.len()];
        let mut next = vec![0];
        while let Some(room) = next.pop() {
            if std::mem::replace(&mut reached[room], true) {
                continue;
            }
            for (door, _) in self.doors.iter().zip(open).filter(|(_, open)| **open) {
                match door.rooms {
                    [one, other] if one == room => next.push(other),
                    [one, other] if other == room => next.push(one),
                    _ => {}
                }
            }
        }
        reached.last() == Some(&true)
    }
}

/// Divides a room across its longer side until it is small, from the lower left to the upper right.
fn divide(random: &mut Pcg64, room: Rectangle, rooms: &mut Vec<Rectangle>) {
    let Rectangle { x, y, .. } = room;
    let [wide, high] = [x, y].map(|[low, high]| high - low);
    if wide.max(high) <= LONGEST_SIDE {
        rooms.push(room);
        return;
    }
    let cut = |random: &mut Pcg64, [low, high]: [f64; 2]| {
        let at = within(random, [low + LEAST_SIDE, high - LEAST_SIDE]);
        [[low, at], [at, high]]
    };
    let parts = if wide > high {
        cut(random, x).map(|x| Rectangle::new(x, y))
    } else {
        cut(random, y).map(|y| Rectangle::new(x, y))
    };
    for part in parts {
        divide(random, part, rooms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn houses() -> impl Iterator<Item = (House, Vec<Vec<bool>>)> {
        (0..50).map(|seed| {
            let mut random = Pcg64::seed_from_u64(seed);
            let house = House::draw(&mut random);
            let patterns = house.patterns(&mut random);
            (house, patterns)
        })
    }

    #[test]
    fn rooms_fill_the_square_and_hold_start_and_goal_at_their_ends() {
        for (house, _) in houses() {
            let area: f64 = house.rooms.iter().map(|r| side(r.x) * side(r.y)).sum();
            assert!((area - 1.0).abs() < 1e-9);
            let sides = house.rooms.iter().flat_map(|r| [side(r.x), side(r.y)]);
            assert!(
                sides
                    .into_iter()
                    .all(|s| (LEAST_SIDE..=LONGEST_SIDE).contains(&(s + 1e-12)))
            );
            let [first, last] = [house.rooms.first(), house.rooms.last()].map(Option::unwrap);
            assert_eq!((first.x[0], first.y[0]), (0.0, 0.0));
            assert_eq!((last.x[1], last.y[1]), (1.0, 1.0));
        }
    }

    fn side([low, high]: [f64; 2]) -> f64 {
        high - low
    }

    #[test]
    fn every_pattern_leaves_a_way_and_closes_doors() {
        for (house, patterns) in houses() {
            let doors = house.doors.len();
            assert!((6..=40).contains(&doors), "{doors} doors");
            assert!(house.is_connected(&vec![true; doors]));
            assert!(!house.is_connected(&vec![false; doors]));
            for pattern in &patterns {
                assert!(house.is_connected(pattern));
                assert!(pattern.contains(&false));
            }
        }
    }
}

//! Where an arm is, as a whole: the place of a configuration in a space in which what collides alike is near.
//!
//! Two configurations are as far apart as the arm's bodies move from one to the other, in the root mean square over
//! all their points. For one body that is told by its frame: points that are spread evenly in a box around the body
//! have a middle and a width along each axis, and from one pose to another the mean of their squared ways is that of
//! the middle and of the three axes, each as long as the width. So a configuration has a place of twelve numbers for
//! each frame, and distances between places are what is sought.
//!
//! Most of these numbers hardly change, or change together: shoulders stand still and a hand goes where its arm does.
//! Directions are kept in the order of how much places differ along them, until what is left is a hundredth of all
//! squared distances.

use crate::geometry::around;
use crate::kinematics::Kinematics;
use crate::pose::Pose;
use crate::robot::Robot;
use psmp::roadmap::halton;
use psmp::{Embedding, Space};
use std::fmt;
use std::sync::OnceLock;

/// Configurations from which it is learned along which directions places differ.
const SAMPLES: usize = 256;
/// The share of squared distances that is given up.
const GIVEN_UP: f64 = 0.01;
/// How often a direction is turned towards the one along which places differ most.
const TURNS: usize = 12;
/// So many times as wide as what surrounds all places is what beliefs measure distances by. They think of obstacles as an eighth of
/// that at most, which suits a point in a plane; but an arm is thick, and a collision tells of places a hand's breadth and more away.
/// Chosen on training worlds of published sets.
const BREADTH: f64 = 4.0;
/// Numbers of a pose.
const NUMBERS: usize = 12;
/// Poses of as many frames find room on the stack.
const FRAMES: usize = 16;

/// Places of an arm's configurations.
pub(crate) struct Whereabouts {
    kinematics: Kinematics<f64>,
    space: Space,
    /// For each frame that moves, what is fixed to it.
    bodies: Vec<Spread>,
    /// Made when somebody asks.
    directions: OnceLock<Directions>,
}

/// Points that move with a frame.
#[derive(Debug, Clone, Copy)]
struct Spread {
    /// The share of all points that are these.
    share: f64,
    middle: [f64; 3],
    /// The root mean square of how far they are from the middle, along each axis.
    width: [f64; 3],
}

/// The directions that are kept.
#[derive(Debug)]
struct Directions {
    /// For each direction, what each number of each frame counts.
    rows: Vec<f64>,
    count: usize,
    longest_side: f64,
}

impl Whereabouts {
    /// Of the links of a robot that these kinematics move; none if they move nothing that has a shape.
    pub fn new(robot: &Robot, kinematics: &Kinematics<f64>, space: &Space) -> Option<Self> {
        let mut bodies: Vec<Vec<Spread>> = vec![Vec::new(); kinematics.frame_count() - 1];
        for (link, of_link) in robot.links().iter().enumerate() {
            let (frame, mount) = kinematics.mount(link);
            if frame == 0 || of_link.collision.is_empty() {
                continue;
            }
            let corners = of_link.collision.iter().flat_map(|placed| {
                let (low, high) = placed.shape.bounds(&mount.then(&placed.pose));
                [low, high]
            });
            let (low, high) = around(corners, 0.0);
            bodies[frame - 1].push(Spread {
                share: 1.0,
                middle: [0, 1, 2].map(|i| low[i].midpoint(high[i])),
                width: [0, 1, 2].map(|i| (high[i] - low[i]) / 12f64.sqrt()),
            });
        }
        let count: usize = bodies.iter().map(Vec::len).sum();
        let bodies = bodies.iter().map(|of_frame| Spread::of(of_frame, count));
        // By its axes alone: what it was embedded in before is no matter.
        let space = Space::new(space.axes().to_vec()).ok()?;
        (count > 0).then(|| Self {
            kinematics: kinematics.clone(),
            space,
            bodies: bodies.collect(),
            directions: OnceLock::new(),
        })
    }

    /// Hands on the numbers of all frames in a configuration.
    fn numbers<R>(&self, configuration: &[f64], then: impl FnOnce(&[Pose]) -> R) -> R {
        let count = self.kinematics.frame_count();
        if count <= FRAMES {
            let mut frames = [Pose::IDENTITY; FRAMES];
            self.kinematics.frames(configuration, &mut frames[..count]);
            then(&frames[1..count])
        } else {
            let mut frames = vec![Pose::IDENTITY; count];
            self.kinematics.frames(configuration, &mut frames);
            then(&frames[1..])
        }
    }

    fn directions(&self) -> &Directions {
        self.directions.get_or_init(|| self.learn())
    }

    /// Finds the directions along which places differ most.
    fn learn(&self) -> Directions {
        let size = NUMBERS * self.bodies.len();
        let mut places = vec![0.0; SAMPLES * size];
        let configurations = halton(&self.space, SAMPLES);
        let each = configurations.chunks_exact(self.space.dimension());
        for (q, place) in each.zip(places.chunks_exact_mut(size)) {
            self.numbers(q, |frames| {
                let each = frames.iter().zip(&self.bodies);
                for ((frame, body), place) in each.zip(place.chunks_exact_mut(NUMBERS)) {
                    body.place(frame, place);
                }
            });
        }
        for number in 0..size {
            let column = || places.iter().skip(number).step_by(size);
            let mean = column().sum::<f64>() / SAMPLES as f64;
            let column = places.iter_mut().skip(number).step_by(size);
            column.for_each(|x| *x -= mean);
        }
        let total = squared(&places);
        let mut kept: Vec<f64> = Vec::new();
        let mut longest_side = 0.0;
        let mut left = total;
        while left > GIVEN_UP * total {
            let (direction, along) = widest(&mut places, size);
            let (low, high) = along
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                    (x.min(low), x.max(high))
                });
            longest_side = f64::max(longest_side, high - low);
            kept.extend(direction);
            left = squared(&places);
        }
        let count = kept.len() / size;
        for row in kept.chunks_exact_mut(size) {
            for (row, body) in row.chunks_exact_mut(NUMBERS).zip(&self.bodies) {
                body.fold_in(row);
            }
        }
        Directions {
            rows: kept,
            count,
            longest_side: BREADTH * longest_side,
        }
    }
}

fn squared(numbers: &[f64]) -> f64 {
    numbers.iter().map(|x| x * x).sum()
}

/// The direction along which these places differ most, and how far along it each is. They do not differ along it any
/// more then.
fn widest(places: &mut [f64], size: usize) -> (Vec<f64>, Vec<f64>) {
    // It is not across the place that is farthest out.
    let each = places.chunks_exact(size);
    let farthest = each.max_by(|a, b| squared(a).total_cmp(&squared(b)));
    let mut direction = farthest.unwrap_or_default().to_vec();
    let mut along = vec![0.0; places.len() / size];
    for turn in 0..=TURNS {
        let length = squared(&direction).sqrt();
        direction.iter_mut().for_each(|x| *x /= length);
        for (along, place) in along.iter_mut().zip(places.chunks_exact(size)) {
            *along = place.iter().zip(&direction).map(|(a, b)| a * b).sum();
        }
        if turn < TURNS {
            direction.fill(0.0);
            for (along, place) in along.iter().zip(places.chunks_exact(size)) {
                let sums = direction.iter_mut().zip(place);
                sums.for_each(|(sum, x)| *sum += along * x);
            }
        }
    }
    for (along, place) in along.iter().zip(places.chunks_exact_mut(size)) {
        let parts = place.iter_mut().zip(&direction);
        parts.for_each(|(x, part)| *x -= along * part);
    }
    (direction, along)
}

impl Spread {
    /// All points of several bodies, of which there are `count` altogether.
    fn of(bodies: &[Spread], count: usize) -> Self {
        let share = 1.0 / bodies.len().max(1) as f64;
        let mean = |of: &dyn Fn(&Spread) -> f64| share * bodies.iter().map(of).sum::<f64>();
        let middle = [0, 1, 2].map(|i| mean(&|body| body.middle[i]));
        let width = [0, 1, 2].map(|i| {
            let off = |body: &Spread| body.middle[i] - middle[i];
            mean(&|body| body.width[i].powi(2) + off(body).powi(2)).sqrt()
        });
        Self {
            share: bodies.len() as f64 / count.max(1) as f64,
            middle,
            width,
        }
    }

    /// Writes where these points are when their frame is there.
    fn place(&self, frame: &Pose, place: &mut [f64]) {
        let weight = self.share.sqrt();
        let middle = frame.apply(self.middle);
        for i in 0..3 {
            place[i] = weight * middle[i];
            for axis in 0..3 {
                place[3 + 3 * i + axis] = weight * self.width[axis] * frame.rotation[i][axis];
            }
        }
    }

    /// Takes what each number of a place counts, and says what each number of the frame does: its translation first,
    /// then its rotation row by row.
    fn fold_in(&self, row: &mut [f64]) {
        let weight = self.share.sqrt();
        for i in 0..3 {
            row[i] *= weight;
            for axis in 0..3 {
                let of_axis = row[3 + 3 * i + axis] * weight * self.width[axis];
                row[3 + 3 * i + axis] = of_axis + row[i] * self.middle[axis];
            }
        }
    }
}

/// The same before and after somebody has asked.
impl fmt::Debug for Whereabouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Whereabouts");
        shown.field("bodies", &self.bodies).finish_non_exhaustive()
    }
}

impl Embedding for Whereabouts {
    fn dimension(&self) -> usize {
        self.directions().count
    }

    fn longest_side(&self) -> f64 {
        self.directions().longest_side
    }

    fn embed(&self, configuration: &[f64], place: &mut [f64]) {
        let rows = self
            .directions()
            .rows
            .chunks_exact(NUMBERS * self.bodies.len());
        self.numbers(configuration, |frames| {
            // One after the other in the order of the rows, for which they are gone through again and again.
            let (mut room, mut more) = ([[0.0; NUMBERS]; FRAMES], Vec::new());
            let numbers = match frames.len() <= FRAMES {
                true => &mut room[..frames.len()],
                false => {
                    more.resize(frames.len(), [0.0; NUMBERS]);
                    &mut more[..]
                }
            };
            for (numbers, frame) in numbers.iter_mut().zip(frames) {
                let (translation, rotation) = numbers.split_at_mut(3);
                translation.copy_from_slice(&frame.translation);
                rotation.copy_from_slice(frame.rotation.as_flattened());
            }
            for (place, row) in place.iter_mut().zip(rows) {
                let mut sums = [0.0; NUMBERS];
                for (numbers, row) in numbers.iter().zip(row.as_chunks::<NUMBERS>().0) {
                    for (sum, (x, y)) in sums.iter_mut().zip(numbers.iter().zip(row)) {
                        *sum += x * y;
                    }
                }
                *place = sums.iter().sum();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::Arm;
    use crate::models;

    fn place(arm: &Arm, q: &[f64]) -> Vec<f64> {
        let embedding = arm.space().embedding().unwrap();
        let mut place = vec![0.0; embedding.dimension()];
        embedding.embed(q, &mut place);
        place
    }

    fn apart(arm: &Arm, a: &[f64], b: &[f64]) -> f64 {
        let [a, b] = [a, b].map(|q| place(arm, q));
        let squares = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    }

    /// The root mean square of how far the corners of boxes move, drawn in so that they are spread as widely as all
    /// points of the boxes.
    fn moved(arm: &Arm, a: &[f64], b: &[f64]) -> f64 {
        let kinematics = arm.kinematics();
        let [mut at_a, mut at_b] = [0, 1].map(|_| kinematics.poses(1));
        kinematics.compute(a, &mut at_a);
        kinematics.compute(b, &mut at_b);
        let (mut sum, mut count) = (0.0, 0);
        for (link, of_link) in arm.robot().links().iter().enumerate() {
            if of_link.collision.is_empty() || kinematics.mount(link).0 == 0 {
                continue;
            }
            let mount = kinematics.mount(link).1;
            let corners = of_link.collision.iter().flat_map(|placed| {
                let (low, high) = placed.shape.bounds(&mount.then(&placed.pose));
                [low, high]
            });
            let (low, high) = around(corners, 0.0);
            for corner in 0..8 {
                let point = [0, 1, 2].map(|i| {
                    let half = 0.5 * (high[i] - low[i]) / 3f64.sqrt();
                    let sign = if corner >> i & 1 == 0 { -1.0 } else { 1.0 };
                    low[i].midpoint(high[i]) + sign * half
                });
                let point = mount.inverse().apply(point);
                let (from, to) = (at_a.of(0)[link].apply(point), at_b.of(0)[link].apply(point));
                sum += (0..3).map(|i| (from[i] - to[i]).powi(2)).sum::<f64>();
                count += 1;
            }
        }
        (sum / f64::from(count)).sqrt()
    }

    #[test]
    fn configurations_are_as_far_apart_as_the_arm_moves() {
        for (robot, semantics) in [models::panda_like(), models::wam_like()] {
            let arm = Arm::new(robot, &semantics, "arm").unwrap();
            let dimension = arm.space().embedding().unwrap().dimension();
            assert!(
                (3..=2 * arm.dimension() + 4).contains(&dimension),
                "{dimension}"
            );
            // Others than those that the directions were learned from.
            let all = psmp::roadmap::uniform(arm.space(), 200, 5);
            let each: Vec<&[f64]> = all.chunks_exact(arm.dimension()).collect();
            let (mut squares, mut of_truth) = (0.0, 0.0);
            for pair in each.chunks_exact(2) {
                let (told, truth) = (apart(&arm, pair[0], pair[1]), moved(&arm, pair[0], pair[1]));
                assert!(told <= truth * (1.0 + 1e-9), "{told} {truth}");
                assert!(told > 0.9 * truth, "{told} {truth}");
                squares += told * told;
                of_truth += truth * truth;
            }
            assert!(squares > (1.0 - 2.0 * GIVEN_UP) * of_truth);
        }
    }

    #[test]
    fn a_shoulder_counts_more_than_a_wrist() {
        let (robot, semantics) = models::panda_like();
        let arm = Arm::new(robot, &semantics, "arm").unwrap();
        let home = semantics.state("arm", "home").unwrap().positions.clone();
        let home = arm.configuration(&home).unwrap();
        let turned = |joint: usize| {
            let mut q = home.clone();
            q[joint] += 0.3;
            apart(&arm, &home, &q)
        };
        assert!(turned(0) > 5.0 * turned(6) && turned(6) > 0.0);
        let shown = format!("{:?}", arm.space());
        let other = Arm::new(models::panda_like().0, &semantics, "arm").unwrap();
        assert_eq!(shown, format!("{:?}", other.space()));
    }
}

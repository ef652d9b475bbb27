//! How far the bodies of an arm move over a stretch of a motion, and with that, whole motions.
//!
//! Between two configurations no point of a body moves farther than its joints carry it: a joint that
//! turns by an angle moves a point at most by the angle times the point's distance from its axis. That
//! distance is known in the middle of the stretch, and changes at most by what the joints behind it move
//! the point. So, walking from a body down to the base, a few products bound how far it gets. A body that
//! is farther than that from everything in the middle touches nothing all along the stretch.

use crate::block::LANES;
use crate::contacts::Body;
use crate::geometry::around;
use crate::kinematics::Kinematics;
use crate::pose::{Pose, minus, norm};
use crate::world::{ArmWorld, Margins};
use psmp::checker::{Proof, Stretches};

/// Where no body moves farther than this from the middle of a stretch to its end, in metres, the middle
/// decides. So a motion that was proved free enters nothing deeper than this.
pub const TOLERANCE: f64 = 5e-4;

/// A ball around a body, in the frame that it moves with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyBall {
    pub frame: usize,
    pub middle: [f64; 3],
    pub radius: f64,
}

impl BodyBall {
    /// A ball around the true shapes of a body.
    pub fn around(body: &Body) -> Self {
        let corners = body.shapes.iter().flat_map(|s| {
            let (low, high) = s.shape.bounds(&s.pose);
            [low, high]
        });
        let (low, high) = around(corners, 0.0);
        let middle = [0, 1, 2].map(|i| low[i].midpoint(high[i]));
        Self {
            frame: body.frame,
            middle,
            radius: norm(minus(high, middle)),
        }
    }
}

/// A pair of bodies, and how many joints of each move it against the other.
#[derive(Debug, Clone, Copy)]
struct MovingPair {
    bodies: [usize; 2],
    joints: [usize; 2],
}

/// Bounds the motion of an arm's bodies.
#[derive(Debug, Clone)]
pub(crate) struct Sweep {
    kinematics: Kinematics<f64>,
    bodies: Vec<BodyBall>,
    pairs: Vec<MovingPair>,
    frames: Vec<Pose>,
    /// For each body, how far its first joints move it, counted from the body on: nothing, the first, the
    /// first two and so on; one body's after the other's.
    moved: Vec<f64>,
    /// Where each body's begin.
    first: Vec<usize>,
    margins: Margins,
}

impl Sweep {
    /// For an arm with these bodies, of which these pairs must not touch.
    pub fn new(
        kinematics: &Kinematics<f64>,
        bodies: Vec<BodyBall>,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        let pairs: Vec<MovingPair> = pairs
            .into_iter()
            .map(|(a, b)| {
                let frames = [bodies[a].frame, bodies[b].frame];
                let common = kinematics.common_ancestor(frames[0], frames[1]);
                MovingPair {
                    bodies: [a, b],
                    joints: frames.map(|frame| kinematics.joints_between(frame, common)),
                }
            })
            .collect();
        let mut first = Vec::with_capacity(bodies.len());
        let mut room = 0;
        for body in &bodies {
            first.push(room);
            room += kinematics.joints_between(body.frame, 0) + 1;
        }
        Self {
            frames: vec![Pose::IDENTITY; kinematics.frame_count()],
            kinematics: kinematics.clone(),
            moved: vec![0.0; room],
            first,
            margins: Margins::none(bodies.len(), pairs.len()),
            bodies,
            pairs,
        }
    }

    /// How far each body and pair moves at most from the middle of any of these stretches to its end.
    /// What moves no farther than the tolerance counts as standing still; whether all does.
    fn measure(&mut self, middles: &[f64], half: &[f64]) -> bool {
        self.margins.bodies.fill(0.0);
        self.margins.pairs.fill(0.0);
        for middle in middles.chunks_exact(half.len()) {
            self.kinematics.frames(middle, &mut self.frames);
            for (body, &first) in self.bodies.iter().zip(&self.first) {
                self.kinematics
                    .moved(body, &self.frames, half, &mut self.moved[first..]);
            }
            for (body, margin) in self.margins.bodies.iter_mut().enumerate() {
                let joints = match self.first.get(body + 1) {
                    Some(next) => next - 1,
                    None => self.moved.len() - 1,
                };
                *margin = margin.max(self.moved[joints]);
            }
            for (pair, margin) in self.pairs.iter().zip(&mut self.margins.pairs) {
                let [one, other] =
                    [0, 1].map(|i| self.moved[self.first[pair.bodies[i]] + pair.joints[i]]);
                *margin = margin.max(one + other);
            }
        }
        let margins = self
            .margins
            .bodies
            .iter_mut()
            .chain(&mut self.margins.pairs);
        let mut stands_still = true;
        for margin in margins {
            if *margin <= TOLERANCE {
                *margin = 0.0;
            } else {
                stands_still = false;
            }
        }
        stands_still
    }

    /// Says of stretches of a motion whether they are free all along, in a world of the same bodies.
    pub fn prove(&mut self, world: &mut (impl ArmWorld + ?Sized), stretches: &mut Stretches<'_>) {
        let (middles, half) = (stretches.middles(), stretches.half());
        for block in middles.chunks(LANES * half.len()) {
            let stands_still = self.measure(block, half);
            let clear = world.clear(block, &self.margins);
            for lane in 0..block.len() / half.len() {
                stretches.answer(match clear >> lane & 1 {
                    1 => Proof::Free,
                    _ if stands_still => Proof::Blocked,
                    _ => Proof::Open,
                });
            }
        }
    }
}

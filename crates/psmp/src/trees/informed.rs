//! Drawing configurations that can still matter: informed sampling.
//!
//! Once there is a path, only configurations whose straight ways from the start and to the goal are
//! shorter together can be part of a better one. They fill an ellipsoid with start and goal as foci,
//! which is drawn from directly (Gammell, Srinivasa and Barfoot, 2014): a point of the unit ball is
//! stretched, and turned by the reflection that takes the first axis to the line from start to goal.
//! Where the ellipsoid is larger than the space, and where an axis wraps around so that it is no
//! ellipsoid, the space is drawn from and what cannot matter is dropped. Of several goals each has its
//! ellipsoid; what lies in more than one of them is drawn no more often than what lies in one.

use crate::Space;
use crate::roadmap::unit_ball_volume;
use rand::RngExt;
use rand_pcg::Pcg64;

/// Writes a uniformly random configuration into `out`.
pub(crate) fn draw_uniform(space: &Space, random: &mut Pcg64, out: &mut [f64]) {
    for (axis, out) in space.axes().iter().zip(out) {
        *out = axis.lower() + axis.extent() * random.random::<f64>();
    }
}

/// Draws configurations for one start and its goals.
#[derive(Debug)]
pub(crate) struct Informed {
    start: Vec<f64>,
    foci: Vec<Focus>,
    volume_of_space: f64,
    wraps: bool,
}

/// A goal, and the ellipsoid that has it and the start as foci.
#[derive(Debug)]
struct Focus {
    goal: Vec<f64>,
    /// The straight way from start to goal, in the space's metric.
    straight: f64,
    /// The normal of the mirror that takes the first axis to the line from start to goal; none where
    /// that is the first axis already.
    mirror: Option<Vec<f64>>,
}

impl Focus {
    fn new(space: &Space, start: &[f64], goal: &[f64]) -> Self {
        let straight = space.distance(start, goal);
        let axes = space.axes();
        // All in coordinates where a distance is a distance: each axis times its weight.
        let mut normal: Vec<f64> = axes
            .iter()
            .zip(start.iter().zip(goal))
            .map(|(axis, (&s, &g))| {
                if straight > 0.0 {
                    -axis.weight() * (g - s) / straight
                } else {
                    0.0
                }
            })
            .collect();
        normal[0] += 1.0;
        let size = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mirror = (size > 1e-12 && straight > 0.0).then(|| {
            normal.iter_mut().for_each(|x| *x /= size);
            normal
        });
        Self {
            goal: goal.to_vec(),
            straight,
            mirror,
        }
    }
}

impl Informed {
    pub fn new(space: &Space, start: &[f64], goals: &[Vec<f64>]) -> Self {
        let axes = space.axes();
        let foci = goals.iter().map(|goal| Focus::new(space, start, goal));
        Self {
            start: start.to_vec(),
            foci: foci.collect(),
            volume_of_space: axes
                .iter()
                .map(|axis| axis.extent() * axis.weight())
                .product(),
            wraps: axes.iter().any(crate::Axis::wraps),
        }
    }

    /// The straight way to the nearest goal.
    pub fn to_goal(&self, space: &Space, q: &[f64]) -> f64 {
        let ways = self.foci.iter().map(|focus| space.distance(q, &focus.goal));
        ways.fold(f64::INFINITY, f64::min)
    }

    /// No path through `q` can be shorter than this.
    pub fn shortest_through(&self, space: &Space, q: &[f64]) -> f64 {
        space.distance(&self.start, q) + self.to_goal(space, q)
    }

    /// No path over a motion of this length between two configurations, either way, can be shorter than
    /// this.
    pub fn shortest_over(&self, space: &Space, a: &[f64], b: &[f64], length: f64) -> f64 {
        let [there, back] = [(a, b), (b, a)]
            .map(|(from, to)| space.distance(&self.start, from) + self.to_goal(space, to));
        there.min(back) + length
    }

    /// Writes a random configuration that a path shorter than `longest` could lead through into
    /// `out`. `false` if none was found in so many attempts.
    pub fn draw(
        &self,
        space: &Space,
        random: &mut Pcg64,
        longest: f64,
        attempts: u32,
        out: &mut [f64],
    ) -> bool {
        let dimension = space.dimension();
        let volumes = self
            .foci
            .iter()
            .map(|focus| focus.volume(dimension, longest));
        let volume: f64 = volumes.sum();
        let directly = !self.wraps && volume < self.volume_of_space;
        for _ in 0..attempts {
            if directly {
                let focus = self.draw_focus(random, dimension, longest, volume);
                focus.draw(space, &self.start, random, longest, out);
                if space.contains(out) && !self.is_one_too_many(space, random, longest, out) {
                    return true;
                }
            } else {
                draw_uniform(space, random, out);
                if self.shortest_through(space, out) < longest {
                    return true;
                }
            }
        }
        false
    }

    /// One of the ellipsoids, as often as it is large.
    fn draw_focus(
        &self,
        random: &mut Pcg64,
        dimension: usize,
        longest: f64,
        volume: f64,
    ) -> &Focus {
        if let [only] = &self.foci[..] {
            return only;
        }
        let mut left = volume * random.random::<f64>();
        let mut foci = self.foci.iter();
        let chosen = foci.find(|focus| {
            left -= focus.volume(dimension, longest);
            left < 0.0
        });
        // Rounding may leave a little.
        chosen.unwrap_or(&self.foci[0])
    }

    /// Whether a draw is to be dropped because it lies in several ellipsoids and could have come from
    /// each.
    fn is_one_too_many(&self, space: &Space, random: &mut Pcg64, longest: f64, q: &[f64]) -> bool {
        if self.foci.len() == 1 {
            return false;
        }
        let from_start = space.distance(&self.start, q);
        let within = |focus: &&Focus| from_start + space.distance(q, &focus.goal) < longest;
        let count = self.foci.iter().filter(within).count().max(1);
        random.random::<f64>() * count as f64 >= 1.0
    }
}

impl Focus {
    /// The volume of the ellipsoid; none where no path to the goal can be so short.
    fn volume(&self, dimension: usize, longest: f64) -> f64 {
        if longest <= self.straight {
            return 0.0;
        }
        let across = (longest * longest - self.straight * self.straight)
            .max(0.0)
            .sqrt();
        unit_ball_volume(dimension) * (longest / 2.0) * (across / 2.0).powi(dimension as i32 - 1)
    }

    /// Writes a random configuration of the ellipsoid into `out`.
    fn draw(
        &self,
        space: &Space,
        start: &[f64],
        random: &mut Pcg64,
        longest: f64,
        out: &mut [f64],
    ) {
        // A direction, by the symmetry of the normal distribution, and a radius.
        let mut size: f64 = 0.0;
        while size == 0.0 {
            for x in out.iter_mut() {
                *x = normal(random);
            }
            size = out.iter().map(|x| x * x).sum::<f64>().sqrt();
        }
        let radius = libm::pow(random.random::<f64>(), 1.0 / out.len() as f64) / size;
        let along = longest / 2.0;
        let across = (longest * longest - self.straight * self.straight)
            .max(0.0)
            .sqrt()
            / 2.0;
        for (i, x) in out.iter_mut().enumerate() {
            *x *= radius * if i == 0 { along } else { across };
        }
        if let Some(mirror) = &self.mirror {
            let depth: f64 = out.iter().zip(mirror).map(|(x, n)| x * n).sum();
            for (x, n) in out.iter_mut().zip(mirror) {
                *x -= 2.0 * depth * n;
            }
        }
        let ends = start.iter().zip(&self.goal);
        for ((x, axis), (s, g)) in out.iter_mut().zip(space.axes()).zip(ends) {
            *x = *x / axis.weight() + s.midpoint(*g);
        }
    }
}

/// A standard normal number, by Box and Muller.
fn normal(random: &mut Pcg64) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - random.random::<f64>())).sqrt();
    radius * libm::cos(std::f64::consts::TAU * random.random::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;
    use rand::SeedableRng;

    /// The second moments of draws along each axis, all of them where they may be.
    fn look(space: &Space, start: &[f64], goal: &[f64], longest: f64) -> Vec<f64> {
        let informed = Informed::new(space, start, &[goal.to_vec()]);
        let mut random = Pcg64::seed_from_u64(5);
        let mut out = vec![0.0; space.dimension()];
        let mut sums = vec![0.0; space.dimension()];
        let count = 20_000;
        for _ in 0..count {
            assert!(informed.draw(space, &mut random, longest, 100_000, &mut out));
            assert!(space.contains(&out));
            let through = informed.shortest_through(space, &out);
            assert!(through < longest * (1.0 + 1e-9), "{through} of {longest}");
            sums.iter_mut().zip(&out).for_each(|(sum, x)| *sum += x * x);
        }
        sums.iter().map(|sum| sum / f64::from(count)).collect()
    }

    #[test]
    fn draws_fill_the_ellipsoid_evenly() {
        let axes = [
            Axis::new(-3.0, 3.0).unwrap(),
            Axis::new(-3.0, 3.0).unwrap().weighted(2.0).unwrap(),
            Axis::new(-3.0, 3.0).unwrap(),
        ];
        let space = Space::new(axes.to_vec()).unwrap();
        // Directly drawn, and by dropping what cannot matter, the moments agree.
        let (start, goal) = ([-1.0, -0.5, 0.3], [1.0, 0.5, -0.3]);
        let direct = look(&space, &start, &goal, 4.0);
        // Wrapping at a distance changes nothing but how it is drawn.
        let mut axes = axes.to_vec();
        axes[2] = axes[2].wrapping();
        let wrapping = Space::new(axes).unwrap();
        let dropped = look(&wrapping, &start, &goal, 4.0);
        for (a, b) in direct.iter().zip(&dropped) {
            assert!((a / b - 1.0).abs() < 0.06, "{direct:?} {dropped:?}");
        }
    }

    #[test]
    fn flat_ellipsoids_along_an_axis_and_against_it() {
        for (start, goal) in [([0.2, 0.5], [0.8, 0.5]), ([0.8, 0.5], [0.2, 0.5])] {
            let moments = look(&Space::unit(2), &start, &goal, 0.6 + 1e-6);
            assert!((moments[1] - 0.25).abs() < 1e-3);
        }
    }
}

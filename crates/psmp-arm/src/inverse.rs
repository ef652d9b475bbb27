//! Inverse kinematics: configurations that bring a link where it is wanted.
//!
//! From a configuration, damped least squares (Levenberg and Marquardt) go down the distance from the
//! goal to a configuration that meets it, or to one from which no small motion comes nearer. Joints stay
//! within their limits: one that is at a limit and is pushed beyond takes no part in a step. Where the
//! descent ends short of the goal it begins anew, first from a configuration that is given, then from
//! random ones, so that many solutions come of many beginnings, the same ones for the same seed.

use crate::arm::{Arm, ArmError};
use crate::kinematics::Kinematics;
use crate::pose::{Pose, dot, minus, norm};
use crate::pose_goal::{Miss, OrientationGoal, PoseGoal, PositionGoal, Volume, beyond};
use psmp::{Draw, Space};
use std::f64::consts::TAU;

/// How long to look for configurations, and how many to find.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// How many solutions are enough.
    pub solutions: usize,
    /// How often to begin anew, at most.
    pub restarts: usize,
    /// How far solutions are apart, at least.
    pub apart: f64,
    /// What random beginnings come from.
    pub seed: u64,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            solutions: 8,
            restarts: 200,
            apart: 0.1,
            seed: 0,
        }
    }
}

/// Finds configurations of an arm that bring a link where it is wanted.
#[derive(Debug, Clone)]
pub struct Inverse<'a> {
    arm: &'a Arm,
    link: usize,
    /// The frame that the link is fixed to.
    frame: usize,
    position: Option<PlacedPoint>,
    orientation: Option<PlacedTurn>,
    /// The inputs that are the same a full turn further.
    turns: Vec<bool>,
    /// What a metre counts beside a radian: the arm's whole reach is as much as one.
    per_metre: f64,
}

/// A [`PositionGoal`] in frames that descend from the root.
#[derive(Debug, Clone)]
struct PlacedPoint {
    /// The point in the frame that moves.
    point: [f64; 3],
    /// Volumes, and the poses of their centres in the root.
    volumes: Vec<(Pose, Volume)>,
}

/// An [`OrientationGoal`] likewise.
#[derive(Debug, Clone)]
struct PlacedTurn {
    /// How the link is turned in the frame that moves.
    mount: Pose,
    /// From the root to the orientation wanted.
    to_wanted: Pose,
    goal: OrientationGoal,
}

/// One number that is to become 0, and what it gains as the point moves and the link turns along and
/// about the root's axes.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    value: f64,
    gain: [f64; 6],
}

/// Three for the position and three for the orientation.
type Rows = [Row; 6];

/// As much of a volume or tolerance is aimed at, so that what is met is not on its very border.
const AIM: f64 = 0.9;

/// So many steps a descent takes at most. One that is getting there needs far fewer.
const MOST_STEPS: usize = 100;

/// Memory of a descent, reused by the next.
struct Scratch {
    frames: Vec<Pose>,
    /// How the point moves and the link turns for a unit of each input.
    columns: Vec<[f64; 6]>,
    /// For each input what a unit of it adds to each row.
    jacobian: Vec<[f64; 6]>,
    tried: Vec<f64>,
}

impl<'a> Inverse<'a> {
    /// To meet this goal with an arm. Joints outside its group stay where the arm has them.
    ///
    /// # Errors
    /// If the robot has no link of a name, the arm does not move the link, or a frame moves with it.
    pub fn new(arm: &'a Arm, goal: &PoseGoal) -> Result<Self, ArmError> {
        let link = match &goal.link {
            Some(name) => arm.link(name)?,
            None => arm.tip(),
        };
        let kinematics = arm.kinematics();
        let (frame, mount) = kinematics.mount(link);
        if frame == 0 {
            let link = arm.robot().links()[link].name.clone();
            return Err(ArmError::Still {
                link,
                group: arm.group().to_owned(),
            });
        }
        let position = goal.position.as_ref();
        let position = position.map(|goal| place_point(arm, &mount, goal));
        let orientation = goal.orientation.as_ref();
        let orientation = orientation.map(|goal| place_turn(arm, &mount, goal));
        let (_, reach) = kinematics.reach(frame, norm(mount.translation));
        Ok(Self {
            arm,
            link,
            frame,
            position: position.transpose()?,
            orientation: orientation.transpose()?,
            turns: kinematics.whole_turns(),
            per_metre: match reach.is_finite() && reach > 0.0 {
                true => 1.0 / reach,
                false => 1.0,
            },
        })
    }

    /// The name of the link.
    #[must_use]
    pub fn link(&self) -> &'a str {
        &self.arm.robot().links()[self.link].name
    }

    /// How far from the goal the link is in a configuration.
    ///
    /// # Panics
    /// If the configuration has another number of values than the arm.
    #[must_use]
    pub fn miss(&self, configuration: &[f64]) -> Miss {
        assert_eq!(configuration.len(), self.arm.dimension());
        let mut frames = vec![Pose::IDENTITY; self.arm.kinematics().frame_count()];
        self.arm.kinematics().frames(configuration, &mut frames);
        self.miss_at(&frames[self.frame])
    }

    /// Configurations that meet the goal, the nearest to `from` first. A joint that may turn by more
    /// than once round is as near to `from` as it can be.
    ///
    /// # Errors
    /// If none is found; how near the nearest comes is part of the answer.
    ///
    /// # Panics
    /// If `from` has another number of values than the arm.
    pub fn solutions(&self, from: &[f64], search: &Search) -> Result<Vec<Vec<f64>>, ArmError> {
        let (space, kinematics) = (self.arm.space(), self.arm.kinematics());
        let dimension = space.dimension();
        assert_eq!(from.len(), dimension);
        let mut scratch = Scratch {
            frames: vec![Pose::IDENTITY; kinematics.frame_count()],
            columns: vec![[0.0; 6]; dimension],
            jacobian: vec![[0.0; 6]; dimension],
            tried: vec![0.0; dimension],
        };
        let mut found: Vec<Vec<f64>> = Vec::new();
        let mut nearest: Option<Miss> = None;
        let volumes = self.position.as_ref().map_or(1, |p| p.volumes.len().max(1));
        let mut restart = 0;
        while restart < search.restarts.max(1) && found.len() < search.solutions {
            let mut q = beginning(space, from, search.seed, restart);
            let volume = restart % volumes;
            restart += 1;
            self.descend(&mut q, volume, &mut scratch);
            kinematics.frames(&q, &mut scratch.frames);
            let miss = self.miss_at(&scratch.frames[self.frame]);
            if !miss.is_hit() {
                let total = |m: &Miss| m.distance * self.per_metre + m.angle;
                if nearest.is_none_or(|n| total(&miss) < total(&n)) {
                    nearest = Some(miss);
                }
                continue;
            }
            self.unwind(&mut q, from);
            space.make_canonical(&mut q);
            if found
                .iter()
                .all(|other| space.distance(other, &q) >= search.apart)
            {
                found.push(q);
            }
        }
        match (found.is_empty(), nearest) {
            (true, Some(miss)) => Err(ArmError::Unreachable {
                link: self.link().to_owned(),
                distance: miss.distance,
                degrees: miss.angle.to_degrees(),
                restarts: restart,
            }),
            _ => {
                let way = |q: &Vec<f64>| space.distance(from, q);
                found.sort_by(|a, b| way(a).total_cmp(&way(b)));
                Ok(found)
            }
        }
    }

    /// Turns joints by whole turns to where they are nearest to `from`, if their limits allow.
    fn unwind(&self, q: &mut [f64], from: &[f64]) {
        let axes = self.arm.space().axes();
        for (i, axis) in axes.iter().enumerate() {
            if !self.turns[i] || axis.wraps() || axis.extent() < TAU {
                continue;
            }
            let lowest = q[i] - TAU * ((q[i] - axis.lower()) / TAU).floor();
            let most = ((axis.upper() - lowest) / TAU).floor();
            let wanted = ((from[i] - lowest) / TAU).round();
            q[i] = lowest + TAU * wanted.clamp(0.0, most.max(0.0));
        }
    }

    /// Goes down from a configuration to one that meets the goal, or as near to one as it comes.
    fn descend(&self, q: &mut [f64], volume: usize, scratch: &mut Scratch) {
        let (space, kinematics) = (self.arm.space(), self.arm.kinematics());
        let mut damping = 1e-2;
        let mut rows = self.rows_in(q, volume, &mut scratch.frames);
        let mut cost = squares(&rows);
        let mut slow = 0;
        for _ in 0..MOST_STEPS {
            if self.miss_at(&scratch.frames[self.frame]).is_hit() {
                return;
            }
            self.jacobian(kinematics, &rows, scratch);
            // Steps that come no nearer are tried again, shorter.
            let better = loop {
                step(space, &rows, damping, q, scratch);
                let tried_rows = self.rows_in(&scratch.tried, volume, &mut scratch.frames);
                let tried_cost = squares(&tried_rows);
                if tried_cost < cost {
                    rows = tried_rows;
                    damping = (damping * 0.1).max(1e-12);
                    break tried_cost;
                }
                damping *= 10.0;
                if damping > 1e4 {
                    return;
                }
            };
            q.copy_from_slice(&scratch.tried);
            slow = if better > 0.99 * cost { slow + 1 } else { 0 };
            cost = better;
            if slow > 4 {
                return;
            }
        }
    }

    /// What is to become 0 in a configuration.
    fn rows_in(&self, q: &[f64], volume: usize, frames: &mut [Pose]) -> Rows {
        self.arm.kinematics().frames(q, frames);
        self.rows(&frames[self.frame], volume)
    }

    fn rows(&self, frame: &Pose, volume: usize) -> Rows {
        let mut rows = Rows::default();
        let (linear, angular) = rows.split_at_mut(3);
        if let Some(goal) = &self.position
            && let Some((centre, volume)) = goal.volumes.get(volume)
        {
            let from_centre = minus(frame.apply(goal.point), centre.translation);
            let r = &centre.rotation;
            let axis = |i: usize| [r[0][i], r[1][i], r[2][i]];
            let local = [0, 1, 2].map(|i| dot(axis(i), from_centre));
            let (excess, moves) = volume.excess(local, AIM);
            for (i, row) in linear.iter_mut().enumerate().filter(|(i, _)| moves[*i]) {
                row.value = excess[i] * self.per_metre;
                row.gain[..3].copy_from_slice(&axis(i).map(|v| v * self.per_metre));
            }
        }
        if let Some(turn) = &self.orientation {
            let angles = turn.angles(frame);
            let excess = beyond(angles, turn.goal.tolerance.map(|t| t * AIM));
            let rates = turn.goal.angles.rates(angles);
            for (i, row) in angular
                .iter_mut()
                .enumerate()
                .filter(|(i, _)| excess[*i] != 0.0)
            {
                row.value = excess[i];
                let w = &turn.to_wanted.rotation;
                for (axis, gain) in row.gain[3..].iter_mut().enumerate() {
                    *gain = rates[i].iter().zip(w).map(|(rate, w)| rate * w[axis]).sum();
                }
            }
        }
        rows
    }

    fn miss_at(&self, frame: &Pose) -> Miss {
        let distance = self.position.as_ref().map_or(0.0, |goal| {
            let point = frame.apply(goal.point);
            let from = |(centre, volume): &(Pose, Volume)| {
                norm(volume.excess(centre.inverse().apply(point), 1.0).0)
            };
            goal.volumes.iter().map(from).fold(f64::INFINITY, f64::min)
        });
        let angle = self.orientation.as_ref().map_or(0.0, |turn| {
            norm(beyond(turn.angles(frame), turn.goal.tolerance))
        });
        Miss { distance, angle }
    }

    /// Computes what a unit of each input adds to each row.
    fn jacobian(&self, kinematics: &Kinematics, rows: &Rows, scratch: &mut Scratch) {
        let point = self.position.as_ref().map_or([0.0; 3], |p| p.point);
        let at = scratch.frames[self.frame].apply(point);
        kinematics.velocities(self.frame, at, &scratch.frames, &mut scratch.columns);
        for (column, entry) in scratch.columns.iter().zip(&mut scratch.jacobian) {
            *entry = rows.map(|row| row.gain.iter().zip(column).map(|(g, c)| g * c).sum());
        }
    }
}

impl PlacedTurn {
    fn angles(&self, frame: &Pose) -> [f64; 3] {
        let turned = self.to_wanted.then(frame).then(&self.mount);
        self.goal.angles.of(&turned.rotation)
    }
}

fn place_point(arm: &Arm, mount: &Pose, goal: &PositionGoal) -> Result<PlacedPoint, ArmError> {
    let outer = arm.still_frame(goal.frame.as_deref())?;
    let volumes = goal.volumes.iter();
    Ok(PlacedPoint {
        point: mount.apply(goal.point),
        volumes: volumes
            .map(|(p, volume)| (outer.then(p), *volume))
            .collect(),
    })
}

fn place_turn(arm: &Arm, mount: &Pose, goal: &OrientationGoal) -> Result<PlacedTurn, ArmError> {
    let outer = arm.still_frame(goal.frame.as_deref())?;
    let only_turn = |pose: &Pose| Pose {
        rotation: pose.rotation,
        translation: [0.0; 3],
    };
    let wanted = Pose {
        rotation: goal.rotation,
        translation: [0.0; 3],
    };
    Ok(PlacedTurn {
        mount: only_turn(mount),
        to_wanted: only_turn(&outer).then(&wanted).inverse(),
        goal: goal.clone(),
    })
}

/// Where a descent begins: first at the configuration given, then anywhere.
fn beginning(space: &Space, from: &[f64], seed: u64, restart: usize) -> Vec<f64> {
    let draw = Draw::new(seed, restart as u64);
    let place = |(i, axis): (usize, &psmp::Axis)| match restart {
        0 if axis.wraps() => from[i],
        0 => from[i].clamp(axis.lower(), axis.upper()),
        _ => axis.lower() + axis.extent() * draw.unit(i as u64),
    };
    space.axes().iter().enumerate().map(place).collect()
}

fn squares(rows: &Rows) -> f64 {
    rows.iter().map(|row| row.value * row.value).sum()
}

/// One step of damped least squares from `q` to `scratch.tried`. Joints that a step would push beyond a
/// limit stop there.
fn step(space: &Space, rows: &Rows, damping: f64, q: &[f64], scratch: &mut Scratch) {
    let axes = space.axes();
    let jacobian = &scratch.jacobian;
    let downhill = |i: usize| -> f64 {
        let gain = jacobian[i].iter().zip(rows);
        -gain.map(|(j, row)| j * row.value).sum::<f64>()
    };
    let stuck = |i: usize| {
        let (axis, at) = (&axes[i], q[i]);
        !axis.wraps()
            && (at <= axis.lower() && downhill(i) < 0.0 || at >= axis.upper() && downhill(i) > 0.0)
    };
    // The step is -J' (J J' + damping)^-1 rows, over the joints that are not stuck.
    let mut matrix = [[0.0; 6]; 6];
    for (r, row) in matrix.iter_mut().enumerate() {
        row[r] = damping;
    }
    for (i, column) in jacobian.iter().enumerate() {
        if stuck(i) {
            continue;
        }
        for r in 0..6 {
            for c in 0..=r {
                matrix[r][c] += column[r] * column[c];
            }
        }
    }
    let weights = solve(&mut matrix, rows.map(|row| row.value));
    for i in 0..q.len() {
        let way: f64 = match stuck(i) {
            true => 0.0,
            false => -jacobian[i]
                .iter()
                .zip(&weights)
                .map(|(j, w)| j * w)
                .sum::<f64>(),
        };
        let to = q[i] + way;
        scratch.tried[i] = match axes[i].wraps() {
            true => to,
            false => to.clamp(axes[i].lower(), axes[i].upper()),
        };
    }
}

/// Solves a symmetric positive system, of which the lower half is given, by Cholesky's method in place.
fn solve(matrix: &mut [[f64; 6]; 6], mut right: [f64; 6]) -> [f64; 6] {
    for c in 0..6 {
        for k in 0..c {
            for r in c..6 {
                matrix[r][c] -= matrix[r][k] * matrix[c][k];
            }
        }
        // Rounding may leave less than nothing of what is nearly singular.
        let root = matrix[c][c].max(1e-30).sqrt();
        for row in matrix.iter_mut().skip(c) {
            row[c] /= root;
        }
        matrix[c][c] = root;
    }
    for r in 0..6 {
        for k in 0..r {
            right[r] -= matrix[r][k] * right[k];
        }
        right[r] /= matrix[r][r];
    }
    for r in (0..6).rev() {
        for k in r + 1..6 {
            right[r] -= matrix[k][r] * right[k];
        }
        right[r] /= matrix[r][r];
    }
    right
}

//! The page of one run: its film, and for an arm its motions in three dimensions. Like the report, it is one
//! file with no request to anywhere.

use super::data::{Film, Motion, Stage};
pub use super::recorder::Found;
use super::{page, slimming};
use crate::picture::ArmPicture;
use psmp::RoadmapError;
use psmp_arm::{Arm, MotionLimits, Placed, Pose, Scene, Trajectory, TrajectoryError};
use psmp_files::{FileError, save};
use std::path::Path;

/// What is told of a run.
pub struct RunPage {
    /// What it is, in a few words.
    pub title: String,
    /// What came of it, in a line.
    pub subtitle: String,
    /// What happened.
    pub film: Film,
    /// An arm and the paths that were found for it.
    pub stage: Option<Stage>,
    /// How the run was set up and what it took, as name and value.
    pub facts: Vec<(String, String)>,
}

impl RunPage {
    /// Writes the page.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        let page = self
            .html()
            .map_err(|e| FileError::new(path, format!("the film cannot be told: {e}")))?;
        save(path, page.as_bytes())
    }

    /// The page itself.
    ///
    /// # Errors
    /// If the film's frames are of another roadmap than its own.
    pub fn html(self) -> Result<String, RoadmapError> {
        let film = slimming::slimmed(self.film)?;
        Ok(page::of_run(&page::Run {
            title: &self.title,
            subtitle: &self.subtitle,
            film: &film,
            stage: self.stage.as_ref(),
            facts: &self.facts,
        }))
    }
}

/// An arm among things.
pub struct ArmScene<'a> {
    /// The arm.
    pub arm: &'a Arm,
    /// What stands around it, and what it holds.
    pub scene: &'a Scene,
    /// The greatest acceleration of every joint.
    pub acceleration: f64,
}

/// So many frames of a motion are shown in a second, but no more than that in all.
const FRAMES_A_SECOND: f64 = 20.0;
const MOST_FRAMES: usize = 160;

impl ArmScene<'_> {
    /// The paths that were found, as the arm follows them in time, the last and best one first; none if none
    /// was found.
    ///
    /// # Errors
    /// If a path exceeds what a joint can do.
    pub fn stage(&self, title: &str, found: &[Found]) -> Result<Option<Stage>, TrajectoryError> {
        let Some(best) = found.last() else {
            return Ok(None);
        };
        let mut motions = Vec::new();
        for (place, path) in found.iter().enumerate().rev() {
            let name = match place + 1 == found.len() {
                true => "best path".to_owned(),
                false => format!("earlier path {}", path.number),
            };
            motions.push(self.motion(name, path)?);
        }
        let path: Vec<&[f64]> = best.path.iter().collect();
        let still = ArmPicture {
            title,
            subtitle: "",
            arm: self.arm,
            scene: self.scene,
            path: &path,
            moves: true,
        };
        Ok(Some(Stage {
            links: self.look(),
            worlds: vec![(1, self.scene.objects.clone())],
            motions,
            still: still.svg(),
        }))
    }

    pub(super) fn motion(&self, name: String, found: &Found) -> Result<Motion, TrajectoryError> {
        let arm = self.arm;
        let path: Vec<&[f64]> = found.path.iter().collect();
        let limits = MotionLimits::of(arm, self.acceleration);
        let trajectory = Trajectory::along(arm, &path, &limits)?;
        let seconds = trajectory.duration();
        let count = ((FRAMES_A_SECOND * seconds) as usize).clamp(1, MOST_FRAMES);
        let mut poses = arm.kinematics().poses(1);
        let frames = (0..=count).map(|step| {
            let instant = trajectory.at(seconds * step as f64 / count as f64);
            let q = instant.map_or_else(|| found.path.at(0).to_vec(), |i| i.positions);
            arm.kinematics().compute(&q, &mut poses);
            poses.of(0).to_vec()
        });
        let frames: Vec<Vec<Pose>> = frames.collect();
        // With so long a period only the ends of motions are left.
        let bends = trajectory.instants(f64::MAX);
        let bends = bends.map(|instant| instant.time / seconds).collect();
        Ok(Motion {
            planner: name,
            experience: "none".to_owned(),
            world: 1,
            cost: found.configurations,
            length: found.path.length(),
            shortest: None,
            frames,
            bends,
            seconds: Some(seconds),
        })
    }

    /// What the links are made of, with what they hold.
    pub(super) fn look(&self) -> Vec<Vec<Placed>> {
        let robot = self.arm.robot();
        let links = robot.links().iter();
        let mut look: Vec<Vec<Placed>> = links.map(|link| link.collision.clone()).collect();
        for held in &self.scene.attached {
            if let Some(link) = robot.link(&held.link) {
                look[link].extend(held.object.shapes.iter().cloned());
            }
        }
        look
    }
}

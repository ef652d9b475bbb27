//! How a command ends: its exit code, and errors with a hint.

use crate::say;
use psmp::by_name::SpecError;
use psmp::checker::BisectionError;
use psmp::{RoadmapError, SessionError};
use psmp_arm::{ArmError, TrajectoryError};
use psmp_files::FileError;
use psmp_lab::arm_scenes::{self, ArmScenesError};
use psmp_lab::families::FamilyError;
use psmp_lab::sweep::SweepError;
use psmp_lab::{MapsError, ResolutionError};
use psmp_report::reproduce::ReproduceError;
use std::convert::Infallible;
use std::fmt;
use std::process::ExitCode;

/// How a command that did its work has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All is well.
    Done,
    /// It is certain that the roadmap that was given has no path.
    NoPathOnRoadmap,
    /// The run ended without a path, and there may be one: it was stopped, or a roadmap made on the
    /// spot has none.
    NoPathYet,
    /// The work was stopped before it was done.
    Stopped,
    /// A rerun differs from what was recorded.
    Mismatch,
}

impl Outcome {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::NoPathOnRoadmap => 3,
            Outcome::NoPathYet | Outcome::Stopped => 4,
            Outcome::Mismatch => 5,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        ExitCode::from(outcome.code())
    }
}

/// A mistake of the user's, with the remedy.
#[derive(Debug)]
pub struct Mistake {
    problem: String,
    hint: String,
}

impl Mistake {
    /// An error to be returned from a command.
    pub fn error(problem: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Self {
            problem: problem.into(),
            hint: hint.into(),
        })
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Mistake {}

/// A part of a dataset, or nothing if it has no such part; one that is there but malformed stays an
/// error.
pub fn if_there<T>(part: Result<T, FileError>) -> Result<Option<T>, FileError> {
    match part {
        Err(e) if e.is_absent() => Ok(None),
        part => part.map(Some),
    }
}

/// Whether standard output was closed by its reader, as in `psmp info | head -1`.
pub fn is_closed_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let kind = error
        .downcast_ref::<std::io::Error>()
        .map(std::io::Error::kind)
        .or_else(|| {
            let json = error.downcast_ref::<serde_json::Error>();
            json.and_then(serde_json::Error::io_error_kind)
        });
    kind == Some(std::io::ErrorKind::BrokenPipe)
}

/// Prints an error, what caused it, and what can be done about it.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if error.chain().any(is_closed_pipe) {
        return ExitCode::SUCCESS;
    }
    say!("error: {error}");
    for cause in error.chain().skip(1) {
        say!("  because: {cause}");
    }
    let hint = remedy(error);
    say!(
        "hint: {}",
        hint.as_deref()
            .unwrap_or("`psmp help` and a command tells what it takes")
    );
    ExitCode::FAILURE
}

/// What can be done about an error, where that is known.
pub fn remedy(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(hint)
}

fn hint(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    if let Some(mistake) = error.downcast_ref::<Mistake>() {
        return Some(mistake.hint.clone());
    }
    if let Some(file) = error.downcast_ref::<FileError>() {
        return file.remedy().map(str::to_owned);
    }
    if let Some(arm) = error.downcast_ref::<ArmError>() {
        return Some(arm.remedy().to_owned());
    }
    if let Some(session) = error.downcast_ref::<SessionError<Infallible>>() {
        return match session {
            SessionError::Planner(spec) => spec_hint(spec),
            SessionError::Bisection(_) | SessionError::Resolution(_) => Some(COARSER.to_owned()),
            other => Some(other.remedy().to_owned()),
        };
    }
    if let Some(scenes) = error.downcast_ref::<ArmScenesError>() {
        return Some(arm_scenes_hint(scenes));
    }
    if error.is::<TrajectoryError>() {
        return Some("give positive limits: velocities in the URDF, `--acceleration`".to_owned());
    }
    if let Some(sweep) = error.downcast_ref::<SweepError>() {
        return sweep_hint(sweep);
    }
    if let Some(maps) = error.downcast_ref::<MapsError>() {
        return match maps {
            MapsError::File(file) => file.remedy().map(str::to_owned),
            MapsError::Roadmap(_) => Some(COARSER.to_owned()),
            MapsError::NoMaps => Some("name maps, or folders of maps".to_owned()),
            MapsError::Stopped => Some("give the same command again to go on".to_owned()),
        };
    }
    match error.downcast_ref::<ReproduceError>() {
        Some(ReproduceError::File(file)) => return file.remedy().map(str::to_owned),
        Some(ReproduceError::Run(sweep)) => return sweep_hint(sweep),
        Some(ReproduceError::Family(family)) => return hint(family),
        _ => {}
    }
    if error.is::<ResolutionError>()
        || error.is::<psmp::ResolutionError>()
        || error.is::<BisectionError>()
    {
        return Some(COARSER.to_owned());
    }
    if error.is::<RoadmapError>() {
        return Some("check `--bounds`, `--radius`, `--start` and `--goal`".to_owned());
    }
    if error.is::<FamilyError>() {
        return Some("choose another `--seed`".to_owned());
    }
    error.downcast_ref::<SpecError>().and_then(spec_hint)
}

fn arm_scenes_hint(error: &ArmScenesError) -> String {
    match error {
        ArmScenesError::Arm { .. } | ArmScenesError::NoEnd { .. } => {
            format!("choose `--robot` of {}", arm_scenes::ARMS.join(", "))
        }
        ArmScenesError::Model(arm) => arm.remedy().to_owned(),
        ArmScenesError::Roadmap(_) | ArmScenesError::NoPath { .. } => {
            "choose another `--seed`".to_owned()
        }
    }
}

fn sweep_hint(error: &SweepError) -> Option<String> {
    match error {
        SweepError::File(file) => file.remedy().map(str::to_owned),
        SweepError::Planner { error, .. } => spec_hint(error),
        SweepError::Unfit { remedy, .. } => Some((*remedy).to_owned()),
        SweepError::Resolution(_) | SweepError::Dataset { .. } => Some(COARSER.to_owned()),
        SweepError::Threads(_) => Some("give fewer `--jobs`".to_owned()),
    }
}
const COARSER: &str = "give a larger `--resolution`, or none for a thousandth of the longest side";

fn spec_hint(error: &SpecError) -> Option<String> {
    let hint = match error {
        SpecError::NoExperience(_) => {
            "plan in a dataset (`--dataset DIR`), give known worlds (`--experience-table FILE`), or use belief `nn`"
        }
        SpecError::Belief { .. } => "use belief `fs` or `freq`, which need no configurations",
        _ => "a planner is PROPOSER[:BELIEF[:VALIDATOR]], such as `psmp:fs`, `pomp:nn` or `lazysp`",
    };
    Some(hint.to_owned())
}

//! Films of a benchmark's runs: each run again as its row says, recorded, and told as a page of its own.
//!
//! A page that compares planners links to these. All runs would be gigabytes and hours, so there is a purse: one film for
//! each planner and world, with the first seed, the first worlds of every set first, until there are [`MOST_FILMS`] of
//! them, or they take [`MOST_BYTES`], or filming has taken [`LONGEST`]; none of a run that took longer than
//! [`LONGEST_RUN`]. Any other is made from its row when it is wanted.

use super::arm_folder::ArmArena;
use super::{BenchSet, cannot};
use crate::report::Stage;
use crate::report::film::{Recorder, Shown};
use crate::report::run_page::{ArmScene, RunPage};
use crate::reproduce::ReproduceError;
use psmp::checker::World;
use psmp::{Roadmap, Session, SessionError};
use psmp_arm::DEFAULT_ACCELERATION;
use psmp_files::FileError;
use psmp_lab::sweep::SweepOptions;
use psmp_lab::trial::{self, Trial};
use psmp_lab::{Arena, Entrant, EntrantName, Problems, Row, counted};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How many films are made beside a page, at most.
pub const MOST_FILMS: usize = 100;
/// How many bytes they take, at most; the last may take more.
pub const MOST_BYTES: u64 = 64_000_000;
/// How long filming takes, at most; the last may take longer.
pub const LONGEST: Duration = Duration::from_secs(60);

/// How long a run took that is filmed, at most.
pub const LONGEST_RUN: Duration = Duration::from_secs(10);

/// Films in the making, in a folder beside the page that links to them.
pub struct Filming {
    folder: PathBuf,
    began: Instant,
    bytes: u64,
    films: usize,
}

impl Filming {
    /// Films for this page: their folder is named after it.
    #[must_use]
    pub fn beside(page: &Path) -> Self {
        let stem = page.file_stem().unwrap_or_default().to_string_lossy();
        Self {
            folder: page.with_file_name(format!("{stem}_films")),
            began: Instant::now(),
            bytes: 0,
            films: 0,
        }
    }

    /// Which of these rows to film, in that order.
    #[must_use]
    pub fn chosen(rows: &[Row]) -> Vec<usize> {
        // The first seed of each planner, by world, by set.
        let mut sets: BTreeMap<_, BTreeMap<u32, Vec<usize>>> = BTreeMap::new();
        let mut known = BTreeSet::new();
        for (place, row) in rows.iter().enumerate() {
            let set = (&row.dataset, &row.folder, &row.robot, row.made_seed);
            // Of a run of somebody else's planner there is nothing but its row.
            let is_ours = row.planner.parse::<EntrantName>().is_ok();
            if row.seconds > LONGEST_RUN.as_secs_f64() || !is_ours {
                continue;
            }
            let settings = (row.budget, &row.price, row.resolution.map(f64::to_bits));
            if known.insert((set, &row.planner, &row.experience, row.world, settings)) {
                let worlds = sets.entry(set).or_default();
                worlds.entry(row.world).or_default().push(place);
            }
        }
        let worlds: Vec<Vec<Vec<usize>>> = sets
            .into_values()
            .map(|worlds| worlds.into_values().collect())
            .collect();
        let most = worlds.iter().map(Vec::len).max().unwrap_or(0);
        let in_turn = (0..most).flat_map(|turn| worlds.iter().filter_map(move |w| w.get(turn)));
        in_turn.flatten().copied().take(MOST_FILMS).collect()
    }

    /// Whether the purse is spent.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.films >= MOST_FILMS || self.bytes >= MOST_BYTES || self.began.elapsed() >= LONGEST
    }

    /// Films a row in its worlds; where the film is, from the page.
    ///
    /// # Errors
    /// If the run cannot be made again, has nothing to be shown, or the file cannot be written.
    pub fn film(&mut self, set: &BenchSet, row: &Row) -> Result<String, ReproduceError> {
        let page = set.film(row)?;
        std::fs::create_dir_all(&self.folder)
            .map_err(|e| FileError::io(&self.folder, "create", e))?;
        let name = film_name(row);
        let path = self.folder.join(&name);
        page.write(&path)?;
        self.films += 1;
        self.bytes += std::fs::metadata(&path).map_or(0, |file| file.len());
        let folder = self.folder.file_name().unwrap_or_default();
        Ok(format!("{}/{name}", folder.to_string_lossy()))
    }
}

/// The file of a row's film: the same for the same run.
#[must_use]
pub fn film_name(row: &Row) -> String {
    let plain = |text: &str| -> String {
        let keep = |c: char| {
            if c.is_ascii_alphanumeric() || ".-".contains(c) {
                c
            } else {
                '_'
            }
        };
        text.chars().take(60).map(keep).collect()
    };
    let experience = match row.experience.as_str() {
        "none" => String::new(),
        other => {
            let name = Path::new(other).file_stem().unwrap_or_default();
            format!("-{}", plain(&name.to_string_lossy()))
        }
    };
    let planner = plain(&row.planner);
    let budget = row
        .budget
        .map_or_else(String::new, |budget| format!("-{budget}"));
    let (set, world, seed) = (plain(&row.dataset), row.world, row.seed);
    format!("{set}-world-{world}-{planner}{experience}-seed-{seed}{budget}.html")
}

/// The film of a run in a world that has an image.
pub(super) fn in_image(
    row: &Row,
    problems: &dyn Problems,
    arena: &Arena<'_>,
    entrant: &Entrant,
    options: &SweepOptions,
) -> Result<RunPage, ReproduceError> {
    let (roadmap, query) = (problems.roadmap(), problems.query()?);
    let ends = [query.start, query.goal].map(|v| roadmap.configuration(v));
    let (Some(image), Some(space), [Some(start), Some(goal)]) =
        (arena.image(), roadmap.space(), ends)
    else {
        return Err(cannot(row, "there is no image to show it on").into());
    };
    let (mut session, _) = arena.session(entrant, row.seed, options)?;
    let (trial, recorder) =
        recorded(&mut session, options).map_err(|e| cannot(row, &e.to_string()))?;
    let shown = Shown {
        planner: row.planner.clone(),
        seed: row.seed,
        space,
        ends: [start, goal],
        obstacles: Some(image),
        grown_obstacles: None,
        shortest: arena.shortest().map(psmp::Path::length),
        given: size(roadmap),
    };
    told(row, &session, recorder, &trial, &shown, None)
}

/// The film of a run of an arm, with its motions.
pub(super) fn of_arm(
    row: &Row,
    arena: &ArmArena<'_>,
    entrant: &Entrant,
    options: &SweepOptions,
) -> Result<RunPage, ReproduceError> {
    let mut session = arena.session(entrant, row.seed, options)?;
    let wrong = |why: String| ReproduceError::from(cannot(row, &why));
    let (trial, recorder) = recorded(&mut session, options).map_err(|e| wrong(e.to_string()))?;
    let problem = arena.problem;
    let scene = ArmScene {
        arm: &problem.arm,
        scene: &problem.scene,
        acceleration: DEFAULT_ACCELERATION,
    };
    let stage = scene.stage(&title(row), recorder.found());
    let shown = Shown {
        planner: row.planner.clone(),
        seed: row.seed,
        space: problem.arm.space(),
        ends: [&problem.start, &problem.goals[0]],
        obstacles: None,
        grown_obstacles: None,
        shortest: arena.shortest.map(|(length, _)| length),
        given: session
            .roadmap()
            .map_or([0, 0], |(roadmap, _)| size(roadmap)),
    };
    let stage = stage.map_err(|e| wrong(e.to_string()))?;
    told(row, &session, recorder, &trial, &shown, stage)
}

fn size(roadmap: &Roadmap) -> [usize; 2] {
    [roadmap.vertex_count(), roadmap.edge_count()]
}

fn title(row: &Row) -> String {
    format!("{} in world {} of {}", row.planner, row.world, row.dataset)
}

/// Drives a session to its end, and records it.
fn recorded<'s, W>(
    session: &mut Session<'s, W>,
    options: &SweepOptions,
) -> Result<(Trial, Recorder), SessionError<Infallible>>
where
    W: World<Error = Infallible> + Clone + Send + 's,
{
    let mut recorder = Recorder::default();
    let ran = trial::run_session(session, &Arena::stop(options), |session, event| {
        recorder.watch(session, event);
    });
    let (trial, _) = ran?;
    // What was found free beside the roadmap is shown with it.
    session.gather()?;
    Ok((trial, recorder))
}

/// What was recorded, as a page.
fn told<'s, W>(
    row: &Row,
    session: &Session<'s, W>,
    recorder: Recorder,
    trial: &Trial,
    shown: &Shown<'_>,
    stage: Option<Stage>,
) -> Result<RunPage, ReproduceError>
where
    W: World<Error = Infallible> + Clone + Send + 's,
{
    let spent = counted(trial.progress.configurations, "configurations");
    let film = recorder.film(session, shown);
    // By its paths: where prices count, what was spent is told in another currency.
    let recorded = row.improvements().unwrap_or_default();
    let lengths = |improvements: &[psmp_lab::score::Improvement]| {
        improvements
            .iter()
            .map(|i| i.length.to_bits())
            .collect::<Vec<_>>()
    };
    let same = match lengths(&recorded) == lengths(&trial.improvements) {
        true => "the same paths as in the row",
        false => "other paths than in the row: it was made by another version, or in other worlds",
    };
    let facts = [
        ("planner", row.planner.clone()),
        ("experience", row.experience.clone()),
        ("world", format!("{} of {}", row.world, row.dataset)),
        ("seed", row.seed.to_string()),
        ("checked", spent.clone()),
        ("ended", trial.ending.name().replace('-', " ")),
        ("run again", same.to_owned()),
        ("psmp", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    Ok(RunPage {
        title: title(row),
        subtitle: match trial.progress.best_length {
            Some(length) => format!("length {length:.3}, after {spent}"),
            None => format!("no path after {spent}"),
        },
        film: film.map_err(|e| cannot(row, &e.to_string()))?,
        stage,
        facts: facts.map(|(name, value)| (name.to_owned(), value)).into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_worlds_of_every_set_are_filmed_first_and_each_once() {
        let row = |set: &str, world, seed| Row {
            dataset: set.to_owned(),
            planner: "lazysp".to_owned(),
            world,
            seed,
            ..Row::default()
        };
        let mut rows = Vec::new();
        for world in 1..=150 {
            rows.extend([row("a", world, 0), row("a", world, 1)]);
        }
        rows.push(row("b", 7, 3));
        rows.push(Row {
            seconds: 11.0,
            ..row("b", 8, 3)
        });
        let chosen = Filming::chosen(&rows);
        assert_eq!(chosen.len(), MOST_FILMS);
        assert_eq!(chosen[..4], [0, 300, 2, 4]);
    }

    #[test]
    fn a_film_has_a_name_that_any_disk_takes() {
        let row = Row {
            dataset: "../maps & more".to_owned(),
            planner: "ei:local+grow".to_owned(),
            experience: "/home/me/office.belief".to_owned(),
            world: 3,
            ..Row::default()
        };
        assert_eq!(
            film_name(&row),
            ".._maps___more-world-3-ei_local_grow-office-seed-0.html"
        );
    }
}

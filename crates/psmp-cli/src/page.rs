//! `psmp plan --page`: the run that was just made, as a page to look at. (`live/` shows one while it goes on.)

use crate::failure::Mistake;
use crate::planning::Planning;
use crate::{say, show};
use anyhow::Result;
use clap::{ArgGroup, Args};
use psmp::checker::World;
use psmp::{Session, Space};
use psmp_arm::ArmProblem;
use psmp_lab::counted;
use psmp_lab::trial::Trial;
use psmp_report::picture::Given;
use psmp_report::report::film::{Recorder, Shown};
use psmp_report::report::run_page::{ArmScene, RunPage};
use psmp_worlds::OccupancyGrid;
use std::convert::Infallible;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("shown").args(["page", "live"])))]
pub struct PageArgs {
    /// Where to write the run as a page that plays it, for an arm with its motion in three dimensions: an
    /// .html file with everything in it.
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    page: Option<PathBuf>,

    /// Show the run in the browser while it goes on, at an address of this machine that is told and that nobody else can
    /// guess, and plan again where the start, the goal or an object of an arm's scene is dragged, with all that is still
    /// so. Stops hold for each run. It ends with Ctrl-C; `--path` and `--trajectory` are then of the last run.
    #[arg(long, conflicts_with_all = ["picture", "keep", "outcomes"], help_heading = "Output")]
    live: bool,

    /// Open that page, or that address, in the browser.
    #[arg(long, requires = "shown", help_heading = "Output")]
    open: bool,
}

impl PageArgs {
    /// Sees that the page can be written.
    pub fn check(&self) -> Result<()> {
        self.page.as_deref().map_or(Ok(()), check_file)
    }

    /// Whether runs are shown while they go on.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// Whether what is shown is opened in the browser.
    pub fn is_opened(&self) -> bool {
        self.open
    }

    /// The page, if there is to be one.
    pub fn file(&self) -> Option<&PathBuf> {
        self.page.as_ref()
    }

    /// What records a run, if there is to be a page of it.
    pub fn recorder(&self) -> Option<Recorder> {
        self.page.as_ref().map(|_| Recorder::default())
    }
}

/// What the page of a run shows beside what was recorded.
pub struct Page<'a> {
    pub title: &'a str,
    pub space: &'a Space,
    pub ends: [&'a [f64]; 2],
    pub obstacles: Option<&'a OccupancyGrid>,
    pub grown_obstacles: Option<&'a OccupancyGrid>,
    pub shortest: Option<f64>,
    /// How large the roadmap was before the run.
    pub given: Given,
    pub trial: &'a Trial,
    /// The arm, and the greatest acceleration of its joints.
    pub arm: Option<(&'a ArmProblem, f64)>,
}

impl Page<'_> {
    /// Writes what was recorded, and opens it if that was asked for.
    pub fn write<'s, W>(
        &self,
        planning: &Planning<'_>,
        session: &Session<'s, W>,
        recorder: Option<Recorder>,
    ) -> Result<()>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        let own = &planning.args.page;
        let (Some(file), Some(recorder)) = (&own.page, recorder) else {
            return Ok(());
        };
        let stage = match self.arm {
            Some((problem, acceleration)) => {
                let scene = ArmScene {
                    arm: &problem.arm,
                    scene: &problem.scene,
                    acceleration,
                };
                scene.stage(self.title, recorder.found())?
            }
            None => None,
        };
        let planner = planning.args.planner.to_string();
        let shown = Shown {
            planner: planner.clone(),
            seed: planning.common.seed,
            space: self.space,
            ends: self.ends,
            obstacles: self.obstacles,
            grown_obstacles: self.grown_obstacles,
            shortest: self.shortest,
            given: [self.given.vertices, self.given.edges],
        };
        let progress = self.trial.progress;
        let steps = match session.roadmap() {
            Some(_) => "edges",
            None => "motions",
        };
        let facts = [
            ("planner", planner),
            ("seed", planning.common.seed.to_string()),
            ("checked", {
                let configurations = counted(progress.configurations, "configurations");
                format!("{configurations}, {}", counted(progress.edges, steps))
            }),
            (
                "planned for",
                format!(
                    "{:.3} s, recording included",
                    self.trial.duration.as_secs_f64()
                ),
            ),
            ("ended", self.trial.ending.name().replace('-', " ")),
            ("psmp", env!("CARGO_PKG_VERSION").to_owned()),
        ];
        let page = RunPage {
            title: self.title.to_owned(),
            subtitle: show::subtitle(self.trial, steps),
            film: recorder.film(session, &shown)?,
            stage,
            facts: facts.map(|(name, value)| (name.to_owned(), value)).into(),
        };
        page.write(file)?;
        if own.open {
            // A name that begins with a dash is no option.
            let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
            open(file.as_os_str());
        }
        Ok(())
    }
}

/// Sees that a page can be written to this file.
pub fn check_file(file: &Path) -> Result<()> {
    let known = |e: &OsStr| ["html", "htm"].iter().any(|k| e.eq_ignore_ascii_case(k));
    if !file.extension().is_some_and(known) {
        return Err(Mistake::error(
            format!("`{}` ends in no known format", file.display()),
            "end the name in `.html`",
        ));
    }
    Ok(psmp_files::check_writable(file)?)
}

/// Opens a file or an address in the browser. That it cannot be done is said, and no reason to fail: it is there.
pub fn open(what: &OsStr) {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let opened = Command::new(program)
        .arg(what)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(why) = opened {
        say!(
            "note: `{program}` does not open `{}`: {why}; open it in a browser yourself",
            what.display()
        );
    }
}

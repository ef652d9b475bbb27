//! What happened in a run, to be looked at: a page that plays it, made where somebody looks.

use crate::arguments::{file_error, refused};
use crate::checker::Check;
use crate::pickling::{Reduced, maker};
use psmp::{Progress, Query, Roadmap, Space};
use psmp_arm::{Arm, DEFAULT_ACCELERATION, Scene};
use psmp_lab::counted;
use psmp_report::report::film::{Recorder, Shown};
use psmp_report::report::run_page::{ArmScene, Found, RunPage};
use psmp_worlds::OccupancyGrid;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// An arm, and what stands around it.
type ArmInScene = (Arm, Scene);

/// Where a run takes place, as far as it can be drawn.
pub enum Place {
    /// Nobody can tell what a function calls free.
    Unknown,
    /// Cells in the plane, and the same grown by the robot's radius if it is not a point.
    Cells(Box<OccupancyGrid>, Option<Box<OccupancyGrid>>),
    Arm(Box<ArmInScene>),
}

/// What a run is drawn with, beside what it does.
pub struct Stage {
    place: Place,
    space: Space,
    ends: [Vec<f64>; 2],
    /// How many vertices and edges the roadmap had before.
    given: [usize; 2],
}

impl Stage {
    /// The stage of a run from a configuration to another.
    pub fn between(
        check: &Check,
        space: &Space,
        ends: [&[f64]; 2],
        roadmap: Option<&Roadmap>,
    ) -> PyResult<Self> {
        Ok(Self {
            place: check.scenery()?,
            space: space.clone(),
            ends: ends.map(<[f64]>::to_vec),
            given: roadmap.map_or([0, 0], |r| [r.vertex_count(), r.edge_count()]),
        })
    }

    /// The stage of a run from vertex to vertex; these need not be anywhere.
    pub fn on(check: &Check, roadmap: &Roadmap, query: Query) -> PyResult<Self> {
        let nowhere = Space::unit(1);
        let ends = [query.start, query.goal].map(|v| roadmap.configuration(v));
        match (roadmap.space(), ends) {
            (Some(space), [Some(start), Some(goal)]) => {
                Self::between(check, space, [start, goal], Some(roadmap))
            }
            _ => Self::between(check, &nowhere, [&[0.0], &[1.0]], Some(roadmap)),
        }
    }
}

/// A run that is recorded.
pub struct Recording {
    pub recorder: Recorder,
    stage: Stage,
}

/// How a run stands when a film of it is made.
pub struct Standing<'a> {
    pub planner: &'a str,
    pub seed: u64,
    pub progress: Progress,
    pub seconds: f64,
    pub ending: &'a str,
}

impl Recording {
    pub fn new(stage: Stage) -> Self {
        Self {
            recorder: Recorder::default(),
            stage,
        }
    }

    /// What was recorded so far, to be told by whoever has the session: `film` is made of the recorder and of what is
    /// shown.
    pub fn told(
        &self,
        standing: &Standing<'_>,
        film: impl FnOnce(Recorder, &Shown<'_>) -> PyResult<psmp_report::report::Film>,
    ) -> PyResult<Reel> {
        let Stage {
            place,
            space,
            ends,
            given,
        } = &self.stage;
        let (obstacles, grown_obstacles) = match place {
            Place::Cells(cells, grown) => (Some(&**cells), grown.as_deref()),
            _ => (None, None),
        };
        let recorder = self.recorder.clone();
        let found = recorder.found().to_vec();
        let Standing {
            planner,
            seed,
            progress,
            ..
        } = *standing;
        let shown = Shown {
            planner: planner.to_owned(),
            seed,
            space,
            ends: [&ends[0], &ends[1]],
            obstacles,
            grown_obstacles,
            shortest: None,
            given: *given,
        };
        let film = film(recorder, &shown)?;
        let checked = counted(progress.configurations, "configurations");
        let found_so_far = match progress.best_length {
            Some(length) => format!("length {length:.4}"),
            None => "no path".to_owned(),
        };
        let facts = [
            ("planner", planner.to_owned()),
            ("seed", seed.to_string()),
            (
                "checked",
                format!("{checked}, {}", counted(progress.edges, "edges")),
            ),
            (
                "planned for",
                format!("{:.3} s, without recording", standing.seconds),
            ),
            ("ended", standing.ending.replace('-', " ")),
            ("psmp", env!("CARGO_PKG_VERSION").to_owned()),
        ];
        Ok(Reel {
            title: planner.to_owned(),
            subtitle: format!("{found_so_far} after {checked}"),
            film,
            arm: match place {
                Place::Arm(arm) => Some((arm.clone(), found)),
                _ => None,
            },
            facts: facts.map(|(name, value)| (name.to_owned(), value)).into(),
        })
    }
}

/// All that a page of a run is made of.
pub struct Reel {
    title: String,
    subtitle: String,
    film: psmp_report::report::Film,
    /// The arm, if it is one's, and its better paths.
    arm: Option<(Box<ArmInScene>, Vec<Found>)>,
    facts: Vec<(String, String)>,
}

impl Reel {
    fn page(self) -> PyResult<String> {
        let stage = match &self.arm {
            Some((arm, found)) => {
                let (arm, scene) = &**arm;
                let scene = ArmScene {
                    arm,
                    scene,
                    acceleration: DEFAULT_ACCELERATION,
                };
                // Where a joint has no limits of speed there is no motion in time to be shown.
                scene.stage(&self.title, found).ok().flatten()
            }
            None => None,
        };
        let page = RunPage {
            title: self.title,
            subtitle: self.subtitle,
            film: self.film,
            stage,
            facts: self.facts,
        };
        page.html().map_err(|e| refused("film", e))
    }
}

/// What is kept of a film: what the page is made of until somebody looks, and the page from then on.
enum Kept {
    Reel(Box<Reel>),
    Page(String),
}

/// What happened in a run, as a page that plays it: in the plane its map, of an arm its motions in three dimensions.
///
/// A run that was recorded has one (`record=True`, and in a notebook). The page is one HTML document with everything in it
/// and no request to anywhere, as `psmp plan --page` makes it.
#[pyclass(frozen, module = "psmp")]
pub struct Film(Mutex<Option<Kept>>);

impl Film {
    pub fn new(reel: Reel) -> Self {
        Self(Mutex::new(Some(Kept::Reel(Box::new(reel)))))
    }
}

#[pymethods]
impl Film {
    /// The page as HTML.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let page = match kept.take() {
                Some(Kept::Reel(reel)) => reel.page()?,
                Some(Kept::Page(page)) => page,
                None => {
                    return Err(refused(
                        "film",
                        "it was let go of: in a notebook the films of the latest runs are kept, and of all that were \
                         recorded by record=True",
                    ));
                }
            };
            *kept = Some(Kept::Page(page.clone()));
            Ok(page)
        })
    }

    /// Writes the page to a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let page = self.html(py)?;
        let saved = py.detach(|| psmp_files::save(&path, page.as_bytes()));
        saved.map_err(|e| file_error(&e))
    }

    /// Lets go of what is kept.
    fn _release(&self) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(kept);
    }

    #[getter]
    fn _is_released(&self) -> bool {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.is_none()
    }

    #[staticmethod]
    fn _of(page: String) -> Self {
        Self(Mutex::new(Some(Kept::Page(page))))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (String,)>> {
        Ok((maker::<Self>(py)?, (self.html(py)?,)))
    }
}

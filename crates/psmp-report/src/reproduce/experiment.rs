//! What is to be run: which worlds, which planners, which seeds; and the fingerprint of all that.

use psmp::EdgeId;
use psmp::by_name::PlannerSpec;
use psmp_files::FileError;
use psmp_lab::families::{FAMILIES, Family};
use psmp_lab::sweep::{Contestant, Familiarity, SweepOptions};
use psmp_lab::{Problems, fallback_name};
use std::fmt::Write;
use std::hash::Hasher;
use std::path::PathBuf;
use twox_hash::XxHash64;

/// A whole experiment.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Families to make worlds of.
    pub families: Vec<Family>,
    /// Folders of datasets to plan in beside those.
    pub folders: Vec<PathBuf>,
    /// How many worlds to make of each family.
    pub worlds: usize,
    /// How many of them, the last ones, to plan in. They are unknown to a planner that learns from
    /// unseen worlds, and known like all others to one that learns from seen ones.
    pub test: usize,
    /// The seed that roadmaps and worlds are made with.
    pub seed: u64,
    /// The planners and what they learn from.
    pub contestants: Vec<Contestant>,
    /// How they plan.
    pub options: SweepOptions,
}

impl Experiment {
    /// The published experiments in 2-D, as yet without planners: seven families of 1000 worlds, 200
    /// of them to plan in.
    #[must_use]
    pub fn published() -> Self {
        Self {
            families: FAMILIES.to_vec(),
            folders: Vec::new(),
            worlds: 1000,
            test: 200,
            seed: 0,
            contestants: Vec::new(),
            options: SweepOptions {
                seeds: vec![0, 1, 2],
                ..SweepOptions::default()
            },
        }
    }

    /// The same in small, for a first look.
    #[must_use]
    pub fn quick() -> Self {
        let mut small = Self::published();
        (small.worlds, small.test, small.options.seeds) = (300, 24, vec![0]);
        small
    }

    /// Each planner once with seen and once with unseen worlds, or once if it learns from none.
    pub fn enter(&mut self, planners: &[PlannerSpec]) {
        self.contestants
            .extend(planners.iter().flat_map(|&planner| {
                let kinds: &[Familiarity] = if planner.needs_experience() {
                    &[Familiarity::Seen, Familiarity::Unseen]
                } else {
                    &[Familiarity::Seen]
                };
                kinds.iter().map(move |&familiarity| Contestant {
                    planner,
                    familiarity,
                })
            }));
    }

    /// All settings as name and value, for the reader and for telling experiments apart. Only what
    /// can change a result is among them.
    #[must_use]
    pub fn settings(&self) -> Vec<(String, String)> {
        let join = |words: Vec<String>| words.join(" ");
        let options = &self.options;
        let contestants = self.contestants.iter();
        let entries = [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            (
                "families",
                join(self.families.iter().map(|f| f.name.to_owned()).collect()),
            ),
            (
                "datasets",
                join(
                    self.folders
                        .iter()
                        .map(|f| f.display().to_string())
                        .collect(),
                ),
            ),
            ("worlds of a family", self.worlds.to_string()),
            ("of these to plan in", self.test.to_string()),
            ("seed of roadmaps and worlds", self.seed.to_string()),
            (
                "planners",
                join(
                    contestants
                        .map(|c| format!("{}/{}", c.planner, c.experience()))
                        .collect(),
                ),
            ),
            (
                "seeds",
                join(options.seeds.iter().map(u64::to_string).collect()),
            ),
            (
                "resolution",
                options
                    .resolution
                    .map_or("a thousandth of the longest side".to_owned(), |r| {
                        r.to_string()
                    }),
            ),
            ("eta", options.eta.to_string()),
            ("fallback", fallback_name(options.fallback)),
            ("budget", format!("{:?}", options.budget)),
        ];
        entries.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// A word that is the same for the same settings, version and datasets, and for no others.
    ///
    /// # Errors
    /// If a dataset has no collision table.
    pub(super) fn fingerprint(&self, datasets: &[&dyn Problems]) -> Result<String, FileError> {
        let mut text = String::new();
        for (name, value) in self.settings() {
            // Where a dataset lies is no matter, what it holds is.
            if name != "datasets" {
                let _ = writeln!(text, "{name}={value}");
            }
        }
        let mut hash = XxHash64::with_seed(0);
        hash.write(text.as_bytes());
        for dataset in datasets {
            hash.write(dataset.name().as_bytes());
            for edge in dataset.roadmap().edges() {
                hash.write(&edge.from.0.to_le_bytes());
                hash.write(&edge.to.0.to_le_bytes());
                hash.write(&edge.length.to_bits().to_le_bytes());
            }
            let table = dataset.table()?;
            for edge in 0..table.edge_count() as u32 {
                for word in table.worlds_where_free(EdgeId(edge)) {
                    hash.write(&word.to_le_bytes());
                }
            }
        }
        Ok(format!("{:016x}", hash.finish()))
    }
}

//! The page that compares planners, from rows of runs: choose sets, planners and measures; curves over checks and over
//! time, shares solved, differences of pairs, a table of worlds with links to films. Like all pages it is one file with no
//! request to anywhere; what is chosen is worked out by its script from the rows in it.
//!
//! Rows may come from several files. The same run twice counts once; planners that differ in a setting, or in the file where
//! nothing else tells them apart, are told apart by it.

use super::page::{self, SCRIPTS, STYLE};
use super::style::{DASHES, OF_OTHERS};
use super::tables;
use crate::bench;
use crate::drawing::escaped;
use psmp::by_name::{GROWING, PlannerName};
use psmp_files::{FileError, save};
use psmp_lab::{EntrantName, Row, SHORTCUT, counted};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const PAGE: &str = include_str!("page/comparison.html");
const OWN_STYLE: &str = include_str!("page/comparison.css");
const OWN_SCRIPT: &str = include_str!("page/comparison.js");

/// Rows that belong together.
pub struct Source {
    /// The file that has them, if one has.
    pub file: Option<String>,
    /// The rows, in the order of the file.
    pub rows: Vec<Row>,
}

/// A run of a comparison.
pub struct Compared {
    /// What came of it.
    pub row: Row,
    /// Where its film is, from the page.
    pub film: Option<String>,
    source: usize,
    /// Its place in the source, counted from 1.
    number: usize,
    set: usize,
    planner: usize,
    /// When each better path was found, if all rows of the source say so.
    times: Option<Vec<f64>>,
}

/// Planners compared.
pub struct Comparison {
    files: Vec<Option<String>>,
    sets: Vec<String>,
    planners: Vec<Contender>,
    /// How many rows were there twice.
    repeated: usize,
    /// The runs.
    pub runs: Vec<Compared>,
}

struct Contender {
    /// As it is told apart from all others.
    name: String,
    planner: String,
}

impl Comparison {
    /// Puts rows together.
    ///
    /// # Errors
    /// If there are none, or a column of one is malformed; with the file, the row and the column.
    pub fn of(sources: Vec<Source>) -> Result<Self, FileError> {
        let file_of = |place: usize| sources[place].file.clone().unwrap_or_default();
        if let Some(empty) = sources.iter().position(|source| source.rows.is_empty()) {
            let what = "has no rows, so that there is nothing to compare";
            return Err(FileError::new(file_of(empty), what)
                .hint("name files of rows as `psmp bench -o` writes them"));
        }
        let sets = Sets::of(&sources);
        let mut known: BTreeMap<_, (usize, usize)> = BTreeMap::new();
        let mut kept: Vec<(usize, usize)> = Vec::new();
        // Planners in a set that only their files tell apart.
        let mut by_file = BTreeSet::new();
        let mut variants: BTreeMap<_, BTreeSet<[String; SETTINGS]>> = BTreeMap::new();
        let mut repeated = 0;
        for (place, source) in sources.iter().enumerate() {
            for (number, row) in source.rows.iter().enumerate() {
                check(row, &file_of(place), number)?;
                let set = sets.of_row(row);
                let settings = settings(row);
                let who = (set, row.planner.clone(), row.experience.clone());
                variants
                    .entry(who.clone())
                    .or_default()
                    .insert(settings.clone());
                let run = (who.clone(), settings.clone(), row.world, row.seed);
                match known.get(&run) {
                    None => {
                        known.insert(run, (place, number));
                        kept.push((place, number));
                    }
                    Some(&(before, at)) if is_same(&sources[before].rows[at], row) => repeated += 1,
                    Some(&(before, at)) if before == place => {
                        let what = format!(
                            "row {} is the run of row {} with another outcome (column `events`)",
                            number + 1,
                            at + 1
                        );
                        return Err(FileError::new(file_of(place), what)
                            .hint("leave one of them out, or make the file again"));
                    }
                    Some(_) => {
                        by_file.insert((who, settings));
                        kept.push((place, number));
                    }
                }
            }
        }
        let Sets { names, by_origin } = sets;
        let mut comparison = Self {
            files: sources.iter().map(|source| source.file.clone()).collect(),
            sets: names,
            planners: Vec::new(),
            repeated,
            runs: Vec::with_capacity(kept.len()),
        };
        let timed: Vec<bool> = sources
            .iter()
            .map(|source| source.rows.iter().all(|row| row.times().is_some()))
            .collect();
        for (place, number) in kept {
            let row = &sources[place].rows[number];
            let set = by_origin[&origin(row)];
            let settings = settings(row);
            let who = (set, row.planner.clone(), row.experience.clone());
            let mut name = label(row);
            for (setting, title) in TITLES.iter().enumerate() {
                let mut values = variants[&who].iter().map(|variant| &variant[setting]);
                if values.any(|value| *value != settings[setting]) {
                    name += &format!(", {title} {}", settings[setting]);
                }
            }
            if by_file.contains(&(who, settings)) {
                name += &format!(
                    ", {}",
                    comparison.files[place].as_deref().unwrap_or("this run")
                );
            }
            let planner = comparison.contender(name, &row.planner);
            comparison.runs.push(Compared {
                times: row.times().filter(|_| timed[place]),
                row: row.clone(),
                film: None,
                source: place,
                number: number + 1,
                set,
                planner,
            });
        }
        Ok(comparison)
    }

    /// The place of a planner among all, which it is put to if it is new.
    fn contender(&mut self, name: String, planner: &str) -> usize {
        let known = self.planners.iter().position(|known| known.name == name);
        known.unwrap_or_else(|| {
            self.planners.push(Contender {
                name,
                planner: planner.to_owned(),
            });
            self.planners.len() - 1
        })
    }

    /// Writes the page.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let planners = counted(self.planners.len(), "planners");
        let subtitle = format!(
            "{} of {planners} in {}",
            counted(self.runs.len(), "runs"),
            counted(self.sets.len(), "sets")
        );
        let films = format!(
            "A film is the run made again and recorded: the first seed of each planner, the first worlds first, at most {} \
             of them, {} MB and {} seconds of filming, and none that took longer than {} s. Behind “film?” is the command that makes \
             any other.",
            bench::MOST_FILMS,
            bench::MOST_BYTES / 1_000_000,
            bench::LONGEST.as_secs(),
            bench::LONGEST_RUN.as_secs()
        );
        let html = page::filled(PAGE, |name| match name {
            "style" => STYLE.to_owned(),
            "own" => OWN_STYLE.to_owned(),
            "title" => escaped(&format!("Planners compared: {}", self.sets.join(", "))),
            "subtitle" => escaped(&subtitle),
            "films" => escaped(&films),
            "facts" => tables::settings(&self.facts()),
            "data" => page::within_script(&self.data()),
            "script" => [&SCRIPTS[..2], &[OWN_SCRIPT]].concat().concat(),
            _ => String::new(),
        });
        save(path, html.as_bytes())
    }

    /// How the rows came about.
    fn facts(&self) -> Vec<(String, String)> {
        let all = |value: &dyn Fn(&Row) -> Option<String>| {
            let values: BTreeSet<String> =
                self.runs.iter().filter_map(|run| value(&run.row)).collect();
            match values.len() {
                0 => "–".to_owned(),
                _ => values.into_iter().collect::<Vec<_>>().join(", "),
            }
        };
        let seeds: BTreeSet<u64> = self.runs.iter().map(|run| run.row.seed).collect();
        let seeds = match (seeds.first(), seeds.last()) {
            (Some(first), Some(last)) if first != last => {
                format!("{}, from {first} to {last}", seeds.len())
            }
            (first, _) => first.map_or_else(String::new, u64::to_string),
        };
        let files: Vec<&str> = self.files.iter().flatten().map(String::as_str).collect();
        let mut facts = vec![
            (
                "rows from",
                match files.is_empty() {
                    true => "a benchmark whose rows were not kept".to_owned(),
                    false => files.join(", "),
                },
            ),
            ("worlds in", all(&|row| row.folder.clone())),
            ("robot", all(&|row| row.robot.clone())),
            ("seeds", seeds),
            (
                "resolution",
                all(&|row| row.resolution.map(|r| r.to_string())),
            ),
            ("budget", all(&|row| row.budget.map(|b| b.to_string()))),
            ("price", all(&|row| row.price.clone())),
            ("made by psmp", all(&|row| Some(row.version.clone()))),
        ];
        if self.repeated > 0 {
            facts.push((
                "there twice",
                format!("{}, counted once", counted(self.repeated, "rows")),
            ));
        }
        let told = facts.into_iter().filter(|(_, value)| value != "–");
        told.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What the script is given.
    fn data(&self) -> Value {
        let looks = looks(self.planners.iter().map(|planner| planner.planner.as_str()));
        let planners = self.planners.iter().zip(looks);
        let planners: Vec<Value> = planners
            .map(|(planner, (colour, dash))| {
                // Runs of somebody else's cannot be made again, nor filmed.
                let is_ours = planner.planner.parse::<EntrantName>().is_ok();
                json!({"name": planner.name, "colour": colour, "dash": dash, "ours": is_ours})
            })
            .collect();
        let unit = |set: usize| {
            let run = self.runs.iter().find(|run| run.set == set);
            run.map_or("", |run| run.row.unit.as_str())
        };
        let sets = self.sets.iter().enumerate();
        let sets: Vec<Value> = sets
            .map(|(place, name)| json!({"name": name, "unit": unit(place)}))
            .collect();
        let rows: Vec<Value> = self.runs.iter().map(|run| self.told(run)).collect();
        let files: Vec<&str> = self
            .files
            .iter()
            .map(|f| f.as_deref().unwrap_or(""))
            .collect();
        json!({"sets": sets, "planners": planners, "files": files, "rows": rows})
    }

    fn told(&self, run: &Compared) -> Value {
        let row = &run.row;
        let (costs, lengths, times) = curve(run);
        json!([
            run.set,
            run.planner,
            row.world,
            // Greater ones than a script knows numbers for are told as text.
            row.seed.to_string(),
            row.shortest_on_roadmap.map(rounded),
            row.limit,
            row.regret.map(rounded),
            row.cost_total,
            rounded(row.seconds),
            row.ending,
            costs,
            lengths,
            times,
            run.film,
            match self.files[run.source] {
                Some(_) => run.source as i64,
                None => -1,
            },
            run.number,
        ])
    }
}

/// A better path that is shorter by no more than this share is not told by itself.
const WORTH_TELLING: f64 = 5e-4;

/// The better paths of a run: costs, lengths and times, without those that no curve would show.
fn curve(run: &Compared) -> (Vec<u64>, Vec<f64>, Option<Vec<f64>>) {
    let improvements = run.row.improvements().unwrap_or_default();
    let (mut costs, mut lengths, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let mut told = f64::INFINITY;
    for (place, improvement) in improvements.iter().enumerate() {
        let is_last = place + 1 == improvements.len();
        if improvement.length > told * (1.0 - WORTH_TELLING) && !is_last {
            continue;
        }
        told = improvement.length;
        costs.push(improvement.configurations);
        lengths.push(rounded(told));
        times.extend(run.times.as_ref().map(|times| rounded(times[place])));
    }
    let times = run.times.as_ref().map(|_| times);
    (costs, lengths, times)
}

/// As many digits as any screen shows.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

/// Whether two rows tell of one run. Where the worlds lie is no matter.
fn is_same(one: &Row, other: &Row) -> bool {
    one.is_same_run(&Row {
        folder: one.folder.clone(),
        robot: one.robot.clone(),
        srdf: one.srdf.clone(),
        ..other.clone()
    })
}

/// Sees that the columns of a row that are text hold what they should.
fn check(row: &Row, file: &str, number: usize) -> Result<(), FileError> {
    let wrong = |column: &str, why: &str| {
        let what = format!("row {}: column `{column}` {why}", number + 1);
        Err(FileError::new(file, what).hint("make the file again, or leave it out"))
    };
    let Some(improvements) = row.improvements() else {
        return wrong("curve", "is no list of `cost:proposals:length`");
    };
    if improvements.iter().any(|i| !i.length.is_finite()) {
        return wrong("curve", "has a length that is no number");
    }
    if !row.curve_seconds.trim().is_empty() && row.times().is_none() {
        return wrong(
            "curve_seconds",
            "has not one number for each path of `curve`",
        );
    }
    if row.dataset.is_empty() || row.planner.is_empty() {
        return wrong("planner", "or `dataset` is empty");
    }
    Ok(())
}

/// What planners of one name may differ in, each with a word for it.
const SETTINGS: usize = 6;
const TITLES: [&str; SETTINGS] = ["budget", "price", "resolution", "eta", "fallback", "psmp"];

fn settings(row: &Row) -> [String; SETTINGS] {
    let none = || "none".to_owned();
    [
        row.budget.map_or_else(none, |b| b.to_string()),
        row.price.clone().unwrap_or_else(none),
        row.resolution.map_or_else(none, |r| r.to_string()),
        row.eta.to_string(),
        row.fallback.clone(),
        row.version.clone(),
    ]
}

/// A planner with its experience, in a few words.
fn label(row: &Row) -> String {
    match row.experience.as_str() {
        "none" | "" => row.planner.clone(),
        known @ ("seen" | "unseen") => format!("{} ({known})", row.planner),
        file => {
            let name = Path::new(file).file_name().unwrap_or_default();
            format!("{} ({})", row.planner, name.to_string_lossy())
        }
    }
}

/// Where the worlds of a row come from.
type From = (String, Option<String>, Option<u64>, Option<u64>);

fn origin(row: &Row) -> From {
    let Row {
        dataset,
        folder,
        made_worlds,
        made_seed,
        ..
    } = row;
    (dataset.clone(), folder.clone(), *made_worlds, *made_seed)
}

/// The sets that rows are of.
struct Sets {
    names: Vec<String>,
    by_origin: BTreeMap<From, usize>,
}

impl Sets {
    /// Sets of one name in different folders are one, if they have worlds in common and the same shortest paths there.
    fn of(sources: &[Source]) -> Self {
        let rows = || sources.iter().flat_map(|source| &source.rows);
        let mut worlds: BTreeMap<From, BTreeMap<u32, Option<f64>>> = BTreeMap::new();
        let mut order: Vec<From> = Vec::new();
        for row in rows() {
            let from = origin(row);
            if !worlds.contains_key(&from) {
                order.push(from.clone());
            }
            let shortest = worlds.entry(from).or_default();
            shortest.insert(row.world, row.shortest_on_roadmap);
        }
        let mut sets: Vec<From> = Vec::new();
        let mut by_origin = BTreeMap::new();
        for from in order {
            let is_one = |set: &From| {
                let (mine, theirs) = (&worlds[&from], &worlds[set]);
                let mut shared = mine
                    .iter()
                    .filter_map(|(w, a)| Some((a, theirs.get(w)?)))
                    .peekable();
                (&set.0, set.2, set.3) == (&from.0, from.2, from.3)
                    && shared.peek().is_some()
                    && shared.all(|(a, b)| a == b)
            };
            let place = sets.iter().position(is_one).unwrap_or_else(|| {
                sets.push(from.clone());
                sets.len() - 1
            });
            by_origin.insert(from, place);
        }
        let name = |(name, folder, worlds, seed): &From| {
            if sets.iter().filter(|set| set.0 == *name).count() == 1 {
                return name.clone();
            }
            match (folder, worlds, seed) {
                (Some(folder), ..) => format!("{name} ({folder})"),
                (None, Some(worlds), Some(seed)) => {
                    format!("{name} ({worlds} worlds, seed {seed})")
                }
                _ => name.clone(),
            }
        };
        Self {
            names: sets.iter().map(name).collect(),
            by_origin,
        }
    }

    fn of_row(&self, row: &Row) -> usize {
        self.by_origin[&origin(row)]
    }
}

/// A colour and dashes for each planner: its own colour, unless another has it already.
fn looks<'a>(planners: impl Iterator<Item = &'a str>) -> Vec<(&'static str, &'static str)> {
    const FURTHER: [&str; 8] = [
        "#0072B2", "#D55E00", "#009E73", "#8855BB", "#AA4499", "#117733", "#882255", "#44AA99",
    ];
    let mut used: Vec<&str> = Vec::new();
    planners
        .enumerate()
        .map(|(place, planner)| {
            let bare = planner.strip_suffix(GROWING).unwrap_or(planner);
            let own = PlannerName::colours(bare)
                .or_else(|| PlannerName::colours(bare.strip_suffix(SHORTCUT).unwrap_or(bare)));
            let own = own.unwrap_or_default().iter();
            let mut all = own.chain(&OF_OTHERS).chain(&FURTHER).copied();
            let colour = all.find(|colour| !used.contains(colour));
            let colour = colour.unwrap_or(FURTHER[place % FURTHER.len()]);
            used.push(colour);
            (colour, DASHES[place % DASHES.len()])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice;

    fn row(planner: &str, world: u32) -> Row {
        Row {
            dataset: "mazes".to_owned(),
            folder: Some("/a/mazes".to_owned()),
            planner: planner.to_owned(),
            experience: "none".to_owned(),
            world,
            unit: "configurations".to_owned(),
            shortest_on_roadmap: Some(1.0),
            curve: "5:1:2 9:2:1.9999 20:3:1".to_owned(),
            curve_seconds: "0.1 0.2 0.3".to_owned(),
            events: "a".to_owned(),
            ..Row::default()
        }
    }

    fn compared(files: &[&[Row]]) -> Result<Comparison, FileError> {
        let source = |(place, rows): (usize, &&[Row])| Source {
            file: Some(format!("{place}.csv")),
            rows: rows.to_vec(),
        };
        Comparison::of(files.iter().enumerate().map(source).collect())
    }

    fn names(comparison: &Comparison) -> Vec<&str> {
        comparison
            .planners
            .iter()
            .map(|p| p.name.as_str())
            .collect()
    }

    #[test]
    fn the_same_run_counts_once_and_others_are_told_apart() {
        let (one, two) = (row("lazysp", 1), row("lazysp", 2));
        let moved = Row {
            folder: Some("/b/mazes".to_owned()),
            seconds: 3.0,
            ..one.clone()
        };
        let both = compared(&[&[one.clone(), two.clone()], &[moved]]).unwrap();
        assert_eq!((both.runs.len(), both.repeated, both.sets.len()), (2, 1, 1));
        assert_eq!(names(&both), ["lazysp"]);
        // Another budget is another planner, and so is another outcome in another file.
        let bounded = Row {
            budget: Some(9),
            ..one.clone()
        };
        let both = compared(&[slice::from_ref(&one), &[bounded]]).unwrap();
        assert_eq!(names(&both), ["lazysp, budget none", "lazysp, budget 9"]);
        let other = Row {
            events: "b".to_owned(),
            ..one.clone()
        };
        let both = compared(&[slice::from_ref(&one), slice::from_ref(&other)]).unwrap();
        assert_eq!(names(&both), ["lazysp, 0.csv", "lazysp, 1.csv"]);
        // In one file that cannot be.
        let error = compared(&[&[one.clone(), other]])
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("0.csv") && error.contains("row 2"),
            "{error}"
        );
        // A set of the same name in which other paths are the shortest is another set.
        let apart = Row {
            folder: Some("/c/mazes".to_owned()),
            shortest_on_roadmap: Some(2.0),
            ..one.clone()
        };
        let both = compared(&[&[one], &[apart]]).unwrap();
        assert_eq!(both.sets, ["mazes (/a/mazes)", "mazes (/c/mazes)"]);
    }

    #[test]
    fn what_a_curve_would_not_show_is_left_out_and_times_are_told_by_all_or_none() {
        let unsolved = Row {
            curve: String::new(),
            curve_seconds: String::new(),
            ..row("psmp:fs", 3)
        };
        let both = compared(&[&[row("lazysp", 1), unsolved.clone()]]).unwrap();
        let (costs, lengths, times) = curve(&both.runs[0]);
        assert_eq!((costs, lengths), (vec![5, 20], vec![2.0, 1.0]));
        assert_eq!(times, Some(vec![0.1, 0.3]));
        assert_eq!(curve(&both.runs[1]).2, Some(Vec::new()));
        let older = Row {
            curve_seconds: String::new(),
            ..row("lazysp", 1)
        };
        let both = compared(&[&[older, unsolved]]).unwrap();
        assert!(both.runs.iter().all(|run| curve(run).2.is_none()));
    }

    #[test]
    fn a_malformed_row_is_told_with_its_file_and_column() {
        for (column, wrong) in [
            (
                "curve",
                Row {
                    curve: "5:1".to_owned(),
                    ..row("lazysp", 1)
                },
            ),
            (
                "curve",
                Row {
                    curve: "5:1:NaN".to_owned(),
                    curve_seconds: "1".to_owned(),
                    ..row("lazysp", 1)
                },
            ),
            (
                "curve_seconds",
                Row {
                    curve_seconds: "1 2".to_owned(),
                    ..row("lazysp", 1)
                },
            ),
            ("planner", row("", 1)),
        ] {
            let error = compared(&[&[row("psmp:fs", 1), wrong]])
                .err()
                .unwrap()
                .to_string();
            for word in ["0.csv", "row 2", column] {
                assert!(error.contains(word), "{error}");
            }
        }
        assert!(
            compared(&[&[]])
                .err()
                .unwrap()
                .to_string()
                .contains("no rows")
        );
    }

    #[test]
    fn no_two_of_many_planners_look_alike() {
        let names = [
            "psmp:fs",
            "psmp:nn",
            "ei:local",
            "ei:local+grow",
            "lazysp",
            "lazysp+shortcut",
            "rrtconnect+shortcut",
            "rrtstar",
            "bitstar",
            "pomp:fs",
        ];
        let looks = looks(names.into_iter());
        let colours: BTreeSet<&str> = looks.iter().map(|look| look.0).collect();
        assert_eq!(colours.len(), names.len());
    }

    /// Whatever rows are called, the page stays one page.
    #[test]
    fn names_cannot_break_the_page() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.html");
        let evil = Row {
            dataset: "</script><b>{{data}}".to_owned(),
            ..row("lazysp", 1)
        };
        compared(&[&[evil]]).unwrap().write(&path).unwrap();
        let page = std::fs::read_to_string(&path).unwrap();
        assert!(!page.contains("</script><b>"));
        assert!(page.contains("&lt;/script&gt;&lt;b&gt;") && page.contains("\\u003c/script>"));
    }
}

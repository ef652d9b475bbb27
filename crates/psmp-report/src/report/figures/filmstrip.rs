//! Runs of a few planners in one world, stopped at the same moments.

use super::{Figure, Panel};
use crate::drawing::{Anchor, Canvas, Map, Sample, Scene, length, number};
use crate::report::data::{Family, Film};
use crate::report::moment::Moment;
use crate::report::plot::{FAINT, INK};

/// The planners to be compared, from the top.
const PLANNERS: [&str; 3] = ["psmp:fs", "pomp:fs", "lazysp"];
/// The moments, as shares of the longest run.
const MOMENTS: [f64; 5] = [0.1, 0.2, 0.35, 0.6, 1.0];

const SIDE: f64 = 190.0;
const GAP: f64 = 12.0;
const NAMES: f64 = 86.0;
const HEADER: f64 = 34.0;
const BELOW: f64 = 26.0;
const LEGEND: f64 = 40.0;
const MARGIN: f64 = 8.0;

pub(super) fn figure(family: &Family) -> Option<Figure> {
    let rows = rows(&family.films);
    let first = rows.first()?;
    let end = |film: &&Film| film.frames.last().map_or(0, |f| f.configurations);
    // A run whose roadmap grows has no end of its own.
    let ended = rows.iter().filter(|film| !film.grows).map(end).max();
    let longest = ended.or_else(|| rows.iter().map(end).max());
    let longest = longest.filter(|&end| end > 0)?;
    let mut moments: Vec<u64> = MOMENTS
        .iter()
        .map(|share| round(share * longest as f64).min(longest))
        .collect();
    moments.dedup();
    if let Some(last) = moments.last_mut() {
        *last = longest;
    }

    let size = Map::within(scene(first, &Moment::at(first, 0)), [SIDE, SIDE])
        .map(|map| [map.width(), map.height()])?;
    let [width, height] = size;
    let columns = moments.len() as f64;
    let cell = |row: usize, column: usize| {
        [
            MARGIN + NAMES + column as f64 * (width + GAP),
            MARGIN + HEADER + row as f64 * (height + BELOW),
        ]
    };
    let bottom = cell(rows.len(), 0)[1];
    let mut canvas = Canvas::new(
        MARGIN + NAMES + columns * (width + GAP) - GAP + MARGIN,
        bottom + LEGEND,
    );
    for (column, &spent) in moments.iter().enumerate() {
        let [left, top] = cell(0, column);
        let text = number(spent as f64, 0);
        let text = match column {
            0 => format!("{text} {}", family.unit),
            _ => text,
        };
        let at = [left + width / 2.0, top - 12.0];
        canvas.bold(at, 13.0, INK, Anchor::Middle, &text);
    }
    for (row, film) in rows.iter().enumerate() {
        let [left, top] = cell(row, 0);
        let at = [left - 10.0, top + height / 2.0 + 5.0];
        canvas.bold(at, 14.0, "#111111", Anchor::End, &film.planner);
        if film.grows {
            let below = [at[0], at[1] + 17.0];
            canvas.text(below, 12.0, FAINT, Anchor::End, "growing");
        }
        for (column, &spent) in moments.iter().enumerate() {
            let moment = Moment::at(film, spent);
            let [left, top] = cell(row, column);
            if let Some(map) = Map::within(scene(film, &moment), [SIDE, SIDE]) {
                map.draw(&mut canvas, left, top);
            }
            let at = [left + width / 2.0, top + height + 16.0];
            let text = standing(&moment, film.shortest);
            canvas.text(at, 12.0, FAINT, Anchor::Middle, &text);
        }
    }
    let grows = rows.iter().any(|film| film.grows);
    draw_legend(&mut canvas, MARGIN + NAMES, bottom + LEGEND / 2.0, grows);
    let planners: Vec<&str> = rows.iter().map(|film| film.planner.as_str()).collect();
    Some(Figure {
        title: "One world, watched",
        caption: format!(
            "World {}, each planner stopped after the same number of {} checked. Unchecked edges \
             are drawn stronger where collision is believed likelier.",
            first.world, family.unit
        ),
        wide: true,
        panels: vec![Panel {
            name: format!("{}-film", family.name),
            alt: format!(
                "World {} of {} at {} moments, for {}",
                first.world,
                family.name,
                moments.len(),
                planners.join(", ")
            ),
            svg: canvas.finish(),
        }],
    })
}

/// The films to be shown: of the world in which the most of the planners to be compared were
/// filmed, and where there are none of those, the first few of the first world.
fn rows(films: &[Film]) -> Vec<&Film> {
    let compared = |world: u32| -> Vec<&Film> {
        let of = |planner: &&str| {
            let mut there = films
                .iter()
                .filter(|f| f.world == world && f.planner == **planner)
                .filter(|f| !f.frames.is_empty());
            // Seen, and without experience, the planners are at their plainest.
            let first = there.next();
            let plain = there.find(|f| f.experience != "unseen");
            match first {
                Some(film) if film.experience == "unseen" => plain.or(first),
                _ => first,
            }
        };
        let growing = films.iter().find(|f| f.world == world && f.grows);
        let growing = growing.filter(|f| !f.frames.is_empty());
        PLANNERS.iter().filter_map(of).chain(growing).collect()
    };
    let most = films
        .iter()
        .map(|film| compared(film.world))
        .reduce(|best, rows| if rows.len() > best.len() { rows } else { best });
    match (most, films.first()) {
        (Some(rows), _) if !rows.is_empty() => rows,
        (_, Some(first)) => {
            let there = films.iter().filter(|f| f.world == first.world);
            there.filter(|f| !f.frames.is_empty()).take(3).collect()
        }
        _ => Vec::new(),
    }
}

fn scene<'a>(film: &'a Film, moment: &'a Moment) -> Scene<'a> {
    Scene {
        roadmap: &moment.roadmap,
        query: film.query,
        obstacles: film.image.as_ref(),
        grown_obstacles: film.grown_image.as_ref(),
        edges: &moment.edges,
        path: moment.best.as_deref(),
        given: moment.given,
        tried: &moment.tried,
    }
}

/// Where a run stands, in a few words.
fn standing(moment: &Moment, shortest: Option<f64>) -> String {
    let path = match (moment.best_length, shortest) {
        (None, _) => "no path yet".to_owned(),
        (Some(best), Some(shortest)) if best < shortest * (1.0 - 1e-9) => {
            format!("length {}, below roadmap's", length(best))
        }
        (Some(best), Some(shortest)) if best <= shortest * (1.0 + 1e-9) => {
            format!("length {}, roadmap's shortest", length(best))
        }
        (Some(best), _) => format!("length {}", length(best)),
    };
    match moment.ended {
        Some("shortest-on-roadmap") => path + ", proven",
        Some("no-path-on-roadmap") => "no path on the roadmap, proven".to_owned(),
        _ => path,
    }
}

fn draw_legend(canvas: &mut Canvas, left: f64, y: f64, grows: bool) {
    let mut x = left;
    let growth: &[_] = match grows {
        true => &[(Sample::Grown, "grown"), (Sample::TriedFree, "tried, free")],
        false => &[],
    };
    let always = [
        (Sample::Path, "best path"),
        (Sample::Free, "checked, free"),
        (Sample::Blocked, "checked, in collision"),
        (
            Sample::Unknown,
            "not checked, stronger if collision is likelier",
        ),
        (Sample::Obstacle, "obstacle"),
    ];
    for &(sample, text) in always.iter().chain(growth) {
        sample.draw(canvas, x, y);
        canvas.text([x + 50.0, y + 4.5], 13.0, INK, Anchor::Start, text);
        x += 50.0 + 5.9 * text.len() as f64 + 22.0;
    }
}

/// A whole number with two significant digits.
fn round(value: f64) -> u64 {
    if value < 10.0 {
        return value.round() as u64;
    }
    let step = 10f64.powf(value.log10().floor() - 1.0);
    ((value / step).round() * step) as u64
}

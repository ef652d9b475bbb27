//! Pages: each one HTML file with everything in it, so that it opens anywhere without a network.

use super::data::{Family, Film, Report, Stage};
use super::figures::{Figure, Panel};
use super::motion::{motions, motions_alone};
use super::playback::{film_alone, films};
use super::tables;
use crate::drawing::escaped;
use serde_json::Value;

const REPORT: &str = include_str!("page/index.html");
const RUN: &str = include_str!("page/run.html");
const PLAYER: &str = include_str!("page/player.html");
const MOTION: &str = include_str!("page/motion.html");
const JOINTS: &str = include_str!("page/joints.html");
pub(super) const STYLE: &str = include_str!("page/style.css");
pub(super) const SCRIPTS: [&str; 4] = [
    include_str!("page/draw.js"),
    include_str!("page/player.js"),
    include_str!("page/solid.js"),
    include_str!("page/motion.js"),
];
const LIVE: [&str; 2] = [
    include_str!("page/live.js"),
    include_str!("page/handles.js"),
];

/// The whole page; `figures` are those of each family, in the order of the families.
pub(super) fn html(report: &Report, figures: &[Vec<Figure>]) -> String {
    let families = || report.families.iter().zip(figures);
    let sections: String = families().map(|(f, figures)| section(f, figures)).collect();
    let links: String = report
        .families
        .iter()
        .map(|f| format!("<a href=\"#family-{0}\">{0}</a>\n", escaped(&f.name)))
        .collect();
    let films = films(report);
    let motions = motions(report);
    filled(REPORT, |name| match name {
        "style" => STYLE.to_owned(),
        "script" => SCRIPTS.concat(),
        "films" => within_script(&films),
        "motions" => within_script(&motions),
        "hidden" => hidden(is_empty(&films)),
        "motionless" => hidden(is_empty(&motions)),
        "player" => filled(PLAYER, |name| match name {
            "heading" => "Two planners at work".to_owned(),
            "hint" => "Both have checked as much at every moment. ".to_owned(),
            "hidden" => hidden(is_empty(&films)),
            "stages" => stage(0, "Left ") + &stage(1, "Right "),
            _ => String::new(),
        }),
        "motion" => filled(MOTION, |name| match name {
            "motionless" => hidden(is_empty(&motions)),
            "who" => "Planner".to_owned(),
            _ => String::new(),
        }),
        "links" => links.clone(),
        "verdicts" => tables::verdicts(&report.claims),
        "claims" => tables::claims(&report.claims),
        "families" => sections.clone(),
        "settings" => tables::settings(&report.settings),
        _ => String::new(),
    })
}

/// What the page of one run shows.
pub(super) struct Run<'a> {
    pub(super) title: &'a str,
    pub(super) subtitle: &'a str,
    pub(super) film: &'a Film,
    pub(super) stage: Option<&'a Stage>,
    pub(super) facts: &'a [(String, String)],
}

/// The page of one run.
pub(super) fn of_run(run: &Run<'_>) -> String {
    let films = film_alone(run.film);
    let motions = motions_alone(run.stage);
    let has_map = run.film.roadmap.space().is_some();
    let still = run.stage.map(|stage| Panel {
        name: "-motion".to_owned(),
        alt: run.title.to_owned(),
        svg: stage.still.clone(),
    });
    filled(RUN, |name| match name {
        "style" => STYLE.to_owned(),
        "script" => SCRIPTS.concat(),
        "title" => escaped(run.title),
        "kind" => "still".to_owned(),
        "subtitle" => escaped(run.subtitle),
        "films" => within_script(&films),
        "motions" => within_script(&motions),
        "motionless" => hidden(is_empty(&motions)),
        "player" => filled(PLAYER, |name| match name {
            "heading" => "Film".to_owned(),
            "mapless" => hidden(!has_map),
            "stages" => stage(0, ""),
            _ => String::new(),
        }),
        "motion" => filled(MOTION, |name| match name {
            "motionless" => hidden(is_empty(&motions)),
            "who" => "Path".to_owned(),
            _ => String::new(),
        }),
        "facts" => tables::settings(run.facts),
        "still" => still.iter().map(panel).collect(),
        _ => String::new(),
    })
}

/// The page of runs that are told while they go on. It holds none: whoever shows it sends them.
pub(super) fn live(title: &str, has_map: bool, is_arm: bool) -> String {
    filled(RUN, |name| match name {
        "style" => STYLE.to_owned(),
        "script" => [SCRIPTS.concat(), LIVE.concat()].concat(),
        "title" => escaped(title),
        "kind" => "live".to_owned(),
        "subtitle" => "connecting".to_owned(),
        "films" | "motions" => "[]".to_owned(),
        "motionless" => hidden(!is_arm),
        "factless" => hidden(true),
        "player" => filled(PLAYER, |name| match name {
            "heading" => "Film".to_owned(),
            "hint" => match has_map {
                true => {
                    "Drag the start (ring) or the goal (square), or move them with the arrow keys. "
                }
                false => "",
            }
            .to_owned()
                + "The film goes on with the run while it stands at its end. ",
            "mapless" => hidden(!has_map),
            "stages" => stage(0, ""),
            _ => String::new(),
        }),
        "motion" => filled(MOTION, |name| match name {
            "motionless" => hidden(!is_arm),
            "who" => "Path".to_owned(),
            "handles" => JOINTS.to_owned(),
            _ => String::new(),
        }),
        _ => String::new(),
    })
}

fn is_empty(list: &Value) -> bool {
    list.as_array().is_none_or(Vec::is_empty)
}

/// The attribute of a part that is not to be seen.
fn hidden(is_hidden: bool) -> String {
    String::from(if is_hidden { "hidden" } else { "" })
}

/// Data as it may stand within a script, which `<` could end.
pub(super) fn within_script(list: &Value) -> String {
    list.to_string().replace('<', "\\u003c")
}

/// A template with each `{{name}}` replaced. What is put in is not looked at again, so that it
/// may hold whatever it likes.
pub(super) fn filled(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut pieces = template.split("{{");
    let mut page = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once("}}") {
            Some((name, after)) => {
                page.push_str(&value(name));
                page.push_str(after);
            }
            None => page.push_str(piece),
        }
    }
    page
}

/// Where the player shows what one of its planners does; `which` tells it from the other, if there is one.
fn stage(side: usize, which: &str) -> String {
    let name = which.to_lowercase();
    format!(
        "<div class=\"stage\">\n\
         <label class=\"planner\">{which}planner <select id=\"planner-{side}\"></select></label>\n\
         <canvas class=\"map\" id=\"map-{side}\" role=\"img\" aria-label=\"The {name}planner's world\"></canvas>\n\
         <div class=\"beside\">\n<p class=\"event\" id=\"event-{side}\"></p>\n\
         <canvas class=\"curve\" id=\"curve-{side}\" role=\"img\" aria-label=\"The {name}planner's best length so far\"></canvas>\n\
         </div>\n</div>\n"
    )
}

fn section(family: &Family, figures: &[Figure]) -> String {
    let name = escaped(&family.name);
    let about = escaped(&family.about);
    let figures: String = figures.iter().map(figure).collect();
    let summaries = tables::summaries(&family.summaries, &family.unit);
    format!(
        "<section class=\"family\" id=\"family-{name}\">\n<h2>{name}</h2>\n<p>{about}</p>\n\
         {figures}{summaries}\n</section>\n"
    )
}

fn figure(figure: &Figure) -> String {
    let Figure { title, caption, .. } = figure;
    let class = if figure.wide { "figure wide" } else { "figure" };
    let panels: String = figure.panels.iter().map(panel).collect();
    let caption = escaped(caption);
    format!(
        "<figure class=\"{class}\">\n<h3>{title}</h3>\n<div class=\"panels\">\n{panels}</div>\n\
         <figcaption>{caption}</figcaption>\n</figure>\n"
    )
}

fn panel(panel: &Panel) -> String {
    let (name, alt) = (escaped(&panel.name), escaped(&panel.alt));
    let svg = &panel.svg;
    format!(
        "<div class=\"panel\" id=\"panel-{name}\" role=\"img\" aria-label=\"{alt}\">\n{svg}</div>\n"
    )
}

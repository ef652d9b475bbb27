//! The page: one HTML file with everything in it, so that it opens anywhere without a network.

use super::data::{Family, Report};
use super::figures::{Figure, Panel};
use super::motion::motions;
use super::playback::films;
use super::tables;
use crate::drawing::escaped;

const TEMPLATE: &str = include_str!("page/index.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPTS: [&str; 4] = [
    include_str!("page/draw.js"),
    include_str!("page/player.js"),
    include_str!("page/solid.js"),
    include_str!("page/motion.js"),
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
    let hidden = |list: &serde_json::Value| {
        let empty = list.as_array().is_none_or(Vec::is_empty);
        String::from(if empty { "hidden" } else { "" })
    };
    // Within a script, `<` could end it.
    let within_script = |list: &serde_json::Value| list.to_string().replace('<', "\\u003c");
    filled(|name| match name {
        "style" => STYLE.to_owned(),
        "script" => SCRIPTS.concat(),
        "stages" => stage(0, "Left") + &stage(1, "Right"),
        "films" => within_script(&films),
        "motions" => within_script(&motions),
        "hidden" => hidden(&films),
        "motionless" => hidden(&motions),
        "links" => links.clone(),
        "claims" => tables::claims(&report.claims),
        "families" => sections.clone(),
        "settings" => tables::settings(&report.settings),
        _ => String::new(),
    })
}

/// The template with each `{{name}}` replaced. What is put in is not looked at again, so that it
/// may hold whatever it likes.
fn filled(value: impl Fn(&str) -> String) -> String {
    let mut pieces = TEMPLATE.split("{{");
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

/// Where the player shows what one of its two planners does.
fn stage(side: usize, which: &str) -> String {
    let name = which.to_lowercase();
    format!(
        "<div class=\"stage\">\n\
         <label class=\"planner\">{which} planner <select id=\"planner-{side}\"></select></label>\n\
         <canvas class=\"map\" id=\"map-{side}\" role=\"img\" aria-label=\"The {name} planner's world\"></canvas>\n\
         <p class=\"event\" id=\"event-{side}\"></p>\n\
         <canvas class=\"curve\" id=\"curve-{side}\" role=\"img\" aria-label=\"The {name} planner's best length so far\"></canvas>\n\
         </div>\n"
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

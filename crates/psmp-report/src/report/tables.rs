//! The tables of a page: claims, summaries and settings.

use super::data::{Claim, Verdict};
use crate::drawing::{escaped, number};
use psmp_lab::Summary;

/// How many of the paper's claims hold, for who does not read them.
pub(super) fn verdicts(claims: &[Claim]) -> String {
    let count = |verdict| claims.iter().filter(|c| c.verdict == verdict).count();
    let told = [
        (count(Verdict::Holds), "hold"),
        (count(Verdict::DoesNotHold), "not"),
        (count(Verdict::NotTested), "not tested"),
    ];
    let told = told.into_iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = told
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    escaped(&told.join(", "))
}

/// The paper's claims with what was measured.
pub(super) fn claims(claims: &[Claim]) -> String {
    if claims.is_empty() {
        return "<p>No claims were put to the test.</p>".to_owned();
    }
    let rows: String = claims
        .iter()
        .map(|claim| {
            let (class, symbol, words) = match claim.verdict {
                Verdict::Holds => ("holds", "✓", "holds"),
                Verdict::DoesNotHold => ("fails", "✗", "does not hold"),
                Verdict::NotTested => ("untested", "–", "not tested"),
            };
            format!(
                "<tr><td>{}</td><td>{}</td><td class=\"verdict {class}\">\
                 <span aria-hidden=\"true\">{symbol}</span> {words}</td></tr>\n",
                escaped(&claim.claim),
                escaped(&claim.measured)
            )
        })
        .collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Claims\">\
         <table class=\"claims\">\n<thead><tr><th scope=\"col\">Claim</th>\
         <th scope=\"col\">Measured</th><th scope=\"col\">Verdict</th></tr></thead>\n\
         <tbody>\n{rows}</tbody></table></div>"
    )
}

/// One line for each planner and kind of experience; the least regret of each kind stands out.
pub(super) fn summaries(summaries: &[Summary], unit: &str) -> String {
    if summaries.is_empty() {
        return String::new();
    }
    let hopeless = summaries.iter().any(|s| s.no_path_on_roadmap.0 > 0);
    let best = |of: &Summary| {
        let rivals = summaries.iter().filter(|s| {
            s.experience == of.experience || s.experience == "none" || of.experience == "none"
        });
        let least = rivals.filter_map(|s| s.regret).min_by(f64::total_cmp);
        of.regret.is_some() && of.regret == least
    };
    let rows: String = summaries
        .iter()
        .map(|s| row(s, best(s), hopeless))
        .collect();
    let proven = match hopeless {
        true => "<th scope=\"col\">no path on the roadmap, proven</th>",
        false => "",
    };
    let unit = escaped(unit);
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Summary\">\
         <table class=\"numbers\">\n<thead><tr><th scope=\"col\">Planner</th>\
         <th scope=\"col\">experience</th><th scope=\"col\">runs</th>\
         <th scope=\"col\">solved</th>\
         <th scope=\"col\">{unit} to the first path</th>\
         <th scope=\"col\">{unit} to the roadmap's shortest</th>\
         <th scope=\"col\">reached the roadmap's shortest</th>\
         <th scope=\"col\">first / roadmap's shortest</th>\
         <th scope=\"col\">anytime regret [95%]</th>\
         <th scope=\"col\">ms per run</th>{proven}</tr></thead>\n<tbody>\n{rows}</tbody></table>\
         </div>\n<p class=\"note\">Medians over runs, regret a mean over worlds: 0 is as good as \
         knowing the roadmap's shortest path, 1.5 is nothing found. The least is bold.</p>"
    )
}

fn row(summary: &Summary, best: bool, hopeless: bool) -> String {
    let cost = |cost: Option<f64>| written(cost, 0);
    let percent = |share: f64| match share.is_finite() {
        true => format!("{:.0}%", 100.0 * share),
        false => "–".to_owned(),
    };
    let mut regret = written(summary.regret, 3);
    if best {
        regret = format!("<strong>{regret}</strong>");
    }
    if let Some((low, high)) = summary.regret_interval {
        regret += &format!(" [{}, {}]", number(low, 3), number(high, 3));
    }
    let proven = match (hopeless, summary.no_path_on_roadmap) {
        (false, _) => String::new(),
        (true, (of, proven)) => format!("<td>{proven} of {of}</td>"),
    };
    format!(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
         <td>{}</td><td>{}</td><td>{regret}</td><td>{}</td>{proven}</tr>\n",
        escaped(&summary.planner),
        escaped(&summary.experience),
        summary.runs,
        percent(summary.solved),
        cost(summary.to_first),
        cost(summary.to_shortest),
        percent(summary.reached_shortest),
        written(summary.first_over_shortest, 3),
        written(Some(summary.milliseconds), 1),
    )
}

/// A number, or a dash where there is none.
fn written(value: Option<f64>, decimals: usize) -> String {
    match value.filter(|v| v.is_finite()) {
        Some(value) => number(value, decimals),
        None => "–".to_owned(),
    }
}

/// How the experiment was set up.
pub(super) fn settings(settings: &[(String, String)]) -> String {
    let lines: String = settings
        .iter()
        .map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value)))
        .collect();
    format!("<dl class=\"settings\">\n{lines}</dl>")
}

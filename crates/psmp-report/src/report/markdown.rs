//! The report as plain Markdown: claims, and a table for each family.

use super::data::{Family, Report, Verdict};
use crate::drawing::without_tags;
use std::fmt::Write;

pub(super) fn summary(report: &Report) -> String {
    let mut page =
        String::from("# Results\n\n## Claims\n\n| claim | measured | verdict |\n|---|---|---|\n");
    for claim in &report.claims {
        let verdict = match claim.verdict {
            Verdict::Holds => "holds",
            Verdict::DoesNotHold => "does not hold",
            Verdict::NotTested => "not tested",
        };
        let (claim, measured) = (plain(&claim.claim), plain(&claim.measured));
        let _ = writeln!(page, "| {claim} | {measured} | {verdict} |");
    }
    for family in &report.families {
        add_family(&mut page, family);
    }
    page.push_str("\n## Settings\n\n");
    for (name, value) in &report.settings {
        let _ = writeln!(page, "- {}: {}", plain(name), plain(value));
    }
    page
}

/// Text that stays text: no HTML, no link, no end of a line or a table's cell. Names are those of
/// the user's files, and Markdown is shown as HTML.
fn plain(text: &str) -> String {
    without_tags(text)
        .replace('|', "&#124;")
        .replace('[', "&#91;")
        .replace(char::is_control, " ")
}

fn add_family(page: &mut String, family: &Family) {
    let unit = plain(&family.unit);
    let _ = write!(
        page,
        "\n## {}\n\n{}\n\nCosts are medians of {unit} checked; a run that never gets there counts as \
         infinite. The shortest is the shortest on the roadmap; checking only that path costs {:.0} on \
         average.\n\n\
         | planner | experience | runs | to first | to shortest | first / shortest | solved | \
         regret | 95% interval |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n",
        plain(&family.name),
        plain(&family.about),
        family.limit
    );
    let number = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
    };
    for s in &family.summaries {
        let interval = s.regret_interval.map_or_else(
            || "-".to_owned(),
            |(low, high)| format!("{low:.3} to {high:.3}"),
        );
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {:.0}% | {} | {interval} |",
            plain(&s.planner),
            plain(&s.experience),
            s.runs,
            number(s.to_first, 0),
            number(s.to_shortest, 0),
            number(s.first_over_shortest, 3),
            s.solved * 100.0,
            number(s.regret, 3),
        );
    }
    if let Some(growth) = &family.growth {
        let (low, high) = growth.interval;
        let _ = writeln!(
            page,
            "\nCumulative regret of PSMP grows with proposals to the power {:.2} ({low:.2} to \
             {high:.2}).",
            growth.exponent
        );
    }
}

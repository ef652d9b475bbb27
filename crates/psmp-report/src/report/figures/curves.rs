//! What planners reach against what they spend: how short their paths are, and how many runs have
//! found one.

use super::{Figure, Panel};
use crate::drawing::number;
use crate::report::data::{Family, Point, Series};
use crate::report::plot::{Axis, Plot, extent};
use crate::report::style::{REFERENCE, Styles};

/// The kinds of experience that have panels of their own, and what to write above those.
const KINDS: [(&str, &str); 2] = [
    ("seen", "Seen: the world is among the known ones"),
    ("unseen", "Unseen: the world is new"),
];

/// What lengths are held against, beside its line.
const SHORTEST: &str = "roadmap's shortest";

pub(super) fn anytime(family: &Family, styles: &Styles) -> Option<Figure> {
    let means = || family.anytime.iter().flat_map(|s| &s.points);
    let ends = means().flat_map(|p| [p.mean, p.low, p.high]);
    let [low, high] = extent(ends.chain([1.0]))?;
    let air = (0.04 * (high - low)).max(0.01);
    let y = Axis::linear(
        "best length / roadmap's shortest",
        [low.max(0.0) - air, high + air],
    );
    let panels = panels(family, &family.anytime, "anytime", y, styles, |plot, x| {
        let shortest = |x: f64| Point {
            x,
            mean: 1.0,
            low: 1.0,
            high: 1.0,
        };
        plot.line(&x.map(shortest), REFERENCE, SHORTEST);
    })?;
    let mut caption =
        "Mean length of the best path over that of the roadmap's shortest, counting as 3 \
                       before the first path; bands are 95% intervals over worlds."
            .to_owned();
    if family.limit.is_finite() {
        caption += &format!(
            " The mark is what checking the roadmap's shortest path alone costs, {} {} on average.",
            number(family.limit, 0),
            family.unit
        );
    }
    Some(Figure {
        title: "Path length against effort",
        caption,
        wide: false,
        panels,
    })
}

pub(super) fn solved(family: &Family, styles: &Styles) -> Option<Figure> {
    let y = Axis {
        percent: true,
        ..Axis::linear("runs with a path (%)", [0.0, 1.0])
    };
    let panels = panels(family, &family.solved, "solved", y, styles, |_, _| {})?;
    Some(Figure {
        title: "Problems solved against budget",
        caption: "Share of runs that have found some path within the budget; bands are 95% \
                  intervals over worlds."
            .to_owned(),
        wide: false,
        panels,
    })
}

/// A panel for each kind of experience; planners without any are in all of them.
fn panels(
    family: &Family,
    all: &[Series],
    name: &str,
    y: Axis,
    styles: &Styles,
    beside: impl Fn(&mut Plot, [f64; 2]),
) -> Option<Vec<Panel>> {
    let xs = || all.iter().flat_map(|s| &s.points).map(|p| p.x);
    let [_, last] = extent(xs())?;
    let range = [0.0, if last > 0.0 { last } else { 1.0 }];
    let label = format!("{} checked", family.unit);
    let x = match family.logarithmic {
        true => Axis::logarithmic(label, xs())?,
        false => Axis::linear(label, range),
    };

    let names = all.iter().map(|s| s.planner.chars().count());
    let letters = names.chain([SHORTEST.len()]).max().unwrap_or(0);

    let of_kind = |kind: &str| all.iter().any(|s| s.experience == kind);
    let mut kinds: Vec<(Option<&str>, &str)> = KINDS
        .into_iter()
        .filter(|(kind, _)| of_kind(kind))
        .map(|(kind, title)| (Some(kind), title))
        .collect();
    if kinds.is_empty() {
        kinds.push((None, "All planners"));
    }
    let panels = kinds.into_iter().map(|(kind, title)| {
        let shown = || {
            let of_other_kind = |s: &&Series| {
                KINDS.iter().any(|(k, _)| s.experience == *k) && kind != Some(&s.experience)
            };
            all.iter().filter(move |s| !of_other_kind(s))
        };
        let mut plot = Plot::new(title, x.clone(), y.clone(), letters);
        beside(&mut plot, x.range);
        plot.mark(family.limit, "shortest path alone");
        for series in shown() {
            plot.band(&series.points, styles.line(&series.planner));
        }
        for series in shown() {
            let line = styles.line(&series.planner);
            plot.line(&series.points, line, &series.planner);
        }
        let suffix = kind.map(|kind| format!("-{kind}")).unwrap_or_default();
        let planners: Vec<&str> = shown().map(|s| s.planner.as_str()).collect();
        Panel {
            name: format!("{}-{name}{suffix}", family.name),
            alt: format!(
                "{}, {title}: {} against {}, for {}",
                family.name,
                y.label,
                x.label,
                planners.join(", ")
            ),
            svg: plot.finish(),
        }
    });
    Some(panels.collect())
}

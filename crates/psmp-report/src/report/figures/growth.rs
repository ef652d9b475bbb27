//! How regret grows: cumulative regret against proposals on logarithmic axes, where a power law is
//! a straight line and its slope the exponent.

use super::{Figure, Panel};
use crate::report::data::{Family, Point, RegretGrowth};
use crate::report::plot::{Axis, Plot};
use crate::report::style::{Line, REFERENCE};

const MEASURED: Line = Line {
    colour: "#0072B2",
    dash: "none",
};
const FITTED: Line = Line {
    colour: "#D55E00",
    dash: "8 4",
};

pub(super) fn figure(family: &Family) -> Option<Figure> {
    let growth = family.growth.as_ref()?;
    let law = PowerLaw::through(growth)?;
    let theorem = PowerLaw {
        exponent: 0.5,
        factor: law.at(law.from) / law.from.sqrt(),
        ..law
    };
    let drawn = || growth.points.iter().filter(|p| p.x > 0.0 && p.mean > 0.0);
    let lines = [&law, &theorem].into_iter().flat_map(PowerLaw::ends);
    let x = Axis::logarithmic("proposals", drawn().map(|p| p.x))?;
    let y = Axis::logarithmic(
        "cumulative regret (path lengths)",
        drawn().map(|p| p.mean).chain(lines.map(|p| p.mean)),
    )?;
    let fitted = format!("fitted: {:.2}", growth.exponent);
    let mut plot = Plot::new("PSMP: growth of regret", x, y, fitted.len());
    plot.band(&growth.points, MEASURED);
    plot.line(&theorem.ends(), REFERENCE, "theorem: 0.5");
    plot.line(&law.ends(), FITTED, &fitted);
    if growth.points.len() <= 40 {
        plot.dots(&growth.points, MEASURED.colour);
    }
    plot.line(&growth.points, MEASURED, "measured");
    let (low, high) = growth.interval;
    Some(Figure {
        title: "Growth of regret",
        caption: format!(
            "Cumulative regret of PSMP against proposals on logarithmic axes. The fitted power law \
             has exponent {:.2} (95% interval {low:.2} to {high:.2}); the theorem allows one half, \
             up to logarithms, drawn from the same beginning.",
            growth.exponent
        ),
        wide: false,
        panels: vec![Panel {
            name: format!("{}-growth", family.name),
            alt: format!(
                "{}: cumulative regret against proposals, growing with exponent {:.2}",
                family.name, growth.exponent
            ),
            svg: plot.finish(),
        }],
    })
}

/// `factor x^exponent` between two values of x.
#[derive(Clone, Copy)]
struct PowerLaw {
    factor: f64,
    exponent: f64,
    from: f64,
    to: f64,
}

impl PowerLaw {
    /// The law of the fitted exponent that lies amid the points.
    fn through(growth: &RegretGrowth) -> Option<Self> {
        let exponent = growth.exponent;
        let usable =
            |p: &&Point| p.x > 0.0 && p.x.is_finite() && p.mean > 0.0 && p.mean.is_finite();
        let points: Vec<&Point> = growth.points.iter().filter(usable).collect();
        let (first, last) = (points.first()?, points.last()?);
        let residual = |p: &&Point| p.mean.ln() - exponent * p.x.ln();
        let mean = points.iter().map(residual).sum::<f64>() / points.len() as f64;
        exponent.is_finite().then(|| Self {
            factor: mean.exp(),
            exponent,
            from: first.x,
            to: last.x,
        })
    }

    fn at(&self, x: f64) -> f64 {
        self.factor * x.powf(self.exponent)
    }

    fn ends(&self) -> [Point; 2] {
        [self.from, self.to].map(|x| {
            let mean = self.at(x);
            Point {
                x,
                mean,
                low: mean,
                high: mean,
            }
        })
    }
}

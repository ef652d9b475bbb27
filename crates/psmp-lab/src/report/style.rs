//! How each planner's line looks, the same in every figure of a report.
//!
//! The colour says how paths are proposed, so that planners that differ only in their belief are
//! seen to be kin; the colours are those of Okabe and Ito, told apart by everyone. The dashes
//! differ from planner to planner besides, for print without colours.

use super::data::Report;

/// The look of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    pub(super) colour: &'static str,
    pub(super) dash: &'static str,
}

impl Line {
    /// The attributes of a stroke of this look.
    pub(super) fn stroke(&self, width: f64) -> String {
        let Self { colour, dash } = self;
        format!(
            "stroke=\"{colour}\" stroke-width=\"{width}\" stroke-dasharray=\"{dash}\" \
             stroke-linejoin=\"round\""
        )
    }
}

/// What is not a planner: bounds and laws.
pub(super) const REFERENCE: Line = Line {
    colour: "#555555",
    dash: "6 4",
};

const OF_PROPOSERS: [(&str, &str); 5] = [
    ("psmp", "#0072B2"),
    ("pomp", "#D55E00"),
    ("lazysp", "#009E73"),
    ("maxprob", "#CC79A7"),
    ("maxprob+", "#CC79A7"),
];
const OF_OTHERS: [&str; 3] = ["#E69F00", "#56B4E9", "#111111"];
const DASHES: [&str; 8] = [
    "none",
    "8 4",
    "2 3",
    "12 3 2 3",
    "16 4",
    "5 2",
    "8 3 2 3 2 3",
    "1 4",
];

/// The planners of a report, in order, which fixes their looks.
pub(super) struct Styles {
    planners: Vec<String>,
}

impl Styles {
    pub(super) fn of(report: &Report) -> Self {
        let mut planners: Vec<String> = Vec::new();
        for family in &report.families {
            for series in family.anytime.iter().chain(&family.solved) {
                if !planners.contains(&series.planner) {
                    planners.push(series.planner.clone());
                }
            }
        }
        Self { planners }
    }

    pub(super) fn line(&self, planner: &str) -> Line {
        let place = self.planners.iter().position(|p| p == planner);
        Line {
            colour: self.colour(planner),
            dash: DASHES[place.unwrap_or(0) % DASHES.len()],
        }
    }

    fn colour(&self, planner: &str) -> &'static str {
        let known = |name: &str| OF_PROPOSERS.iter().find(|(known, _)| *known == name);
        let wanted = proposer(planner);
        if let Some((_, colour)) = known(wanted) {
            return colour;
        }
        let mut others: Vec<&str> = Vec::new();
        for name in self.planners.iter().map(|p| proposer(p)) {
            if known(name).is_none() && !others.contains(&name) {
                others.push(name);
            }
        }
        let place = others.iter().position(|name| *name == wanted);
        OF_OTHERS[place.unwrap_or(0) % OF_OTHERS.len()]
    }
}

/// The part of a planner's name that says how paths are proposed.
fn proposer(planner: &str) -> &str {
    planner.split(':').next().unwrap_or(planner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kin_share_a_colour_and_no_two_a_look() {
        let planners = ["psmp:fs", "psmp:nn", "lazysp", "value:nn", "other", "pomp"];
        let styles = Styles {
            planners: planners.map(str::to_owned).to_vec(),
        };
        let line = |planner| styles.line(planner);
        assert_eq!(line("psmp:fs").colour, line("psmp:nn").colour);
        assert_ne!(line("value:nn").colour, line("other").colour);
        for (i, a) in planners.iter().enumerate() {
            for b in &planners[..i] {
                assert_ne!(line(a), line(b));
                assert_ne!(line(a).dash, line(b).dash);
            }
        }
        assert_eq!(line("never named").dash, "none");
    }
}

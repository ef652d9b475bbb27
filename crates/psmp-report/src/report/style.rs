//! How each planner's line looks, the same in every figure of a report.
//!
//! The colour says how paths are proposed: planners that differ only in their belief have kindred
//! colours, all of them those of Okabe and Ito, told apart by everyone. The dashes differ from
//! planner to planner besides, for print without colours.

use super::data::Report;
use psmp::by_name::PlannerName;

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

pub(super) const OF_OTHERS: [&str; 4] = ["#CC79A7", "#111111", "#E69F00", "#56B4E9"];
pub(super) const DASHES: [&str; 8] = [
    "none",
    "8 4",
    "2 3",
    "12 3 2 3",
    "4 2",
    "18 5",
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
        let name = proposer(planner);
        let before = || self.planners.iter().take_while(|p| *p != planner);
        if let Some([first, further @ ..]) = PlannerName::colours(name) {
            let is_first = before().all(|p| proposer(p) != name);
            return if is_first {
                first
            } else {
                further.last().unwrap_or(first)
            };
        }
        let has_none = |p: &&String| PlannerName::colours(proposer(p)).is_none_or(<[_]>::is_empty);
        let others = before().filter(has_none);
        OF_OTHERS[others.count() % OF_OTHERS.len()]
    }
}

/// The part of a planner's name that says how paths are proposed.
fn proposer(planner: &str) -> &str {
    let planner = planner.strip_suffix("+straightened").unwrap_or(planner);
    planner.split(':').next().unwrap_or(planner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_planners_look_alike() {
        let planners = [
            "psmp:fs", "psmp:nn", "lazysp", "value:nn", "other", "pomp:fs",
        ];
        let styles = Styles {
            planners: planners.map(str::to_owned).to_vec(),
        };
        for (i, a) in planners.iter().map(|p| styles.line(p)).enumerate() {
            for b in planners[..i].iter().map(|p| styles.line(p)) {
                assert!(a.colour != b.colour && a.dash != b.dash, "{a:?} {b:?}");
            }
        }
        assert_eq!(styles.line("never named").dash, "none");
    }
}

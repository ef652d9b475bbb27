//! Rows that earlier versions wrote.

use crate::reproduce::seven_dof::Entry;
use psmp::by_name::PlannerName;
use psmp_lab::Row;
use psmp_lab::trial::Ending;

/// The same row in today's words: endings and lower bounds did not always say that they speak of one
/// roadmap, or of the straight line.
pub(crate) fn in_todays_words(mut row: Row) -> Row {
    let entry = row.planner.parse::<Entry>();
    let on_roadmap = !entry.is_ok_and(|e| matches!(e.planner, PlannerName::Tree(_)));
    if !on_roadmap && row.straight_line.is_none() {
        row.straight_line = row.lower_bound_on_roadmap.take();
    }
    let ending = match (row.ending.as_str(), on_roadmap) {
        ("optimal", true) => Ending::ShortestOnRoadmap,
        ("optimal", false) => Ending::StraightLine,
        ("infeasible", true) => Ending::NoPathOnRoadmap,
        ("infeasible", false) => Ending::EndInCollision,
        _ => return row,
    };
    row.ending = ending.name().to_owned();
    row
}

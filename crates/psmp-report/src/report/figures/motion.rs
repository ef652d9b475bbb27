//! An arm along a path, as a still picture.

use super::{Figure, Panel};
use crate::report::data::Family;

pub(super) fn figure(family: &Family) -> Option<Figure> {
    let stage = family.stage.as_ref()?;
    let shown = stage.motions.first()?;
    let (planner, world) = (&shown.planner, shown.world);
    Some(Figure {
        title: "A motion",
        caption: format!(
            "The best path that {planner} found in world {world}, from two sides. The page shows this \
             and others in three dimensions."
        ),
        wide: true,
        panels: vec![Panel {
            name: format!("{}-motion", family.name),
            alt: format!("{}: the arm along a path of {planner}", family.name),
            svg: stage.still.clone(),
        }],
    })
}

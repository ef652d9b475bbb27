//! A few worlds of a family in a row.

use super::{Figure, Panel};
use crate::drawing::{Canvas, Map, Scene};
use crate::report::data::Family;
use psmp::{Direction, Query, Roadmap, Space, VertexId};

const MOST: usize = 5;
const SIDE: f64 = 180.0;
const GAP: f64 = 14.0;
const MARGIN: f64 = 8.0;

pub(super) fn figure(family: &Family) -> Option<Figure> {
    let shown = &family.examples[..family.examples.len().min(MOST)];
    let first = shown.first()?;
    // Where films show the roadmap, its start and goal are worth seeing; else the image will do.
    let (roadmap, query) = match family.films.first() {
        Some(film) => (film.roadmap.clone(), film.query),
        None => plane_of(first.bounds())?,
    };
    let scene = |obstacles| Scene {
        roadmap: &roadmap,
        query,
        obstacles: Some(obstacles),
        grown_obstacles: None,
        edges: &[],
        path: None,
        given: None,
        tried: &[],
    };
    let map = Map::within(scene(first), [SIDE, SIDE])?;
    let [width, height] = [map.width(), map.height()];
    let count = shown.len() as f64;
    let mut canvas = Canvas::new(
        2.0 * MARGIN + count * (width + GAP) - GAP,
        2.0 * MARGIN + height,
    );
    for (place, world) in shown.iter().enumerate() {
        if let Some(map) = Map::within(scene(world), [SIDE, SIDE]) {
            map.draw(&mut canvas, MARGIN + place as f64 * (width + GAP), MARGIN);
        }
    }
    let ends = match family.films.is_empty() {
        true => "",
        false => ", with the start as a ring and the goal as a square",
    };
    Some(Figure {
        title: "Worlds",
        caption: format!("A few of the worlds{ends}. Dark is in collision."),
        wide: true,
        panels: vec![Panel {
            name: format!("{}-worlds", family.name),
            alt: format!("{} example worlds of {}", shown.len(), family.name),
            svg: canvas.finish(),
        }],
    })
}

/// A roadmap without edges that spans an image, with start and goal nowhere.
fn plane_of([x, y]: [[f64; 2]; 2]) -> Option<(Roadmap, Query)> {
    let axis = |[low, high]: [f64; 2]| psmp::Axis::new(low, high).ok();
    let space = Space::new(vec![axis(x)?, axis(y)?]).ok()?;
    let empty = Roadmap::from_edges(0, Direction::Undirected, Vec::new()).ok()?;
    let roadmap = empty.with_configurations(space, Vec::new()).ok()?;
    let nowhere = VertexId(u32::MAX);
    let query = Query {
        start: nowhere,
        goal: nowhere,
    };
    Some((roadmap, query))
}

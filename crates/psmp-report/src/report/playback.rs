//! Films as data for the player on the page.
//!
//! What films share is said once: the roadmap for a family, the obstacles for a world. A frame says
//! only what is new in it, and lists of edges become short strings: gaps between ids as digits of
//! base 32 in an alphabet of 64, the upper half of which says that another digit follows. Beliefs
//! are told in 16 shades, which is as many as can be told apart. Places are in units of a panel
//! 1000 wide or high; those of vertices are strings too, two digits of base 64 for a quarter of a unit,
//! and edges are their two vertices, four digits each.

use super::data::{Film, Frame, FrameKind, Report};
use crate::drawing::{Map, Scene, occupied_rectangles};
use psmp::{Edge, EdgeId, VertexId};
use psmp_worlds::OccupancyGrid;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const PANEL: [f64; 2] = [1000.0, 1000.0];
/// Obstacles with more rectangles than this are made coarser; it is a small picture.
const MOST_RECTANGLES: usize = 1500;
const MOST_RECTANGLES_ALONE: usize = 12_000;
const SHADES: u16 = 16;
const ALPHABET: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

/// The films of all families that have some.
pub(super) fn films(report: &Report) -> Value {
    let told = report.families.iter().filter_map(|f| {
        let watched: Vec<&Film> = f.films.iter().filter(|f| !f.frames.is_empty()).collect();
        family(&f.name, &f.unit, &watched, MOST_RECTANGLES)
    });
    told.collect()
}

/// One film by itself, with more detail.
pub(super) fn film_alone(film: &Film) -> Value {
    let told = family("", "configurations", &[film], MOST_RECTANGLES_ALONE);
    told.into_iter().collect()
}

/// The panel that a film is drawn on, if it can be drawn in the plane.
pub(super) fn panel(film: &Film) -> Option<Map<'_>> {
    Map::within(scene(film), PANEL)
}

fn family(name: &str, unit: &str, films: &[&Film], detail: usize) -> Option<Value> {
    let first = films.first()?;
    let roadmap = &first.roadmap;
    let map = panel(first);
    let places = roadmap.vertices().filter_map(|v| map.as_ref()?.vertex(v));
    let mut worlds: Vec<&Film> = Vec::new();
    for &film in films {
        if worlds.iter().all(|known| known.world != film.world) {
            worlds.push(film);
        }
    }
    let place = |vertex: VertexId| {
        let at = map.as_ref().and_then(|map| map.vertex(vertex));
        at.map(|at| at.map(whole))
    };
    Some(json!({
        "name": name,
        "unit": unit,
        "size": map.as_ref().map(|map| [whole(map.width()), whole(map.height())]),
        "start": place(first.query.start),
        "goal": place(first.query.goal),
        "wraps": map.as_ref().map(Map::wraps),
        "places": packed_places(places),
        // What cannot be drawn need not be told.
        "edges": packed_edges(roadmap.edges().filter(|_| map.is_some())),
        "worlds": worlds.into_iter().map(|film| world(film, detail)).collect::<Vec<_>>(),
        "films": films.iter().map(|told| film(told, map.as_ref())).collect::<Vec<_>>(),
    }))
}

fn scene(film: &Film) -> Scene<'_> {
    Scene {
        roadmap: &film.roadmap,
        query: film.query,
        obstacles: None,
        grown_obstacles: None,
        edges: &[],
        path: None,
        given: None,
        tried: &[],
    }
}

fn world(film: &Film, detail: usize) -> Value {
    let map = panel(film);
    let told = |image: &Option<OccupancyGrid>| {
        let (map, image) = (map.as_ref()?, image.as_ref()?);
        let rectangles = occupied_rectangles(image, detail);
        let sizes = rectangles.iter().map(|[l, t, r, b]| [*l, *t, r - l, b - t]);
        Some(json!({
            "matrix": map.image_matrix(image),
            "rectangles": sizes.flatten().collect::<Vec<_>>(),
        }))
    };
    json!({
        "world": film.world,
        "shortest": film.shortest.and_then(finite),
        "obstacles": told(&film.image),
        "margin": told(&film.grown_image),
    })
}

fn film(film: &Film, map: Option<&Map<'_>>) -> Value {
    let mut teller = Teller::new(film);
    let mut frames: Vec<Value> = Vec::new();
    for frame in &film.frames {
        let told = teller.tell(frame, map);
        // Fruitless draws come in crowds, and one looks like another.
        if let (FrameKind::NoImprovement, Some(last)) = (&frame.kind, frames.last_mut())
            && last["k"] == "b"
            && told.as_object().is_some_and(|fields| fields.len() == 2)
        {
            last["x"] = json!(last["x"].as_u64().unwrap_or(1) + 1);
            continue;
        }
        frames.push(told);
    }
    json!({
        "planner": film.planner,
        "experience": film.experience,
        "world": film.world,
        "seed": film.seed,
        "grows": film.grows,
        "frames": frames,
    })
}

/// Tells frames, leaving out what the ones before have said.
pub(super) struct Teller {
    /// Whether what the roadmap grows by is told; only how much it is otherwise.
    grows: bool,
    shades: Vec<u8>,
    best: Option<f64>,
    bound: Option<f64>,
}

impl Teller {
    pub(super) fn new(film: &Film) -> Self {
        Self {
            grows: true,
            shades: vec![u8::MAX; film.roadmap.edge_count()],
            best: None,
            bound: None,
        }
    }

    /// Tells no edges that are new.
    pub(super) fn without_growth(self) -> Self {
        Self {
            grows: false,
            ..self
        }
    }

    /// Straight lines through these places, each by its two ends.
    fn lines(map: Option<&Map<'_>>, places: &[[f64; 2]]) -> Vec<i64> {
        let steps = places.windows(2);
        let lines = map.into_iter().flat_map(|map| {
            let straight = steps.clone().flat_map(|s| map.straight(s[0], s[1]));
            straight.flatten()
        });
        lines.flatten().flatten().map(whole).collect()
    }

    /// New vertices and edges, with how many there are whether they are drawn or not.
    fn grow(&self, map: Option<&Map<'_>>, frame: &Frame, told: &mut Value) {
        let grown = &frame.grown;
        if grown.count == [0, 0] {
            return;
        }
        told["z"] = json!(grown.count);
        let places = grown.vertices.iter();
        let places = places.filter_map(|&at| Some(map?.place(at)));
        let edges = grown.edges.iter().copied();
        let edges = edges.filter(|_| self.grows && map.is_some());
        for (key, text) in [("v", packed_places(places)), ("g", packed_edges(edges))] {
            if !text.is_empty() {
                told[key] = json!(text);
            }
        }
    }

    /// What was checked and what happened since the last frame, beside the frame's own event.
    fn skip(frame: &Frame, told: &mut Value) {
        if frame.skipped > 0 {
            told["y"] = json!(frame.skipped);
        }
        if !frame.checked.is_empty() {
            told["c"] = json!(packed_verdicts(frame.checked.iter().copied()));
        }
    }

    pub(super) fn tell(&mut self, frame: &Frame, map: Option<&Map<'_>>) -> Value {
        let mut told = json!({ "k": "", "n": frame.configurations });
        told["k"] = json!(match &frame.kind {
            FrameKind::Proposed {
                path,
                sampled_blocked,
            } => {
                told["p"] = path.iter().map(|edge| edge.0).collect();
                if let Some(blocked) = sampled_blocked {
                    let mut ids: Vec<u32> = blocked.iter().map(|edge| edge.0).collect();
                    ids.sort_unstable();
                    told["s"] = json!(gaps(ids.into_iter().map(|id| (id, None))));
                }
                "p"
            }
            FrameKind::NoImprovement => "b",
            FrameKind::Checked { edge, free } => {
                told["e"] = json!(edge.0);
                told["f"] = json!(u8::from(*free));
                "c"
            }
            FrameKind::Improved { path } => {
                let places = path.iter().filter_map(|&v| map?.position(v));
                told["w"] = json!(Self::lines(map, &places.collect::<Vec<_>>()));
                "i"
            }
            FrameKind::Shortened { places } => {
                told["w"] = json!(Self::lines(map, places));
                "i"
            }
            FrameKind::Grown => "g",
            FrameKind::Tried { what, places, free } => {
                told["h"] = json!(what);
                told["f"] = json!(u8::from(*free));
                told["w"] = json!(Self::lines(map, places));
                "t"
            }
            FrameKind::Ended(how) => {
                told["h"] = json!(how);
                "e"
            }
        });
        self.grow(map, frame, &mut told);
        Self::skip(frame, &mut told);
        let best = frame.best_length.and_then(finite);
        if best.is_some() && best != self.best {
            told["l"] = json!(best);
            self.best = best;
        }
        let bound = finite(frame.lower_bound);
        if bound.is_some() && bound != self.bound {
            told["m"] = json!(bound);
            self.bound = bound;
        }
        let belief = self.belief(frame);
        if !belief.is_empty() {
            told["d"] = json!(belief);
        }
        told
    }

    /// The edges whose shade is another than before.
    fn belief(&mut self, frame: &Frame) -> String {
        // What is said last of an edge counts.
        let now: BTreeMap<EdgeId, u8> = frame.belief.iter().copied().collect();
        let mut changed = Vec::new();
        for (edge, p_free) in now {
            let shade = (u16::from(255 - p_free) * SHADES / 256) as u8;
            if let Some(known) = self.shades.get_mut(edge.index())
                && *known != shade
            {
                *known = shade;
                changed.push((edge.0, Some(shade)));
            }
        }
        gaps(changed.into_iter())
    }
}

/// Edges of which it is known whether they are free, as a frame has those that were checked.
pub(super) fn packed_verdicts(known: impl Iterator<Item = (EdgeId, bool)>) -> String {
    let known: BTreeMap<u32, u8> = known.map(|(edge, free)| (edge.0, u8::from(free))).collect();
    gaps(known.into_iter().map(|(id, free)| (id, Some(free))))
}

/// Ascending ids as gaps, each followed by its shade if it has one.
fn gaps(items: impl Iterator<Item = (u32, Option<u8>)>) -> String {
    let digit = |value: u32| char::from(ALPHABET[value as usize % ALPHABET.len()]);
    let mut text = String::new();
    let mut next = 0;
    for (id, shade) in items {
        let mut gap = id.saturating_sub(next);
        while gap >= 32 {
            text.push(digit(32 + gap % 32));
            gap /= 32;
        }
        text.push(digit(gap));
        text.extend(shade.map(|shade| digit(u32::from(shade))));
        next = id + 1;
    }
    text
}

/// A number in so many digits of base 64, the greatest first; what is larger is the largest.
fn push_digits(text: &mut String, value: u32, digits: u32) {
    let value = value.min((1 << (6 * digits)) - 1);
    for place in (0..digits).rev() {
        text.push(char::from(ALPHABET[(value >> (6 * place)) as usize % 64]));
    }
}

fn packed_places(places: impl Iterator<Item = [f64; 2]>) -> String {
    let mut text = String::new();
    for quarter in places.flatten().map(|v| (4.0 * v).round()) {
        push_digits(&mut text, quarter.max(0.0) as u32, 2);
    }
    text
}

fn packed_edges(edges: impl Iterator<Item = Edge>) -> String {
    let mut text = String::new();
    for vertex in edges.flat_map(|edge| [edge.from, edge.to]) {
        push_digits(&mut text, vertex.0, 4);
    }
    text
}

fn whole(value: f64) -> i64 {
    value.round() as i64
}

/// A number with six digits after the point; JSON knows no infinite ones.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then(|| (value * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::data::Grown;
    use psmp::{Direction, Query, Roadmap, Space};

    /// What the player does to get the ids back.
    fn read(text: &str, with_shades: bool) -> Vec<(u32, Option<u8>)> {
        let value = |c: u8| ALPHABET.iter().position(|a| *a == c).unwrap() as u32;
        let mut digits = text.bytes().map(value);
        let (mut items, mut next) = (Vec::new(), 0);
        while let Some(mut digit) = digits.next() {
            let (mut gap, mut factor) = (0, 1);
            while digit >= 32 {
                gap += (digit - 32) * factor;
                factor *= 32;
                digit = digits.next().unwrap();
            }
            let id = next + gap + digit * factor;
            let shade = with_shades.then(|| digits.next().unwrap() as u8);
            items.push((id, shade));
            next = id + 1;
        }
        items
    }

    #[test]
    fn ids_come_back_from_their_gaps() {
        let ids = [0, 1, 2, 33, 34, 70, 1100, 50_000, 3_000_000];
        let plain: Vec<_> = ids.iter().map(|&id| (id, None)).collect();
        assert_eq!(read(&gaps(plain.iter().copied()), false), plain);
        let shaded: Vec<_> = ids.iter().map(|&id| (id, Some(id as u8 % 16))).collect();
        assert_eq!(read(&gaps(shaded.iter().copied()), true), shaded);
        assert!(gaps(plain.into_iter()).len() < 20);
    }

    #[test]
    fn a_frame_says_only_what_is_new() {
        let edges = vec![Edge::new(0, 1, 1.0); 3];
        let roadmap = Roadmap::from_edges(2, Direction::Undirected, edges).and_then(|roadmap| {
            roadmap.with_configurations(Space::unit(2), vec![0.0, 0.0, 1.0, 0.0])
        });
        let film = Film {
            planner: String::new(),
            experience: String::new(),
            world: 1,
            seed: 0,
            image: None,
            grown_image: None,
            roadmap: roadmap.unwrap(),
            query: Query {
                start: VertexId(0),
                goal: VertexId(1),
            },
            shortest: None,
            grows: true,
            frames: Vec::new(),
        };
        let map = panel(&film);
        let map = map.as_ref();
        let mut teller = Teller::new(&film);
        let frame = |belief: &[(u32, u8)]| Frame {
            kind: FrameKind::NoImprovement,
            configurations: 5,
            best_length: Some(2.0),
            lower_bound: f64::INFINITY,
            belief: belief.iter().map(|&(e, p)| (EdgeId(e), p)).collect(),
            grown: Grown::default(),
            checked: Vec::new(),
            skipped: 0,
        };
        let first = teller.tell(&frame(&[(0, 255), (1, 0), (9, 3)]), map);
        assert_eq!(first, json!({"k": "b", "n": 5, "l": 2.0, "d": "000f"}));
        let second = teller.tell(&frame(&[(0, 254), (1, 9)]), map);
        assert_eq!(second, json!({"k": "b", "n": 5}));
        let mut growing = frame(&[]);
        growing.kind = FrameKind::Tried {
            what: "shortcut",
            places: vec![[0.0, 0.0], [1.0, 1.0]],
            free: false,
        };
        growing.grown = Grown {
            vertices: vec![[0.5, 0.5]],
            edges: vec![Edge::new(1, 2, 0.7)],
            count: [1, 3],
        };
        let third = teller.tell(&growing, map);
        let expected = json!({"k": "t", "n": 5, "h": "shortcut", "f": 0, "w": [0, 1000, 1000, 0],
            "v": "vgvg", "g": "00010002", "z": [1, 3]});
        assert_eq!(third, expected);
        // A frame that has taken in another says of both, and of an edge what was said last.
        let mut after = frame(&[(2, 0)]);
        let mut before = frame(&[(2, 255)]);
        before.kind = FrameKind::Checked {
            edge: EdgeId(1),
            free: true,
        };
        after.take_in(before);
        let fourth = teller.tell(&after, map);
        let expected = json!({"k": "b", "n": 5, "c": "11", "y": 1, "d": "2f"});
        assert_eq!(fourth, expected);
    }
}

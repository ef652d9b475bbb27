//! Films as data for the player on the page.
//!
//! What films share is said once: the roadmap for a family, the obstacles for a world. A frame says
//! only what is new in it, and lists of edges become short strings: gaps between ids as digits of
//! base 32 in an alphabet of 64, the upper half of which says that another digit follows. Beliefs
//! are told in 16 shades, which is as many as can be told apart. Places are in units of a panel
//! 1000 wide or high.

use super::data::{Family, Film, Frame, FrameKind, Report};
use crate::drawing::{Map, Scene, occupied_rectangles};
use psmp::VertexId;
use serde_json::{Value, json};

const PANEL: [f64; 2] = [1000.0, 1000.0];
/// Obstacles with more rectangles than this are made coarser; it is a small picture.
const MOST_RECTANGLES: usize = 1500;
const SHADES: u16 = 16;
const ALPHABET: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

/// The films of all families that have some.
pub(super) fn films(report: &Report) -> Value {
    let told = report.families.iter();
    told.filter_map(family).collect()
}

fn family(family: &Family) -> Option<Value> {
    let watched = || family.films.iter().filter(|f| !f.frames.is_empty());
    let first = watched().next()?;
    let roadmap = &first.roadmap;
    let map = Map::within(scene(first), PANEL);
    let segments = |from, to| -> Vec<i64> {
        let motion = map.iter().flat_map(|map| map.motion(from, to));
        motion.flatten().flatten().map(whole).collect()
    };
    let edges: Vec<Value> = roadmap
        .edges()
        .map(|edge| json!([edge.from.0, edge.to.0, segments(edge.from, edge.to)]))
        .collect();
    let mut worlds: Vec<&Film> = Vec::new();
    for film in watched() {
        if worlds.iter().all(|known| known.world != film.world) {
            worlds.push(film);
        }
    }
    let place = |vertex: VertexId| {
        let at = map.as_ref().and_then(|map| map.vertex(vertex));
        at.map(|at| at.map(whole))
    };
    Some(json!({
        "name": family.name,
        "unit": family.unit,
        "limit": finite(family.limit),
        "size": map.as_ref().map(|map| [whole(map.width()), whole(map.height())]),
        "start": place(first.query.start),
        "goal": place(first.query.goal),
        "edges": edges,
        "worlds": worlds.into_iter().map(world).collect::<Vec<_>>(),
        "films": watched().map(|told| film(told, map.as_ref())).collect::<Vec<_>>(),
    }))
}

fn scene(film: &Film) -> Scene<'_> {
    Scene {
        roadmap: &film.roadmap,
        query: film.query,
        obstacles: None,
        edges: &[],
        path: None,
        given: None,
        tried: &[],
    }
}

fn world(film: &Film) -> Value {
    let obstacles = Map::within(scene(film), PANEL).map(|map| {
        let rectangles = occupied_rectangles(&film.image, MOST_RECTANGLES);
        let sizes = rectangles.iter().map(|[l, t, r, b]| [*l, *t, r - l, b - t]);
        json!({
            "matrix": map.image_matrix(&film.image),
            "rectangles": sizes.flatten().collect::<Vec<_>>(),
        })
    });
    json!({ "world": film.world, "shortest": finite(film.shortest), "obstacles": obstacles })
}

fn film(film: &Film, map: Option<&Map<'_>>) -> Value {
    let mut teller = Teller::new(film, map);
    let mut frames: Vec<Value> = Vec::new();
    for frame in &film.frames {
        let told = teller.tell(frame);
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
struct Teller<'a> {
    map: Option<&'a Map<'a>>,
    /// Where the vertices are, if the roadmap grows.
    places: Vec<[f64; 2]>,
    shades: Vec<u8>,
    best: Option<f64>,
    bound: Option<f64>,
}

impl<'a> Teller<'a> {
    fn new(film: &Film, map: Option<&'a Map<'a>>) -> Self {
        let coordinates = film.roadmap.configurations().unwrap_or_default();
        let dimension = film.roadmap.space().map_or(1, |space| space.dimension());
        let places = coordinates.chunks_exact(dimension);
        let places = places.filter_map(|q| Some([*q.first()?, *q.get(1)?]));
        Self {
            map,
            places: match film.grows {
                true => places.collect(),
                false => Vec::new(),
            },
            shades: vec![u8::MAX; film.roadmap.edge_count()],
            best: None,
            bound: None,
        }
    }

    /// Straight lines through these places, each by its two ends.
    fn lines(&self, places: &[[f64; 2]]) -> Vec<i64> {
        let steps = places.windows(2);
        let lines = self.map.into_iter().flat_map(|map| {
            let straight = steps.clone().flat_map(|s| map.straight(s[0], s[1]));
            straight.flatten()
        });
        lines.flatten().flatten().map(whole).collect()
    }

    /// New vertices and edges.
    fn grow(&mut self, frame: &Frame, told: &mut Value) {
        let grown = &frame.grown;
        if !grown.vertices.is_empty() {
            let dots = grown
                .vertices
                .iter()
                .filter_map(|&at| Some(self.map?.place(at)));
            told["v"] = dots.flatten().map(whole).collect();
            self.places.extend(&grown.vertices);
        }
        if !grown.edges.is_empty() {
            let edges = grown.edges.iter().map(|edge| {
                let ends = [edge.from, edge.to].map(|v| self.places.get(v.index()).copied());
                let line = match ends {
                    [Some(from), Some(to)] => self.lines(&[from, to]),
                    _ => Vec::new(),
                };
                json!([edge.from.0, edge.to.0, line])
            });
            told["g"] = edges.collect();
        }
    }

    fn tell(&mut self, frame: &Frame) -> Value {
        let mut told = json!({ "k": "", "n": frame.configurations });
        told["k"] = json!(match &frame.kind {
            FrameKind::Proposed {
                path,
                sampled_blocked,
            } => {
                told["p"] = vertices(path);
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
                told["p"] = vertices(path);
                "i"
            }
            FrameKind::Shortened { places } => {
                told["w"] = json!(self.lines(places));
                "i"
            }
            FrameKind::Grown => "g",
            FrameKind::Tried { what, places, free } => {
                told["h"] = json!(what);
                told["f"] = json!(u8::from(*free));
                told["w"] = json!(self.lines(places));
                "t"
            }
            FrameKind::Ended(how) => {
                told["h"] = json!(how);
                "e"
            }
        });
        self.grow(frame, &mut told);
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
        let mut changed: Vec<(u32, Option<u8>)> = Vec::new();
        for &(edge, p_free) in &frame.belief {
            let shade = (u16::from(255 - p_free) * SHADES / 256) as u8;
            if let Some(known) = self.shades.get_mut(edge.index())
                && *known != shade
            {
                *known = shade;
                changed.push((edge.0, Some(shade)));
            }
        }
        changed.sort_unstable();
        gaps(changed.into_iter())
    }
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

fn vertices(path: &[VertexId]) -> Value {
    path.iter().map(|vertex| vertex.0).collect()
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
    use psmp::{Direction, Edge, EdgeId, Query, Roadmap, Space};
    use psmp_worlds::{Frame as Frame2, OccupancyGrid};

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
            image: OccupancyGrid::from_fn(3, 3, Frame2::unit(), |_, _| true).unwrap(),
            roadmap: roadmap.unwrap(),
            query: Query {
                start: VertexId(0),
                goal: VertexId(1),
            },
            shortest: 1.0,
            grows: true,
            frames: Vec::new(),
        };
        let map = Map::within(scene(&film), PANEL);
        let mut teller = Teller::new(&film, map.as_ref());
        let frame = |belief: &[(u32, u8)]| Frame {
            kind: FrameKind::NoImprovement,
            configurations: 5,
            best_length: Some(2.0),
            lower_bound: f64::INFINITY,
            belief: belief.iter().map(|&(e, p)| (EdgeId(e), p)).collect(),
            grown: Grown::default(),
        };
        let first = teller.tell(&frame(&[(0, 255), (1, 0), (9, 3)]));
        assert_eq!(first, json!({"k": "b", "n": 5, "l": 2.0, "d": "000f"}));
        let second = teller.tell(&frame(&[(0, 254), (1, 9)]));
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
        };
        let third = teller.tell(&growing);
        let expected = json!({"k": "t", "n": 5, "h": "shortcut", "f": 0, "w": [0, 1000, 1000, 0],
            "v": [500, 500], "g": [[1, 2, [1000, 1000, 500, 500]]]});
        assert_eq!(third, expected);
    }
}

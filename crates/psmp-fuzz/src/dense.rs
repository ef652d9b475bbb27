//! Sound files of some length that say as much as they can in every byte.
//!
//! Memory in proportion to the file is a matter of the shortest way to say something: the shortest
//! row, element or face. Small files do not show it, because a reader needs some memory anyway.

use crate::seeds;
use std::fmt::Write;

/// How many things a file tells of.
const MANY: usize = 20_000;

/// Rows that are all alike, and rows that all differ.
pub(crate) fn graphs() -> Vec<Vec<u8>> {
    let graph = |ends: fn(usize) -> (usize, usize)| {
        let mut text = format!("NumVertices: 200\nNumEdges: {MANY}\n");
        for id in 1..=MANY {
            let (from, to) = ends(id);
            let _ = writeln!(text, "{id} {from} {to} 1");
        }
        text.into_bytes()
    };
    vec![graph(|_| (1, 1)), graph(|id| (1 + id / 200, 1 + id % 200))]
}

pub(crate) fn graphml() -> Vec<Vec<u8>> {
    let mut text = "<graphml><graph edgedefault=\"directed\">".to_owned();
    for node in 0..MANY {
        let _ = write!(text, "<node id=\"{node:x}\"/>");
    }
    let bare = text.clone() + "</graph></graphml>";
    let key = "<key id=\"l\" for=\"edge\" attr.name=\"length\"><default>1</default></key>";
    let mut text = text.replace("<graph ", &format!("{key}<graph "));
    for _ in 0..MANY {
        text += "<edge source=\"1\" target=\"2\"/>";
    }
    text += "</graph></graphml>";
    vec![bare.into(), text.into()]
}

/// Rows of which nothing is told that need not be.
pub(crate) fn rows() -> Vec<Vec<u8>> {
    let sound = String::from_utf8(seeds::rows_csv().remove(0)).unwrap();
    let mut lines = sound.lines();
    let names = lines.next().unwrap();
    let numbers = [
        "world",
        "seed",
        "cost_total",
        "edges",
        "proposals",
        "eta",
        "seconds",
    ];
    let field = |name: &str| if numbers.contains(&name) { "0" } else { "" };
    let row: Vec<&str> = names.split(',').map(field).collect();
    let row = row.join(",");
    let mut text = names.to_owned();
    for _ in 0..MANY {
        text += "\n";
        text += &row;
    }
    vec![text.into()]
}

/// A check of every edge of a large roadmap.
pub(crate) fn outcomes() -> Vec<Vec<u8>> {
    let check = |edge| format!("{{\"edge\":{edge},\"free\":true,\"configurations\":1}}");
    let checks: Vec<String> = (1..=MANY).map(check).collect();
    let text = format!(
        "{{\"version\":1,\"roadmap\":{{\"vertices\":9,\"edges\":{MANY},\"hash\":\"0\"}},\"checks\":[{}]}}",
        checks.join(",")
    );
    vec![text.into()]
}

/// A chain of links that are nothing but links.
pub(crate) fn urdf() -> Vec<Vec<u8>> {
    let mut text = "<robot name=\"r\"><link name=\"0\"/>".to_owned();
    for link in 1..MANY / 10 {
        let _ = write!(
            text,
            "<link name=\"{link}\"/><joint name=\"{link}\" type=\"fixed\"><parent link=\"{}\"/>\
             <child link=\"{link}\"/></joint>",
            link - 1
        );
    }
    text += "</robot>";
    vec![text.into()]
}

/// One face again and again, of three corners and of nine.
pub(crate) fn obj() -> Vec<Vec<u8>> {
    let vertices: String = (0..9)
        .map(|v| format!("v {} {} 0\n", v % 3, v / 3))
        .collect();
    ["f 1 2 4\n", "f 1 2 3 6 9 8 7 4 5\n"]
        .map(|face| (vertices.clone() + &face.repeat(MANY)).into_bytes())
        .into()
}

pub(crate) fn pcd() -> Vec<Vec<u8>> {
    let points = "0 0 0\n".repeat(MANY);
    let text = format!(
        "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {MANY}\nHEIGHT 1\n\
         POINTS {MANY}\nDATA ascii\n{points}"
    );
    vec![text.into()]
}

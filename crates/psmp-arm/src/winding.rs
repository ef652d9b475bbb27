//! How often a surface winds around a point: which points are inside a mesh, also one with holes.
//!
//! The winding number is the sum of the angles that all triangles fill as seen from the point, so it
//! is about 1 inside, 0 outside, and sensibly between where the mesh has holes. From afar many small
//! triangles look like one patch of their total area and direction. A tree of ever smaller groups of
//! triangles tells which groups are far enough from a point to be taken as a patch (Barill et al.,
//! Fast Winding Numbers for Soups and Clouds, 2018); only those near it are looked at one by one.

use crate::geometry::{Mesh, around};
use crate::pose::{cross, dot, minus, norm};
use std::f64::consts::PI;

/// How many triangles a group has that is not parted further.
const FEW: usize = 8;

/// How many times its radius a group is away that is taken as a patch. The winding number is wrong
/// by a few hundredths then.
const FAR: f64 = 2.0;

/// The same where those hundredths could decide.
const VERY_FAR: f64 = 8.0;

/// The triangles of a mesh in groups.
pub(crate) struct Winding {
    /// Each group before its parts, and these before what comes after it.
    groups: Vec<Group>,
    triangles: Vec<[[f64; 3]; 3]>,
}

/// Some triangles that are near each other.
struct Group {
    middle: [f64; 3],
    /// How far from the middle a corner is at most.
    radius: f64,
    /// Their areas' vectors, summed.
    area: [f64; 3],
    /// The group that comes after this one and its parts.
    next: usize,
    /// Its triangles, if it has no parts.
    own: std::ops::Range<usize>,
}

impl Winding {
    /// Of the surface of a mesh.
    pub fn of(mesh: &Mesh) -> Self {
        let mut triangles: Vec<_> = mesh.corners().collect();
        let mut groups = Vec::new();
        part(&mut triangles, 0, &mut groups);
        Self { groups, triangles }
    }

    /// Whether a point is inside.
    pub fn holds(&self, point: [f64; 3]) -> bool {
        let rough = self.at(point, FAR);
        match (rough - 0.5).abs() > 0.2 {
            true => rough > 0.5,
            false => self.at(point, VERY_FAR) > 0.5,
        }
    }

    /// How often the surface winds around a point, where groups that are `far` times their radius
    /// away count as patches.
    pub fn at(&self, point: [f64; 3], far: f64) -> f64 {
        let mut angle = 0.0;
        let mut place = 0;
        while let Some(group) = self.groups.get(place) {
            let way = minus(group.middle, point);
            let square = dot(way, way);
            if square > (far * group.radius).powi(2) {
                angle += dot(group.area, way) / (square * square.sqrt());
                place = group.next;
                continue;
            }
            let own = self.triangles[group.own.clone()].iter();
            angle += own.map(|&t| solid_angle(t, point)).sum::<f64>();
            place += 1;
        }
        angle / (4.0 * PI)
    }
}

/// Parts triangles into groups; the first of them is at `first` among all.
fn part(triangles: &mut [[[f64; 3]; 3]], first: usize, groups: &mut Vec<Group>) {
    let place = groups.len();
    let few = triangles.len() <= FEW;
    groups.push(group(triangles, if few { first } else { usize::MAX }));
    if !few {
        let third = |t: &[[f64; 3]; 3]| [0, 1, 2].map(|i| t[0][i] + t[1][i] + t[2][i]);
        let (low, high) = around(triangles.iter().map(third), 0.0);
        let size = minus(high, low);
        let longest = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j]));
        let axis = longest.unwrap_or(0);
        let half = triangles.len() / 2;
        triangles.select_nth_unstable_by(half, |a, b| third(a)[axis].total_cmp(&third(b)[axis]));
        let (one, other) = triangles.split_at_mut(half);
        part(one, first, groups);
        part(other, first + half, groups);
    }
    groups[place].next = groups.len();
}

/// These triangles as a group, which owns them if it is told where they are.
fn group(triangles: &[[[f64; 3]; 3]], first: usize) -> Group {
    let mut area = [0.0; 3];
    let mut middle = [0.0; 3];
    let mut total = 0.0;
    for [a, b, c] in triangles {
        let twice = cross(minus(*b, *a), minus(*c, *a));
        let size = norm(twice);
        for i in 0..3 {
            area[i] += 0.5 * twice[i];
            middle[i] += size * (a[i] + b[i] + c[i]) / 3.0;
        }
        total += size;
    }
    let corners = || triangles.iter().flatten().copied();
    middle = match total > 0.0 {
        true => middle.map(|v| v / total),
        false => corners().next().unwrap_or_default(),
    };
    let squares = corners().map(|v| minus(v, middle)).map(|v| dot(v, v));
    Group {
        middle,
        radius: squares.fold(0.0, f64::max).sqrt(),
        area,
        next: 0,
        own: match first {
            usize::MAX => 0..0,
            first => first..first + triangles.len(),
        },
    }
}

/// The angle that a triangle fills as seen from a point, negative from behind.
fn solid_angle(corners: [[f64; 3]; 3], point: [f64; 3]) -> f64 {
    let [a, b, c] = corners.map(|v| minus(v, point));
    let (la, lb, lc) = (norm(a), norm(b), norm(c));
    let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    2.0 * dot(a, cross(b, c)).atan2(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Heightfield;
    use psmp::Draw;

    /// Bumpy ground without its last `missing` triangles.
    fn ground(missing: usize) -> Mesh {
        let heights = (0..900).map(|i| 0.2 * Draw::new(2, i).unit(0)).collect();
        let whole = Heightfield::new(30, [1.0, 1.0], heights).unwrap().to_mesh();
        let left = whole.triangles().len() - missing;
        Mesh::new(
            whole.vertices().to_vec(),
            whole.triangles()[..left].to_vec(),
        )
        .unwrap()
    }

    #[test]
    fn groups_tell_what_all_triangles_tell() {
        for missing in [0, 40] {
            let winding = Winding::of(&ground(missing));
            let mut inside = 0;
            for i in 0..3000 {
                let draw = Draw::new(4, i);
                let point = [0, 1, 2].map(|axis| 1.6 * draw.unit(axis) - 0.8);
                let whole = winding.at(point, f64::INFINITY);
                assert!((winding.at(point, FAR) - whole).abs() < 0.05, "{point:?}");
                assert!((winding.at(point, VERY_FAR) - whole).abs() < 0.005);
                if (whole - 0.5).abs() > 0.005 {
                    assert_eq!(winding.holds(point), whole > 0.5, "{point:?} {whole}");
                }
                inside += u32::from(whole > 0.5);
            }
            assert!((200..2500).contains(&inside), "{inside}");
        }
    }

    #[test]
    fn triangles_without_area_are_no_trouble() {
        let mesh = Mesh::new(vec![[0.5; 3]; 3], vec![[0, 1, 2]; 50]).unwrap();
        let winding = Winding::of(&mesh);
        assert_eq!(winding.at([0.0; 3], FAR), 0.0);
        assert!(!winding.holds([0.5; 3]));
    }
}

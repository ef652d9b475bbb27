//! What maps were learned with, in the file of the belief: their roadmap, where they lie, the robot, and how
//! finely its motions were checked. With it a new map can be planned in with that file alone, and one that
//! does not go with it is told so.
//!
//! Maps go together if they cover the same part of the plane, up to a cell of the coarser one. How many
//! cells they are cut into is no matter: the roadmap and the robot have the plane's units.
//!
//! In the file these are the sections of the roadmap (`roadmap_sections.rs`) and `maps`, of nine numbers:
//! the bounds of x and y, the side of a cell, the robot's radius, the resolution, and 1 or 0 for whether the
//! bounds were given and whether the roadmap is directed.

use crate::belief_file::Fingerprint;
use crate::error::FileError;
use crate::roadmap_sections;
use crate::sections::{Sections, numbers};
use psmp::{Direction, Roadmap};
use std::fmt;
use std::path::Path;

const MAPS: &str = "maps";
const NUMBERS: usize = 9;

/// The part of the plane that a map covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapArea {
    /// The bounds of x and of y.
    pub bounds: [[f64; 2]; 2],
    /// The longer side of a cell.
    pub cell: f64,
}

impl MapArea {
    /// Sees that a map covers the same part of the plane, up to a cell of the coarser one. `reference` is
    /// what this area is of.
    ///
    /// # Errors
    /// If it covers another, naming the map and both areas.
    pub fn check(&self, reference: &Path, map: &Path, other: MapArea) -> Result<(), FileError> {
        let far = self.cell.max(other.cell) * (1.0 + 1e-9);
        let pairs = self.bounds.as_flattened().iter();
        let mut pairs = pairs.zip(other.bounds.as_flattened());
        if pairs.all(|(here, there)| (here - there).abs() <= far) {
            return Ok(());
        }
        let problem = format!("covers {other}, and `{}` {self}", reference.display());
        Err(FileError::new(map, problem).hint(
            "give maps of the same part of the plane, in however many pixels: crop or fill them up, correct \
             `origin` and `resolution` of a ROS map, or say with `--bounds` where pictures lie",
        ))
    }
}

impl fmt::Display for MapArea {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [[left, right], [bottom, top]] = self.bounds;
        write!(f, "x from {left} to {right} and y from {bottom} to {top}")
    }
}

/// What maps were learned with.
#[derive(Debug, Clone)]
pub struct MapSetting {
    /// The roadmap that was checked in every map.
    pub roadmap: Roadmap,
    /// The part of the plane that the maps cover.
    pub area: MapArea,
    /// Whether that was said of pictures, which without it lie as their sides have it.
    pub is_area_given: bool,
    /// The radius of the robot; 0 for a point.
    pub robot_radius: f64,
    /// The distance between the configurations of an edge.
    pub resolution: f64,
}

impl MapSetting {
    /// Sees that a robot and a resolution, as far as they are given, are those that were learned with.
    /// `belief` is the file that this was read from.
    ///
    /// # Errors
    /// If they are others, naming both.
    pub fn check(
        &self,
        belief: &Path,
        robot_radius: Option<f64>,
        resolution: Option<f64>,
    ) -> Result<(), FileError> {
        let pairs = [
            (
                "robot-radius",
                "robot's radius",
                self.robot_radius,
                robot_radius,
            ),
            ("resolution", "resolution", self.resolution, resolution),
        ];
        for (option, name, learned, given) in pairs {
            if let Some(given) = given.filter(|given| *given != learned) {
                let problem = format!("was learned with a {name} of {learned}, not of {given}");
                let hint = format!(
                    "leave it out or give {learned}, or learn from the maps again with `--{option} {given}`"
                );
                return Err(FileError::new(belief, problem).hint(hint));
            }
        }
        Ok(())
    }

    /// The sections that it is in a file.
    pub(crate) fn written(&self) -> Vec<(&'static str, Vec<u8>)> {
        let is_directed = self.roadmap.direction() == Direction::Directed;
        let mut told: Vec<f64> = self.area.bounds.as_flattened().to_vec();
        told.extend([self.area.cell, self.robot_radius, self.resolution]);
        told.extend([self.is_area_given, is_directed].map(|is| f64::from(u8::from(is))));
        let mut sections = vec![(MAPS, bytemuck::cast_slice(&told).to_vec())];
        sections.extend(roadmap_sections::written(&self.roadmap));
        sections
    }

    /// What a file about a roadmap has of it, if it was learned from maps.
    pub(crate) fn read(file: &Sections<'_>, about: Fingerprint) -> Result<Option<Self>, FileError> {
        let Some(told) = file.section(MAPS, Some(8 * NUMBERS))? else {
            return Ok(None);
        };
        let told: Vec<f64> = numbers(told);
        let [
            x0,
            x1,
            y0,
            y1,
            cell,
            robot_radius,
            resolution,
            given,
            directed,
        ] = told[..]
        else {
            return Err(file.strange(MAPS));
        };
        let is_sound = told.iter().all(|value| value.is_finite())
            && x0 < x1
            && y0 < y1
            && cell > 0.0
            && robot_radius >= 0.0
            && resolution > 0.0
            && [given, directed].iter().all(|is| [0.0, 1.0].contains(is));
        if !is_sound {
            return Err(file.strange(MAPS));
        }
        let direction = match directed {
            0.0 => Direction::Undirected,
            _ => Direction::Directed,
        };
        let roadmap = roadmap_sections::read(file, [about.vertices, about.edges], direction)?;
        let in_plane = roadmap.space().is_some_and(|s| s.dimension() == 2);
        if !in_plane || Fingerprint::of(&roadmap) != about {
            return Err(file.strange("its roadmap"));
        }
        Ok(Some(Self {
            roadmap,
            area: MapArea {
                bounds: [[x0, x1], [y0, y1]],
                cell,
            },
            is_area_given: given == 1.0,
            robot_radius,
            resolution,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief_file::BeliefFile;
    use crate::learned;
    use psmp::by_name::ModelCache;
    use psmp::{CollisionTable, Entry, Experience, Space};

    #[test]
    fn what_maps_were_learned_with_stays_with_what_was_learned() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let roadmap = Roadmap::random_geometric(Space::unit(2), 30, 0.3, 1).unwrap();
        let known = CollisionTable::all_blocked(5, roadmap.edge_count());
        let setting = MapSetting {
            roadmap: roadmap.clone(),
            area: MapArea {
                bounds: [[0.0, 1.0], [-2.0, 0.5]],
                cell: 0.01,
            },
            is_area_given: true,
            robot_radius: 0.125,
            resolution: 0.02,
        };
        let models = ModelCache::default();
        let known = Experience::from(known);
        learned::learn_maps(&at("maps.belief"), setting.clone(), &known, &models).unwrap();
        let about = Fingerprint::of(&roadmap);
        learned::Outcomes::of(about, &[] as &[Entry])
            .write(&at("run.json"))
            .unwrap();
        assert_eq!(
            learned::add(&at("maps.belief"), &[at("run.json")]).unwrap(),
            6
        );
        let read = BeliefFile::open(at("maps.belief")).unwrap().maps.unwrap();
        assert_eq!(Fingerprint::of(&read.roadmap), about);
        assert_eq!(read.roadmap.space(), roadmap.space());
        assert_eq!((read.area, read.is_area_given), (setting.area, true));
        assert_eq!((read.robot_radius, read.resolution), (0.125, 0.02));

        let belief = at("maps.belief");
        read.check(&belief, None, None).unwrap();
        read.check(&belief, Some(0.125), Some(0.02)).unwrap();
        for (radius, resolution) in [(Some(0.1), None), (None, Some(0.01))] {
            let error = read.check(&belief, radius, resolution).unwrap_err();
            assert!(error.to_string().contains("maps.belief") && error.remedy().is_some());
        }
    }

    #[test]
    fn maps_of_one_area_may_have_any_number_of_cells() {
        let area = |x: f64, y: f64, cell: f64| MapArea {
            bounds: [[0.0, x], [0.0, y]],
            cell,
        };
        let check = |a: MapArea, b: MapArea| a.check(Path::new("first.png"), Path::new("b.png"), b);
        // Pictures of 1000 x 500 and of 100 x 50 pixels, and one of another shape.
        let fine = area(1.0, 499.0 / 999.0, 1.0 / 999.0);
        check(fine, area(1.0, 49.0 / 99.0, 1.0 / 99.0)).unwrap();
        check(area(1.0, 49.0 / 99.0, 1.0 / 99.0), fine).unwrap();
        let error = check(fine, area(1.0, 1.0, 1.0 / 999.0)).unwrap_err();
        let words = error.to_string();
        assert!(
            words.contains("b.png") && words.contains("first.png"),
            "{words}"
        );
        assert!(error.remedy().is_some());
    }
}

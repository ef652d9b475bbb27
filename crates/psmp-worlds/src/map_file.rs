//! Maps by the names of their files: pictures, and ROS maps by their YAML files.
//!
//! Of a folder the ROS maps are taken if it has any, for then its pictures are theirs, and else all
//! pictures; not what is in folders within. A file is read before it is decoded, so that one whose content
//! is known already need not be.

use crate::raster::{MOST_BYTES, decode};
use crate::ros_map::{RosMap, UnknownCells};
use crate::{DiscRobot, Frame, ImageOptions, OccupancyGrid};
use psmp_files::{FileError, MapArea, read_regular};
use std::path::{Path, PathBuf};

/// A text that says what a picture means is short.
const MOST_TEXT: u64 = 1 << 20;

const PICTURES: [&str; 7] = ["png", "pgm", "pbm", "ppm", "pnm", "jpg", "jpeg"];
const TEXTS: [&str; 2] = ["yaml", "yml"];

/// A map whose files have been read and not yet been decoded. What a ROS map does not know is not free.
#[derive(Debug)]
pub struct MapFile {
    path: PathBuf,
    /// What a YAML file says of the picture, and its text.
    text: Option<(RosMap, Vec<u8>)>,
    picture: PathBuf,
    bytes: Vec<u8>,
}

fn ends_in(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|e| e.to_str());
    ending.is_some_and(|e| endings.iter().any(|known| e.eq_ignore_ascii_case(known)))
}

impl MapFile {
    /// Whether a file has the name of a map: `.png`, `.pgm`, `.jpg` and the like, or `.yaml`.
    #[must_use]
    pub fn is_named(path: impl AsRef<Path>) -> bool {
        ends_in(path.as_ref(), &PICTURES) || ends_in(path.as_ref(), &TEXTS)
    }

    /// The maps that were named: files as they are, and those in folders, by their names.
    ///
    /// # Errors
    /// If a folder cannot be read or has no maps.
    pub fn find(given: &[PathBuf]) -> Result<Vec<PathBuf>, FileError> {
        let mut maps = Vec::with_capacity(given.len());
        for path in given {
            if !path.is_dir() {
                maps.push(path.clone());
                continue;
            }
            let entries = std::fs::read_dir(path).map_err(|e| FileError::io(path, "read", e))?;
            let files = entries.flatten().map(|entry| entry.path());
            let mut found: Vec<PathBuf> = files.filter(|file| Self::is_named(file)).collect();
            if found.iter().any(|file| ends_in(file, &TEXTS)) {
                found.retain(|file| ends_in(file, &TEXTS));
            }
            if found.is_empty() {
                return Err(FileError::new(path, "there are no maps in this folder")
                    .hint("name a folder of PNG, PGM or JPEG pictures, or of ROS maps with their YAML files"));
            }
            found.sort();
            maps.extend(found);
        }
        Ok(maps)
    }

    /// Reads the files of a map.
    ///
    /// # Errors
    /// If one cannot be read, or a YAML file makes no sense.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let text = match ends_in(path, &TEXTS) {
            true => {
                let text = read_regular(path, MOST_TEXT)?;
                Some((RosMap::parse(path, &text)?, text))
            }
            false => None,
        };
        let picture = match &text {
            Some((map, _)) => map.picture(path),
            None => path.to_owned(),
        };
        Ok(Self {
            path: path.to_owned(),
            text,
            bytes: read_regular(&picture, MOST_BYTES)?,
            picture,
        })
    }

    /// All that the map is: the text that says what its picture means, if there is one, and the picture.
    #[must_use]
    pub fn content(&self) -> [&[u8]; 2] {
        let text = self.text.as_ref();
        [text.map_or(&[], |(_, text)| text), &self.bytes]
    }

    /// Whether the map says itself where it lies, as ROS maps do.
    #[must_use]
    pub fn says_where(&self) -> bool {
        self.text.is_some()
    }

    /// The map as free and occupied cells. A picture's outermost pixels have their centres on the `bounds`
    /// of x and y, if they are given; else its longer side runs from 0 to 1.
    ///
    /// # Errors
    /// If the picture is damaged, or bounds are given to a ROS map.
    pub fn grid(&self, bounds: Option<[[f64; 2]; 2]>) -> Result<OccupancyGrid, FileError> {
        if self.says_where() && bounds.is_some() {
            let problem = "says itself where the map lies";
            return Err(FileError::new(&self.path, problem)
                .hint("leave out `--bounds`, or correct `resolution` and `origin` in the file"));
        }
        let picture = decode(&self.picture, &self.bytes, None)?;
        match &self.text {
            Some((map, _)) => map.grid(&self.path, &picture, UnknownCells::Occupied),
            None => {
                let options = ImageOptions {
                    frame: bounds.map(|[x, y]| Frame::Centres { x, y }),
                    ..ImageOptions::default()
                };
                OccupancyGrid::of_picture(&self.path, &picture, &options)
            }
        }
    }

    /// A round robot of this radius, 0 for a point, in the map.
    ///
    /// # Errors
    /// As for [`MapFile::grid`], and if a disc would be an ellipse in the map, or the radius is none.
    pub fn robot(
        &self,
        bounds: Option<[[f64; 2]; 2]>,
        radius: f64,
    ) -> Result<DiscRobot, FileError> {
        let grid = self.grid(bounds)?;
        if radius > 0.0 && !grid.has_square_cells() {
            let [[x0, x1], [y0, _]] = grid.bounds();
            let y1 = y0 + (x1 - x0) * f64::from(grid.height() - 1) / f64::from(grid.width() - 1);
            let problem = "with these `--bounds` its pixels are not square, and a round robot would be an \
                           ellipse in it";
            return Err(FileError::new(&self.path, problem).hint(format!(
                "give `--bounds={x0},{x1},{y0},{y1}`, or leave it or `--robot-radius` out"
            )));
        }
        DiscRobot::new(&grid, radius).map_err(|e| {
            FileError::new(&self.path, e.to_string()).hint("give a radius in the map's units")
        })
    }
}

impl OccupancyGrid {
    /// The part of the plane that it covers.
    #[must_use]
    pub fn area(&self) -> MapArea {
        let [width, height] = self.cell_size();
        MapArea {
            bounds: self.bounds(),
            cell: width.max(height),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(path: &Path, width: u32) {
        let grid = OccupancyGrid::from_fn(width, width, Frame::unit(), |c, _| c > 0);
        grid.unwrap().write_png(path).unwrap();
    }

    #[test]
    fn a_folder_has_its_ros_maps_or_else_its_pictures() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let given = [folder.path().to_owned(), at("b.png")];
        let error = MapFile::find(&given[..1]).unwrap_err();
        assert!(error.to_string().contains("no maps") && error.remedy().is_some());
        for name in ["b.png", "a.PNG", "notes.txt"] {
            picture(&at(name), 5);
        }
        assert_eq!(
            MapFile::find(&given).unwrap(),
            [at("a.PNG"), at("b.png"), at("b.png")]
        );
        let text = "image: b.png\nresolution: 0.5\norigin: [0, 0, 0]\n";
        std::fs::write(at("office.yaml"), text).unwrap();
        assert_eq!(MapFile::find(&given[..1]).unwrap(), [at("office.yaml")]);
        let map = MapFile::open(at("office.yaml")).unwrap();
        assert_eq!(map.grid(None).unwrap().bounds(), [[0.0, 2.5]; 2]);
        assert!(map.grid(Some([[0.0, 1.0]; 2])).is_err());
        assert_eq!(map.content()[0], text.as_bytes());
    }

    #[test]
    fn a_round_robot_takes_square_cells() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.png");
        picture(&path, 50);
        let map = MapFile::open(&path).unwrap();
        let stretched = Some([[0.0, 2.0], [0.0, 1.0]]);
        assert!(map.robot(stretched, 0.0).is_ok());
        let error = map.robot(stretched, 0.1).unwrap_err();
        assert!(
            error.remedy().unwrap().contains("--bounds=0,2,0,2"),
            "{error}"
        );
        assert!(map.robot(None, f64::NAN).is_err());
    }
}

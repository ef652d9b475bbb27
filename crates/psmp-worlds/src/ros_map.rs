//! Maps as the ROS `map_server` writes them: a picture and a YAML file that says what it means.
//!
//! The YAML file names the picture (relative to itself), the side of a cell in metres, where the
//! lower left corner lies, and from which darkness on a pixel is occupied or free. What lies
//! between is unknown. The three modes are read as the map server reads them:
//!
//! - `trinary`: darker than `occupied_thresh` is occupied, lighter than `free_thresh` is free, the
//!   rest is unknown;
//! - `scale`: the same, but the rest is partly occupied, and so not free, unless it is transparent,
//!   which makes it unknown;
//! - `raw`: a pixel is its own percentage of occupancy, held against the same thresholds; above
//!   100 it is unknown. As in Navigation 2, `negate` does not matter here.

use crate::raster::read_grey;
use crate::{Frame, OccupancyGrid};
use image::GrayAlphaImage;
use psmp_files::{FileError, Place};
use serde::Deserialize;
use serde_saphyr::Spanned;
use std::path::{Path, PathBuf};

/// What to make of cells that a map does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownCells {
    /// They are not free.
    #[default]
    Occupied,
    /// They are free, for robots that explore.
    Free,
}

/// The fields as they stand; which of them must be there is said below, field by field.
#[derive(Deserialize)]
struct Fields {
    image: Option<Spanned<String>>,
    resolution: Option<Spanned<f64>>,
    origin: Option<Spanned<Vec<f64>>>,
    negate: Option<Spanned<Switch>>,
    occupied_thresh: Option<Spanned<f64>>,
    free_thresh: Option<Spanned<f64>>,
    mode: Option<Spanned<String>>,
}

/// `negate` is a number in old files and a truth value in new ones.
#[derive(Deserialize)]
#[serde(untagged)]
enum Switch {
    Truth(bool),
    Number(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Trinary,
    Scale,
    Raw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Free,
    Occupied,
    Unknown,
}

/// How dark a pixel must be to be occupied, and how light to be free.
#[derive(Debug, Clone, Copy)]
struct Reading {
    mode: Mode,
    negate: bool,
    occupied_thresh: f64,
    free_thresh: f64,
}

impl Reading {
    fn of(self, luminance: u8, alpha: u8) -> Cell {
        let value = f64::from(luminance);
        let occupancy = match self.mode {
            Mode::Raw if luminance > 100 => return Cell::Unknown,
            Mode::Raw => value / 100.0,
            _ if self.negate => value / 255.0,
            _ => (255.0 - value) / 255.0,
        };
        if occupancy > self.occupied_thresh {
            Cell::Occupied
        } else if occupancy < self.free_thresh {
            Cell::Free
        } else {
            match self.mode {
                Mode::Trinary => Cell::Unknown,
                Mode::Scale if alpha < u8::MAX => Cell::Unknown,
                Mode::Scale | Mode::Raw => Cell::Occupied,
            }
        }
    }
}

impl OccupancyGrid {
    /// Reads a ROS map from its YAML file and the picture named there.
    ///
    /// # Errors
    /// If a file is missing or damaged, or a field is missing or makes no sense.
    pub fn read_ros_map(path: impl AsRef<Path>, unknown: UnknownCells) -> Result<Self, FileError> {
        let path = path.as_ref();
        let map = RosMap::parse(path, &psmp_files::read(path)?)?;
        map.grid(path, &read_grey(&map.picture(path), None)?, unknown)
    }
}

/// What a YAML file says, checked.
#[derive(Debug)]
pub(crate) struct RosMap {
    image: String,
    frame: Frame,
    reading: Reading,
}

impl RosMap {
    /// The picture that the file `path` names.
    pub(crate) fn picture(&self, path: &Path) -> PathBuf {
        path.with_file_name(&self.image)
    }

    /// The map that the file `path` makes of its picture.
    pub(crate) fn grid(
        &self,
        path: &Path,
        picture: &GrayAlphaImage,
        unknown: UnknownCells,
    ) -> Result<OccupancyGrid, FileError> {
        let (width, height) = picture.dimensions();
        OccupancyGrid::from_fn(width, height, self.frame, |column, row| {
            let [luminance, alpha] = picture.get_pixel(column, row).0;
            match self.reading.of(luminance, alpha) {
                Cell::Free => true,
                Cell::Occupied => false,
                Cell::Unknown => unknown == UnknownCells::Free,
            }
        })
        .map_err(|e| FileError::new(path, e.to_string()).hint("correct `resolution` and `origin`"))
    }

    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let fields: Fields = serde_saphyr::from_slice(bytes).map_err(|e| {
            let error = FileError::new(
                path,
                format!("expected the fields of a ROS map: {}", e.without_snippet()),
            )
            .hint("see the map_server documentation for the format");
            match e.location() {
                Some(location) => error.at(Place::Line(location.line() as usize)),
                None => error,
            }
        })?;
        let asked = Asked { path };
        let image = asked.required(fields.image, "image", "the name of a picture, as `map.pgm`")?;
        if image.value.is_empty() {
            return Err(asked.wrong(&image, "image", "is empty", "name the picture of the map"));
        }
        let resolution = asked.required(
            fields.resolution,
            "resolution",
            "the side of a cell in metres, as `0.05`",
        )?;
        if !(resolution.value.is_finite() && resolution.value > 0.0) {
            let found = format!("is {}", resolution.value);
            let remedy = "give the side of a cell in metres, a positive number";
            return Err(asked.wrong(&resolution, "resolution", &found, remedy));
        }
        let origin = asked.required(
            fields.origin,
            "origin",
            "the pose of the lower left corner, as `[x, y, yaw]`",
        )?;
        let (x, y, yaw) = match origin.value[..] {
            [x, y] => (x, y, 0.0),
            [x, y, yaw] => (x, y, yaw),
            _ => (f64::NAN, f64::NAN, f64::NAN),
        };
        if ![x, y, yaw].iter().all(|value| value.is_finite()) {
            let found = format!("is {:?}", origin.value);
            let remedy = "give three finite numbers, x and y in metres and yaw in radians";
            return Err(asked.wrong(&origin, "origin", &found, remedy));
        }
        let negate = match &fields.negate {
            None => false,
            Some(Spanned {
                value: Switch::Truth(truth),
                ..
            }) => *truth,
            Some(Spanned {
                value: Switch::Number(number @ (0 | 1)),
                ..
            }) => *number == 1,
            Some(other) => {
                return Err(asked.wrong(other, "negate", "is neither 0 nor 1", "give 0 or 1"));
            }
        };
        let mode = match &fields.mode {
            None => Mode::Trinary,
            Some(mode) => match mode.value.as_str() {
                "trinary" => Mode::Trinary,
                "scale" => Mode::Scale,
                "raw" => Mode::Raw,
                other => {
                    let found = format!("is `{other}`");
                    let remedy = "give `trinary`, `scale` or `raw`";
                    return Err(asked.wrong(mode, "mode", &found, remedy));
                }
            },
        };
        // The defaults of the Navigation 2 map server.
        let occupied_thresh = asked.share(&fields.occupied_thresh, "occupied_thresh", 0.65)?;
        let free_thresh = asked.share(&fields.free_thresh, "free_thresh", 0.25)?;
        if free_thresh > occupied_thresh {
            let found = format!("is {free_thresh}, above the occupied_thresh of {occupied_thresh}");
            let remedy = "make the free threshold the smaller of the two";
            return Err(match fields.free_thresh.or(fields.occupied_thresh) {
                Some(field) => asked.wrong(&field, "free_thresh", &found, remedy),
                None => unreachable!("the defaults are in order"),
            });
        }
        Ok(Self {
            image: image.value,
            frame: Frame::Cells {
                origin: [x, y],
                yaw,
                resolution: resolution.value,
            },
            reading: Reading {
                mode,
                negate,
                occupied_thresh,
                free_thresh,
            },
        })
    }
}

/// Asks for fields and names the file where the answer is wrong.
struct Asked<'a> {
    path: &'a Path,
}

impl Asked<'_> {
    fn required<T>(
        &self,
        field: Option<Spanned<T>>,
        name: &str,
        expected: &str,
    ) -> Result<Spanned<T>, FileError> {
        field.ok_or_else(|| {
            FileError::new(
                self.path,
                format!("the field is missing; expected {expected}"),
            )
            .at(Place::Field(name.to_owned()))
            .hint(format!("add a line `{name}: ...` to the file"))
        })
    }

    /// A number from 0 to 1.
    fn share(
        &self,
        field: &Option<Spanned<f64>>,
        name: &str,
        default: f64,
    ) -> Result<f64, FileError> {
        let Some(field) = field else {
            return Ok(default);
        };
        if (0.0..=1.0).contains(&field.value) {
            return Ok(field.value);
        }
        let found = format!("is {}", field.value);
        Err(self.wrong(field, name, &found, "give a number from 0 to 1"))
    }

    fn wrong<T>(&self, field: &Spanned<T>, name: &str, found: &str, remedy: &str) -> FileError {
        let error = FileError::new(self.path, format!("the field `{name}` {found}")).hint(remedy);
        match field.referenced.line() {
            0 => error.at(Place::Field(name.to_owned())),
            line => error.at(Place::Line(line as usize)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GOOD: &str = "image: map.pgm\nresolution: 0.5\norigin: [-1.0, 2.0, 0.0]\nnegate: 0\n\
                        occupied_thresh: 0.65\nfree_thresh: 0.196\n";

    fn parse(text: &str) -> Result<RosMap, FileError> {
        RosMap::parse(Path::new("map.yaml"), text.as_bytes())
    }

    /// A map of four pixels in a row: white, light grey, dark grey, black.
    fn read(yaml: &str, unknown: UnknownCells) -> Result<Vec<bool>, FileError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.yaml");
        std::fs::write(&path, yaml).unwrap();
        std::fs::write(folder.path().join("map.pgm"), "P2 4 1 255 255 205 100 0\n").unwrap();
        let grid = OccupancyGrid::read_ros_map(&path, unknown)?;
        Ok((0..4).map(|column| grid.is_cell_free(column, 0)).collect())
    }

    #[test]
    fn trinary_is_the_default_and_the_unknown_is_not_free() {
        let free = read(GOOD, UnknownCells::default()).unwrap();
        assert_eq!(free, [true, false, false, false]);
        let free = read(GOOD, UnknownCells::Free).unwrap();
        assert_eq!(free, [true, true, true, false]);
        let negated = GOOD.replace("negate: 0", "negate: true");
        let free = read(&negated, UnknownCells::default()).unwrap();
        assert_eq!(free, [false, false, false, true]);
    }

    #[test]
    fn the_other_modes_know_more_cells() {
        let scale = format!("{GOOD}mode: scale\n");
        let free = read(&scale, UnknownCells::Free).unwrap();
        assert_eq!(free, [true, false, false, false]);
        let raw = format!("{GOOD}mode: raw\n");
        let free = read(&raw, UnknownCells::Occupied).unwrap();
        assert_eq!(free, [false, false, false, true]);
        let free = read(&raw, UnknownCells::Free).unwrap();
        assert_eq!(free, [true, true, false, true]);
    }

    #[test]
    fn the_frame_is_that_of_the_file() {
        let frame = Frame::Cells {
            origin: [-1.0, 2.0],
            yaw: 0.0,
            resolution: 0.5,
        };
        assert_eq!(parse(GOOD).unwrap().frame, frame);
        assert!(parse("image: a\nresolution: 1\norigin: [0, 0]\n").is_ok());
    }

    #[test]
    fn errors_name_the_field_and_the_line() {
        let without = |name: &str| -> String {
            let lines = GOOD.lines().filter(|line| !line.starts_with(name));
            lines.map(|line| format!("{line}\n")).collect()
        };
        for name in ["image", "resolution", "origin"] {
            let error = parse(&without(name)).err().unwrap();
            assert_eq!(error.place(), &Place::Field(name.to_owned()), "{error}");
            assert!(error.remedy().is_some());
        }
        for (good, bad, line) in [
            ("resolution: 0.5", "resolution: -0.5", 2),
            ("resolution: 0.5", "resolution: .nan", 2),
            ("resolution: 0.5", "resolution: wide", 2),
            ("origin: [-1.0, 2.0, 0.0]", "origin: [1]", 3),
            ("origin: [-1.0, 2.0, 0.0]", "origin: [1, .inf, 0]", 3),
            ("negate: 0", "negate: 2", 4),
            ("occupied_thresh: 0.65", "occupied_thresh: 65", 5),
            ("free_thresh: 0.196", "free_thresh: 0.9", 6),
            ("free_thresh: 0.196", "free_thresh: 0.196\nmode: binary", 7),
        ] {
            let error = parse(&GOOD.replace(good, bad)).err().unwrap();
            assert_eq!(error.place(), &Place::Line(line), "{bad}: {error}");
            let field = bad.lines().last().unwrap().split(':').next().unwrap();
            assert!(error.remedy().is_some() && (line == 2 || error.to_string().contains(field)));
        }
        let error = read(&GOOD.replace("map.pgm", "none.pgm"), UnknownCells::Free).unwrap_err();
        assert!(error.to_string().contains("none.pgm"), "{error}");
    }

    proptest! {
        #[test]
        fn mutations_never_panic(
            cut in 0usize..200,
            flips in prop::collection::vec((0usize..200, any::<u8>()), 0..6),
        ) {
            let mut bytes = GOOD.as_bytes().to_vec();
            for (at, value) in flips {
                let at = at % bytes.len();
                bytes[at] = value;
            }
            bytes.truncate(cut);
            let _ = RosMap::parse(Path::new("map.yaml"), &bytes);
        }
    }
}

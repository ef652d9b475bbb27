//! Covers that are kept.
//!
//! A cover decides what is called free, so no file is believed: it must say what it covers, and its
//! spheres must hold every piece of the robot's surface.

use crate::kept::{Kept, Kind};
use crate::robot::Robot;
use crate::robot_hash::add_geometry;
use crate::sphere_cover::{LinkCover, SphereModel};
use psmp_files::FileError;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::hash::Hasher;
use std::path::Path;
use twox_hash::XxHash64;

/// Of this way of covering and of keeping covers; another way is another number.
const VERSION: u64 = 5;

const COVERS: Kind = Kind {
    name: "cover",
    folder: "spheres",
    ending: "json",
};

/// A cover in a file.
#[derive(Serialize, Deserialize)]
struct CoverFile {
    /// What it covers.
    geometry: String,
    /// How many spheres were asked for.
    spheres: usize,
    links: Vec<LinkCover>,
}

impl SphereModel {
    /// The cover of a robot, from the user's cache if it is known there, and what is wrong with the
    /// cache: nothing, if all is well.
    #[must_use]
    pub fn kept(robot: &Robot, budget: usize) -> (Self, Vec<FileError>) {
        keep(robot, budget, None)
    }

    /// The cover of a robot from a file in `folder`, or made and written there if it is not known or
    /// what is there is no cover of this robot; and what is wrong with the folder, if anything is.
    #[must_use]
    pub fn cached(robot: &Robot, budget: usize, folder: &Path) -> (Self, Vec<FileError>) {
        keep(robot, budget, Some(folder))
    }
}

fn keep(robot: &Robot, budget: usize, folder: Option<&Path>) -> Kept<SphereModel> {
    let mut hash = XxHash64::with_seed(VERSION);
    add_geometry(&mut hash, robot);
    let geometry = format!("{:016x}", hash.finish());
    hash.write_u64(budget as u64);
    let Ok(kept) = COVERS.keep(
        folder,
        hash.finish(),
        |bytes| known(bytes, robot, budget, &geometry),
        || Ok::<_, Infallible>(SphereModel::cover(robot, budget)),
        |model| {
            let file = CoverFile {
                geometry: geometry.clone(),
                spheres: budget,
                links: model.links().to_vec(),
            };
            match serde_json::to_vec(&file) {
                Ok(text) => text,
                Err(e) => unreachable!("numbers and names can be written: {e}"),
            }
        },
    );
    kept
}

/// The cover in a file.
fn known(
    bytes: &[u8],
    robot: &Robot,
    budget: usize,
    geometry: &str,
) -> Result<SphereModel, String> {
    let file: CoverFile =
        serde_json::from_slice(bytes).map_err(|_| "is not a cover that was kept")?;
    if file.geometry != geometry || file.spheres != budget {
        return Err("is the cover of something else".to_owned());
    }
    // Links need a sphere each at least, and a few more where they are of many parts.
    let most = budget.saturating_add(100 * robot.links().len());
    let most = most.saturating_add(robot.links().iter().map(|l| l.collision.len()).sum());
    if file.links.iter().map(|l| l.balls.len()).sum::<usize>() > most {
        return Err("has more spheres than were asked for".to_owned());
    }
    SphereModel::from_covers(robot, file.links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;
    use std::path::PathBuf;

    /// The only file in a folder.
    fn only_file(folder: &Path) -> PathBuf {
        let mut files = std::fs::read_dir(folder).unwrap();
        let only = files.next().unwrap().unwrap().path();
        assert!(files.next().is_none());
        only
    }

    #[test]
    fn a_known_cover_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let (robot, _) = models::planar(3);
        let (first, trouble) = SphereModel::cached(&robot, 12, folder.path());
        assert!(trouble.is_empty(), "{trouble:?}");
        let file = only_file(folder.path());
        // Only what was read can have this in it.
        let mark = |text: &str| text.replacen("\"volume\":", "\"volume\":1000", 1);
        std::fs::write(&file, mark(&std::fs::read_to_string(&file).unwrap())).unwrap();
        let (again, trouble) = SphereModel::cached(&robot, 12, folder.path());
        assert!(trouble.is_empty(), "{trouble:?}");
        assert_eq!(first.of_link(0), again.of_link(0));
        assert!(again.links().iter().any(|l| l.volume >= 1000.0));
        let _ = SphereModel::cached(&robot, 13, folder.path());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_robots_name_is_no_part_of_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("a/b/cache");
        let outside = folder.path().join("evil");
        for name in [
            "../../evil",
            &outside.display().to_string(),
            "left/arm",
            "plain",
        ] {
            let text = format!(
                r#"<robot name="{name}"><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#
            );
            let robot = Robot::parse("r.urdf", &text).unwrap();
            let (_, trouble) = SphereModel::cached(&robot, 1, &cache);
            assert!(trouble.is_empty(), "{name}: {trouble:?}");
        }
        let file = only_file(&cache);
        let stem = file.file_stem().unwrap().to_str().unwrap();
        assert!(stem.len() == 16 && stem.chars().all(|c| c.is_ascii_hexdigit()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(
            std::fs::read_dir(folder.path().join("a/b"))
                .unwrap()
                .count(),
            1
        );
    }

    #[test]
    fn a_cover_that_is_none_is_made_anew_and_said_so() {
        let folder = tempfile::tempdir().unwrap();
        let (robot, _) = models::planar(3);
        let (first, _) = SphereModel::cached(&robot, 12, folder.path());
        let path = only_file(folder.path());
        let good: CoverFile = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let change = |change: &dyn Fn(&mut CoverFile)| {
            let text = serde_json::to_vec(&good).unwrap();
            let mut file: CoverFile = serde_json::from_slice(&text).unwrap();
            change(&mut file);
            serde_json::to_vec(&file).unwrap()
        };
        let each = |to: f64| {
            change(&|file| {
                let balls = file.links.iter_mut().flat_map(|l| &mut l.balls);
                balls.for_each(|b| b.radius = to);
            })
        };
        let last = robot.links().len() - 1;
        for bad in [
            b"{".to_vec(),
            vec![0xff; 100],
            each(1e-6),
            each(0.0),
            each(-10.0),
            each(1e300),
            change(&|file| file.links[last].balls[0].radius *= 0.9),
            change(&|file| file.links[last].balls.clear()),
            change(&|file| file.links[last].balls[0].middle[0] += 1.0),
            change(&|file| file.links.truncate(1)),
            change(&|file| file.geometry = "0".repeat(16)),
            change(&|file| file.spheres = 11),
            change(&|file| {
                let ball = file.links[last].balls[0];
                file.links[last].balls.resize(10_000, ball);
            }),
        ] {
            std::fs::write(&path, &bad).unwrap();
            let (again, trouble) = SphereModel::cached(&robot, 12, folder.path());
            assert_eq!(again, first);
            assert_eq!(trouble.len(), 1, "{}", String::from_utf8_lossy(&bad));
            // The new one is in its place.
            let (_, trouble) = SphereModel::cached(&robot, 12, folder.path());
            assert!(trouble.is_empty(), "{trouble:?}");
        }
    }

    #[test]
    fn spheres_of_the_robot_itself_must_be_there() {
        let text = r#"<robot name="r"><link name="a"><collision><geometry><sphere radius="0.5"/></geometry></collision></link></robot>"#;
        let robot = Robot::parse("r.urdf", text).unwrap();
        let mut links = SphereModel::cover(&robot, 1).links().to_vec();
        assert!(SphereModel::from_covers(&robot, links.clone()).is_ok());
        links[0].balls[0].radius = 0.4;
        assert!(SphereModel::from_covers(&robot, links).is_err());
    }

    #[test]
    fn a_cache_that_cannot_be_used_stops_no_one() {
        let folder = tempfile::tempdir().unwrap();
        let (robot, _) = models::planar(3);
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let (model, trouble) = SphereModel::cached(&robot, 12, &file.join("cache"));
        assert!(model.count() > 0);
        assert!(!trouble.is_empty());
        // A folder where the file should be.
        let cache = folder.path().join("cache");
        let _ = SphereModel::cached(&robot, 12, &cache);
        let kept = only_file(&cache);
        std::fs::remove_file(&kept).unwrap();
        std::fs::create_dir(&kept).unwrap();
        let (again, trouble) = SphereModel::cached(&robot, 12, &cache);
        assert_eq!(again, model);
        assert!(!trouble.is_empty());
    }

    #[test]
    fn every_model_is_covered_by_its_own_cover() {
        for name in models::NAMES {
            let name = name.replace('N', "4");
            let (robot, _) = models::named(&name).unwrap();
            for budget in [1, 60] {
                let cover = SphereModel::cover(&robot, budget);
                let checked = SphereModel::from_covers(&robot, cover.links().to_vec());
                assert_eq!(checked.as_ref(), Ok(&cover), "{name}");
            }
        }
    }
}

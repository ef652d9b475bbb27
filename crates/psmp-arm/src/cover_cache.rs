//! Covers that are kept from program to program, in the user's cache.

use crate::robot::Robot;
use crate::sphere_cover::SphereModel;
use psmp_worlds::FileError;
use std::path::PathBuf;

impl SphereModel {
    /// The cover of a robot, from the user's cache if it is known and there is one.
    ///
    /// # Errors
    /// If the cache cannot be written to.
    pub fn kept(robot: &Robot, budget: usize) -> Result<Self, FileError> {
        match cache_folder() {
            Some(folder) => Self::cached(robot, budget, &folder),
            None => Ok(Self::cover(robot, budget)),
        }
    }
}

/// Where covers are kept: the user's cache, if there is one.
fn cache_folder() -> Option<PathBuf> {
    let own = |name: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    let cache = own("XDG_CACHE_HOME").or_else(|| Some(own("HOME")?.join(".cache")))?;
    Some(cache.join("psmp/spheres"))
}

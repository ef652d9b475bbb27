//! What files that are read are permitted: which other files they may name.
//!
//! A robot names meshes, a scene names meshes and point clouds. Such a name is relative to the file
//! that has it, or is `file://PATH`, or `package://PACKAGE/PATH`. Whoever wrote the file chose the
//! name, so it reaches only so far: into the folder of the file, into the package that this folder is
//! part of, into packages, and into what the caller allows. It counts where a file is once all
//! symbolic links are followed, and only regular files are read, up to a size.
//!
//! A package is looked for where the caller says, in the folders of `ROS_PACKAGE_PATH`, in the folder
//! of the file, and in the few folders above it; of those above, only a folder with a `package.xml` in
//! it is a package.

use psmp_files::FileError;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The greatest size of a file of text: a robot, a scene, a request.
pub(crate) const LARGEST_TEXT: u64 = 64 << 20;

/// The greatest size of a mesh or a point cloud.
pub(crate) const LARGEST_DATA: u64 = 1 << 30;

/// In how many folders a package is looked for, from the folder of the file upwards.
const FOLDERS_UPWARDS: usize = 6;

/// What robots and scenes that are read are permitted.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    packages: HashMap<String, PathBuf>,
    allowed: Vec<PathBuf>,
    empty_scenes: bool,
}

/// Why a name leads to no file that may be read.
#[derive(Debug)]
pub(crate) struct Refused {
    pub problem: String,
    pub hint: String,
}

impl Permissions {
    /// The same, and what is in this folder, or this one file, may be named too.
    ///
    /// # Errors
    /// If there is no such folder or file.
    pub fn allow_path(mut self, path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let full = path.canonicalize();
        self.allowed
            .push(full.map_err(|e| FileError::io(path, "find", e))?);
        Ok(self)
    }

    /// The same, with the package of this name in this folder.
    #[must_use]
    pub fn package(mut self, name: &str, folder: impl Into<PathBuf>) -> Self {
        self.packages.insert(name.to_owned(), folder.into());
        self
    }

    /// The same, and scenes may have nothing in them: without this, one that has not is taken for a
    /// mistake.
    #[must_use]
    pub fn empty_scenes(mut self, permitted: bool) -> Self {
        self.empty_scenes = permitted;
        self
    }

    /// Whether scenes may have nothing in them.
    pub(crate) fn permits_empty_scenes(&self) -> bool {
        self.empty_scenes
    }

    /// The file that `name` means in the file at `from`.
    pub(crate) fn find(&self, from: &Path, name: &str) -> Result<PathBuf, Refused> {
        let own = match from.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let not_there = |hint: String| Refused {
            problem: format!("names `{name}`, which is not there"),
            hint,
        };
        let beside = || not_there("put it where it is named, relative to this file".to_owned());
        let own = own.canonicalize().map_err(|_| beside())?;
        let (full, package) = match name.strip_prefix("package://") {
            Some(rest) => {
                let (package, inside) = rest.split_once('/').unwrap_or((rest, ""));
                let there = |root: PathBuf| {
                    let root = root.canonicalize().ok()?;
                    Some((root.join(inside).canonicalize().ok()?, Some(root)))
                };
                let mut roots = self.packages_of(&own, package).into_iter();
                roots.find_map(there).ok_or_else(|| {
                    not_there(format!(
                        "put the folder that `{package}` is in on ROS_PACKAGE_PATH, or put \
                         `{package}` beside this file; a package above it needs a `package.xml`"
                    ))
                })?
            }
            None => {
                let path = own.join(name.strip_prefix("file://").unwrap_or(name));
                (path.canonicalize().map_err(|_| beside())?, None)
            }
        };
        let upwards = own.ancestors().take(FOLDERS_UPWARDS);
        let around = upwards.into_iter().find(|folder| is_package(folder));
        let allowed = self.allowed.iter().map(PathBuf::as_path);
        let mut reach = [Some(own.as_path()), around, package.as_deref()]
            .into_iter()
            .flatten()
            .chain(allowed);
        match reach.any(|folder| full.starts_with(folder)) {
            true => Ok(full),
            false => Err(Refused {
                problem: format!(
                    "names `{name}`, which is outside this file's folder and its package"
                ),
                hint: "if you trust this file, allow it with `--allow-path DIR` (in Python \
                       `allow_paths=[...]`)"
                    .to_owned(),
            }),
        }
    }

    /// The folders that a package may be.
    fn packages_of(&self, own: &Path, package: &str) -> Vec<PathBuf> {
        if let Some(root) = self.packages.get(package) {
            return vec![root.clone()];
        }
        if ["", ".", ".."].contains(&package) {
            return Vec::new();
        }
        let ros = std::env::var_os("ROS_PACKAGE_PATH").unwrap_or_default();
        let mut roots: Vec<PathBuf> = std::env::split_paths(&ros)
            .map(|root| root.join(package))
            .collect();
        roots.push(own.join(package));
        for folder in own.ancestors().take(FOLDERS_UPWARDS) {
            let is_it = folder.file_name().is_some_and(|name| name == package);
            let found = [Some(folder.join(package)), is_it.then(|| folder.to_owned())];
            roots.extend(found.into_iter().flatten().filter(|f| is_package(f)));
        }
        roots
    }
}

fn is_package(folder: &Path) -> bool {
    folder.join("package.xml").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a file in each of these places.
    fn folder_of(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        folder
    }

    #[test]
    fn names_reach_only_so_far() {
        let root = folder_of(&["secret", "own/urdf/beside", "own/meshes/m", "other/o"]);
        let from = root.path().join("own/urdf/r.urdf");
        let secret = root.path().join("secret").display().to_string();
        let folder = root.path().file_name().unwrap().to_str().unwrap();
        let outside = [
            "../../secret".to_owned(),
            "../meshes/m".to_owned(),
            "./../urdf/../../secret".to_owned(),
            secret.clone(),
            format!("file://{secret}"),
            "package://../secret".to_owned(),
            "package://urdf/../../secret".to_owned(),
            "package://other/o".to_owned(),
            format!("package://{folder}/secret"),
            "package://etc/passwd".to_owned(),
        ];
        let nothing = Permissions::default();
        assert!(nothing.find(&from, "beside").is_ok());
        for name in &outside {
            let refused = nothing.find(&from, name).expect_err(name);
            assert!(refused.problem.contains(name.as_str()));
        }
        let all = Permissions::default().allow_path(root.path()).unwrap();
        assert!(all.find(&from, "../../secret").is_ok());
        assert!(all.find(&from, &secret).is_ok());
        let one = Permissions::default().allow_path(&secret).unwrap();
        assert!(one.find(&from, &secret).is_ok());
        assert!(one.find(&from, "../meshes/m").is_err());
        assert!(nothing.allow_path(root.path().join("none")).is_err());
    }

    #[test]
    fn packages_above_are_those_that_say_so() {
        let root = folder_of(&[
            "own/package.xml",
            "own/urdf/arms/beside",
            "own/meshes/m",
            "other/package.xml",
            "other/o",
            "secret",
        ]);
        let from = root.path().join("own/urdf/arms/r.urdf");
        let nothing = Permissions::default();
        for name in [
            "../../meshes/m",
            "package://own/meshes/m",
            "package://other/o",
        ] {
            assert!(nothing.find(&from, name).is_ok(), "{name}");
        }
        for name in ["package://other/../secret", "../../../secret"] {
            assert!(nothing.find(&from, name).is_err(), "{name}");
        }
        let told = Permissions::default().package("far", root.path().join("other"));
        assert!(told.find(&from, "package://far/o").is_ok());
        assert!(told.find(&from, "package://far/../secret").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_counts_as_what_it_leads_to() {
        let root = folder_of(&["secret", "own/beside"]);
        let from = root.path().join("own/r.urdf");
        std::os::unix::fs::symlink(root.path().join("secret"), root.path().join("own/link"))
            .unwrap();
        assert!(Permissions::default().find(&from, "link").is_err());
    }
}

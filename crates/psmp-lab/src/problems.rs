//! Problems to plan in, wherever they come from: a dataset's folder, or worlds made on the spot.

use crate::families::ProblemSet;
use crate::recorded::Sight;
use crate::resolution::resolution_for;
use crate::sweep::SweepError;
use psmp::{CollisionTable, Query, Resolution, Roadmap, WorldId};
use psmp_files::FileError;
use psmp_worlds::{Dataset, Frame, ImageOptions, OccupancyGrid, Shapes};
use std::sync::Arc;

/// Known worlds on one roadmap.
pub trait Problems: Send + Sync {
    /// Its name in tables.
    fn name(&self) -> &str;
    /// The roadmap.
    fn roadmap(&self) -> &Roadmap;
    /// From where to where to plan.
    ///
    /// # Errors
    /// If that is not known.
    fn query(&self) -> Result<Query, FileError>;
    /// Which edge is free in which world.
    ///
    /// # Errors
    /// If that is not known.
    fn table(&self) -> Result<&Arc<CollisionTable>, FileError>;
    /// What beliefs learn from: the table, or that of its first edges where the roadmap has grown.
    ///
    /// # Errors
    /// If that is not known.
    fn experience(&self) -> Result<&Arc<CollisionTable>, FileError> {
        self.table()
    }
    /// The worlds to learn from, if some are set apart for that.
    fn train(&self) -> Option<&[WorldId]>;
    /// The worlds to plan in, if some are set apart for that.
    fn test(&self) -> Option<&[WorldId]>;
    /// The image of a world, if it has one and coordinates to use it with.
    ///
    /// # Errors
    /// If the image is there but cannot be read.
    fn image(&self, world: WorldId) -> Result<Option<OccupancyGrid>, FileError>;
    /// The boxes of a world, if it is made of such and there are coordinates to use them with.
    ///
    /// # Errors
    /// If they are there but cannot be read.
    fn boxes(&self, _: WorldId) -> Result<Option<Shapes>, FileError> {
        Ok(None)
    }
    /// A world as it is seen configuration by configuration, and how close to each other those of an edge are: by
    /// its image or its boxes, `resolution` apart or as far as is usual. `None` where edges are all that is known.
    ///
    /// # Errors
    /// If the world cannot be read, or the resolution makes no sense.
    fn sight(
        &self,
        world: WorldId,
        resolution: Option<f64>,
    ) -> Result<Option<(Sight, Resolution)>, SweepError> {
        let sight: Sight = match self.image(world)? {
            Some(image) => Box::new(image),
            None => match self.boxes(world)? {
                Some(boxes) => Box::new(boxes),
                None => return Ok(None),
            },
        };
        let resolution = resolution_for(self.roadmap(), resolution)?;
        Ok(Some((sight, resolution)))
    }
    /// Where it comes from: all that is needed to get the same again.
    fn origin(&self) -> Origin;
}

/// Where problems come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// They were made from a family, so many with this seed.
    Made {
        /// How many worlds.
        worlds: usize,
        /// How many of them are to plan in.
        test: usize,
        /// With which seed.
        seed: u64,
    },
    /// They were read from a folder.
    Folder(String),
}

impl Problems for Dataset {
    fn name(&self) -> &str {
        &self.name
    }
    fn roadmap(&self) -> &Roadmap {
        &self.roadmap
    }
    fn query(&self) -> Result<Query, FileError> {
        Dataset::query(self)
    }
    fn table(&self) -> Result<&Arc<CollisionTable>, FileError> {
        Dataset::table(self)
    }
    fn train(&self) -> Option<&[WorldId]> {
        Dataset::train(self)
    }
    fn test(&self) -> Option<&[WorldId]> {
        Dataset::test(self)
    }
    fn image(&self, world: WorldId) -> Result<Option<OccupancyGrid>, FileError> {
        let Some([x, y]) = self.roadmap.space().map(|space| space.axes()) else {
            return Ok(None);
        };
        let Some(path) = self.image_path(world) else {
            return Ok(None);
        };
        let options = ImageOptions {
            frame: Some(Frame::Centres {
                x: [x.lower(), x.upper()],
                y: [y.lower(), y.upper()],
            }),
            ..ImageOptions::default()
        };
        OccupancyGrid::read(path, &options).map(Some)
    }
    fn boxes(&self, world: WorldId) -> Result<Option<Shapes>, FileError> {
        Dataset::boxes(self, world)
    }
    fn origin(&self) -> Origin {
        let folder = self.folder();
        let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        Origin::Folder(full.display().to_string())
    }
}

impl Problems for ProblemSet {
    fn name(&self) -> &str {
        self.family.name
    }
    fn roadmap(&self) -> &Roadmap {
        &self.roadmap
    }
    fn query(&self) -> Result<Query, FileError> {
        Ok(self.query)
    }
    fn table(&self) -> Result<&Arc<CollisionTable>, FileError> {
        Ok(&self.table)
    }
    fn train(&self) -> Option<&[WorldId]> {
        Some(ProblemSet::train(self))
    }
    fn test(&self) -> Option<&[WorldId]> {
        Some(ProblemSet::test(self))
    }
    fn image(&self, world: WorldId) -> Result<Option<OccupancyGrid>, FileError> {
        let in_the_plane = self.family.dimension == 2;
        Ok(in_the_plane.then(|| ProblemSet::image(self, world)))
    }
    fn boxes(&self, world: WorldId) -> Result<Option<Shapes>, FileError> {
        Ok(ProblemSet::boxes(self, world))
    }
    fn origin(&self) -> Origin {
        Origin::Made {
            worlds: self.worlds.len(),
            test: ProblemSet::test(self).len(),
            seed: self.seed,
        }
    }
}

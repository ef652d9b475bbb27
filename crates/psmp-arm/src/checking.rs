//! How the configurations of an arm are checked: all the ways there are, by name.
//!
//! [`Checking::TABLE`] is all there is to know of them: options of the command line, what Python takes
//! and their help come from it. A [`CheckedArm`] is an arm in a scene that is checked in one of them,
//! and makes the [`Session`] of a problem.

use crate::arm::{Arm, ArmError};
use crate::certified::CertifiedChecker;
use crate::exact::ExactWorld;
use crate::refined::RefinedWorld;
use crate::scene::Scene;
use crate::sphere_cover::SphereModel;
use crate::spheres::SphereWorld;
use crate::step::{DEFAULT_STEP, SHORTCUT_STEP};
use psmp::by_name::PlannerName;
use psmp::checker::World;
use psmp::{AnyChecker, Resolution, Session, SessionError, SessionOptions, Space};
use std::convert::Infallible;
use std::fmt;

psmp::table_of_names! {
    /// A way to check an arm.
    #[derive(Default)]
    pub enum Checking, "way to check an arm":
    #[default] "refined" Refined, "by spheres, and by the true shapes where the spheres touch";
    "spheres" Spheres, "by spheres that cover the links: fastest, and too careful";
    "exact" Exact, "by the true shapes";
    "certified" Certified, "whole motions by the clearance of the spheres, not only configurations along them";
}

impl Checking {
    /// Whether nothing but spheres is asked, so that what they touch may yet be free.
    #[must_use]
    pub fn is_careful(self) -> bool {
        matches!(self, Self::Spheres | Self::Certified)
    }

    /// These options, with what they leave open as is usual for arms: joints move at most
    /// [`DEFAULT_STEP`] from one configuration to the next, and along shortcuts [`SHORTCUT_STEP`].
    ///
    /// # Errors
    /// If whole motions are to be certified and the options ask for motions that are not edges of a
    /// roadmap.
    pub fn options<E>(self, options: SessionOptions) -> Result<SessionOptions, SessionError<E>> {
        if self == Self::Certified {
            if let PlannerName::Tree(name) = options.planner {
                return Err(SessionError::Option(format!(
                    "`{self}` certifies edges of a roadmap, and `{name}` knows none"
                )));
            }
            if options.straighten {
                return Err(SessionError::Option(format!(
                    "a path that is straightened is not `{self}`: shortcuts are checked by the \
                     configurations along them"
                )));
            }
        }
        let usual = Resolution::largest_axis(DEFAULT_STEP)?;
        Ok(SessionOptions {
            resolution: options.resolution.or(Some(usual)),
            shortcut_step: options.shortcut_step.or(Some(SHORTCUT_STEP)),
            ..options
        })
    }
}

/// A world of any kind.
trait AnyWorld: World<Error = Infallible> + Send + Sync {
    fn another(&self) -> Box<dyn AnyWorld>;
}

impl<W: World<Error = Infallible> + Clone + Send + Sync + 'static> AnyWorld for W {
    fn another(&self) -> Box<dyn AnyWorld> {
        Box::new(self.clone())
    }
}

/// An arm in a scene, and how it is checked.
pub struct CheckedArm {
    checking: Checking,
    space: Space,
    world: Box<dyn AnyWorld>,
    /// What whole motions are certified with, if they are.
    certifying: Option<SphereWorld>,
}

impl CheckedArm {
    /// An arm, whose links are covered by `spheres`, in a scene.
    ///
    /// # Errors
    /// If the scene attaches something to a link that the robot has not.
    ///
    /// # Panics
    /// If `spheres` are another robot's.
    pub fn new(
        checking: Checking,
        arm: &Arm,
        spheres: &SphereModel,
        scene: &Scene,
    ) -> Result<Self, ArmError> {
        let by_spheres = || SphereWorld::new(arm, spheres, scene);
        let mut certifying = None;
        let world: Box<dyn AnyWorld> = match checking {
            Checking::Refined => Box::new(RefinedWorld::new(arm, spheres, scene)?),
            Checking::Spheres => Box::new(by_spheres()?),
            Checking::Exact => Box::new(ExactWorld::new(arm, scene)?),
            Checking::Certified => Box::new(certifying.insert(by_spheres()?).clone()),
        };
        Ok(Self {
            checking,
            space: arm.space().clone(),
            world,
            certifying,
        })
    }

    /// How it is checked.
    #[must_use]
    pub fn checking(&self) -> Checking {
        self.checking
    }

    /// The space of its configurations.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The same arm, planned for in another space of its configurations, such as a part of its own.
    ///
    /// # Panics
    /// If that has another number of axes.
    #[must_use]
    pub fn within(mut self, space: &Space) -> Self {
        assert_eq!(space.dimension(), self.space.dimension());
        self.space = space.clone();
        self
    }

    /// The spheres by whose clearance whole motions are [certified](CertifiedChecker), if they are.
    #[must_use]
    pub fn certifying(&self) -> Option<&SphereWorld> {
        self.certifying.as_ref()
    }

    /// A session from a start to a goal, with [what is usual for arms](Checking::options) where the
    /// options leave it open.
    ///
    /// # Errors
    /// If an end is outside the joints' limits, or the options do not go together.
    pub fn session(
        self,
        start: &[f64],
        goal: &[f64],
        options: SessionOptions,
    ) -> Result<Session<'static, Self>, SessionError<Infallible>> {
        let options = self.checking.options(options)?;
        let resolution = options.resolution;
        let session = Session::in_space(&self.space, self.clone(), start, goal, options)?;
        let (Some(world), Some(resolution)) = (self.certifying, resolution) else {
            return Ok(session);
        };
        Ok(session.checking_edges(move |roadmap| {
            let checker = CertifiedChecker::new(roadmap, resolution, world.clone())?;
            Ok(Box::new(checker) as AnyChecker<'static, Infallible>)
        }))
    }
}

impl Clone for CheckedArm {
    fn clone(&self) -> Self {
        Self {
            checking: self.checking,
            space: self.space.clone(),
            world: self.world.another(),
            certifying: self.certifying.clone(),
        }
    }
}

impl fmt::Debug for CheckedArm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedArm")
            .field("checking", &self.checking)
            .finish_non_exhaustive()
    }
}

impl World for CheckedArm {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        self.world.is_free(configuration)
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, Infallible> {
        self.world.first_collision(configurations, dimension)
    }

    fn at_once(&self) -> u64 {
        self.world.at_once()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_wrong_ones_say_what_would_be_right() {
        for row in Checking::TABLE {
            assert_eq!(row.name.parse(), Ok(row.what));
            assert_eq!(row.what.to_string(), row.name);
        }
        let error = "mesh".parse::<Checking>().unwrap_err().to_string();
        assert!(
            error.contains("`mesh`") && error.contains("`exact`"),
            "{error}"
        );
    }

    #[test]
    fn what_cannot_be_certified_is_refused() {
        let of_trees = SessionOptions {
            planner: "rrtconnect".parse().unwrap(),
            ..SessionOptions::default()
        };
        let straightened = SessionOptions {
            straighten: true,
            ..SessionOptions::default()
        };
        for options in [of_trees, straightened] {
            assert!(
                Checking::Refined
                    .options::<Infallible>(options.clone())
                    .is_ok()
            );
            let refused = Checking::Certified.options::<Infallible>(options);
            let words = refused.unwrap_err().to_string();
            assert!(words.contains("`certified`"), "{words}");
        }
    }
}

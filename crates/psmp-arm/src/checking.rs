//! How the configurations of an arm are checked: all the ways there are, by name.
//!
//! [`Checking::TABLE`] is all there is to know of them: options of the command line, what Python takes
//! and their help come from it. A [`CheckedArm`] is an arm in a scene that is checked in one of them,
//! and makes the [`Session`] of a problem.

use crate::arm::{Arm, ArmError};
use crate::contacts::Contacts;
use crate::exact::ExactWorld;
use crate::refined::RefinedWorld;
use crate::scene::Scene;
use crate::sphere_cover::SphereModel;
use crate::spheres::SphereWorld;
use crate::step::DEFAULT_STEP;
use crate::sweep::{BodyBall, Sweep};
use crate::world::ArmWorld;
use psmp::checker::{Stretches, World};
use psmp::{Goals, Resolution, Session, SessionError, SessionOptions, Space};
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

psmp::table_of_names! {
    /// A way to check an arm.
    #[derive(Default)]
    pub enum Checking, "way to check an arm":
    #[default] "refined" Refined, "by spheres, and by the true shapes where the spheres touch";
    "spheres" Spheres, "by spheres that cover the links: fastest, and too careful";
    "exact" Exact, "by the true shapes";
}

impl Checking {
    /// Whether nothing but spheres is asked, so that what they touch may yet be free.
    #[must_use]
    pub fn is_careful(self) -> bool {
        self == Self::Spheres
    }
}

/// A world of any kind.
trait AnyWorld: ArmWorld + Send + Sync {
    fn another(&self) -> Box<dyn AnyWorld>;
}

impl<W: ArmWorld + Clone + Send + Sync + 'static> AnyWorld for W {
    fn another(&self) -> Box<dyn AnyWorld> {
        Box::new(self.clone())
    }
}

/// An arm in a scene, and how it is checked. It can [prove](World::prove) motions free all along, but for
/// a [tolerance](crate::TOLERANCE).
pub struct CheckedArm {
    checking: Checking,
    space: Space,
    world: Box<dyn AnyWorld>,
    sweep: Sweep,
    /// Who is checked among what.
    stage: Arc<(Arm, Scene)>,
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
        let contacts = Contacts::new(arm, scene)?;
        let mut bodies = contacts.bodies.iter().map(BodyBall::around).collect();
        let world: Box<dyn AnyWorld> = match checking {
            Checking::Refined => Box::new(RefinedWorld::new(arm, spheres, scene)?),
            Checking::Exact => Box::new(ExactWorld::new(arm, scene)?),
            Checking::Spheres => {
                let world = SphereWorld::new(arm, spheres, scene)?;
                bodies = world.body_balls();
                Box::new(world)
            }
        };
        Ok(Self {
            checking,
            space: arm.space().clone(),
            world,
            sweep: Sweep::new(arm.kinematics(), bodies, contacts.pairs),
            stage: Arc::new((arm.clone(), scene.clone())),
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

    /// The same arm, planned for in another space of its configurations, such as a part of its own. How far apart they
    /// are for beliefs stays as it is.
    ///
    /// # Panics
    /// If that has another number of axes.
    #[must_use]
    pub fn within(mut self, space: &Space) -> Self {
        assert_eq!(space.dimension(), self.space.dimension());
        self.space = match self.space.embedding() {
            Some(embedding) => space.clone().embedded(embedding.clone()),
            None => space.clone(),
        };
        self
    }

    /// A session from a start to a goal, or to any of several. Where the options leave it open, joints move at most
    /// [`DEFAULT_STEP`] from one configuration to the next.
    ///
    /// # Errors
    /// If an end is outside the joints' limits, or the options do not go together.
    pub fn session<'g>(
        self,
        start: &[f64],
        goal: impl Into<Goals<'g>>,
        options: SessionOptions,
    ) -> Result<Session<'static, Self>, SessionError<Infallible>> {
        let usual = Resolution::largest_axis(DEFAULT_STEP)?;
        let options = SessionOptions {
            resolution: options.resolution.or(Some(usual)),
            ..options
        };
        let space = self.space.clone();
        Session::in_space(&space, self, start, goal, options)
    }
}

impl Clone for CheckedArm {
    fn clone(&self) -> Self {
        Self {
            checking: self.checking,
            space: self.space.clone(),
            world: self.world.another(),
            sweep: self.sweep.clone(),
            stage: self.stage.clone(),
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

    fn features(&self) -> Option<Vec<f64>> {
        let (arm, scene) = &*self.stage;
        Some(arm.clearances(scene))
    }

    fn at_once(&self) -> u64 {
        self.world.at_once()
    }

    fn is_quick(&self) -> bool {
        self.world.is_quick()
    }

    fn can_prove(&self) -> bool {
        true
    }

    fn prove(&mut self, stretches: &mut Stretches<'_>) -> Result<(), Infallible> {
        self.sweep.prove(&mut *self.world, stretches);
        Ok(())
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
}

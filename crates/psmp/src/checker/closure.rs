//! Checking edges with a closure.

use super::{Checker, Finding, Part, Sightings, Verdict};
use crate::roadmap::{EdgeId, Growth, RoadmapError};

/// A checker made of a closure; see [`check_with`].
#[derive(Debug, Clone)]
pub struct ClosureChecker<F>(F);

/// A checker from a closure on edges.
///
/// ```
/// use psmp::{EdgeId, checker::{Verdict, check_with}};
/// let checker = check_with(|edge: EdgeId| -> Result<Verdict, std::io::Error> {
///     Ok(Verdict { free: edge.0 != 3, configurations: 10 })
/// });
/// # let _ = checker;
/// ```
pub fn check_with<F, E>(check: F) -> ClosureChecker<F>
where
    F: FnMut(EdgeId) -> Result<Verdict, E>,
{
    ClosureChecker(check)
}

impl<F, E> Checker for ClosureChecker<F>
where
    F: FnMut(EdgeId) -> Result<Verdict, E>,
{
    type Error = E;
    fn check(&mut self, part: Part<'_>, _: &mut Sightings) -> Result<Finding, E> {
        let edge = part.edge;
        part.whole(self.cost_if_free(edge), || (self.0)(edge))
    }

    /// Who makes a roadmap grow knows what the closure is asked.
    fn grow(&mut self, _: &Growth) -> Result<(), RoadmapError> {
        Ok(())
    }
}

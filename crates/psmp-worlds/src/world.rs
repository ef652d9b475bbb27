//! Worlds that only need to be looked at answer through a shared reference as well as when owned,
//! so that many checkers can share one.

/// Implements [`psmp::checker::World`] for a type with `fn free_at(&self, &[f64]) -> bool` and
/// `fn proof_along(&self, middle: &[f64], half: &[f64]) -> Proof`, and for references to it.
macro_rules! world_by_looking {
    ($($world:ty),+) => {$(
        impl psmp::checker::World for $world {
            type Error = std::convert::Infallible;

            fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Self::Error> {
                Ok(self.free_at(configuration))
            }

            fn is_quick(&self) -> bool {
                true
            }

            fn can_prove(&self) -> bool {
                true
            }

            fn prove(
                &mut self,
                stretches: &mut psmp::checker::Stretches<'_>,
            ) -> Result<(), Self::Error> {
                stretches.answer_each(|middle, half| Ok(self.proof_along(middle, half)))
            }
        }
    )+};
}
pub(crate) use world_by_looking;

//! How finely an arm's motions are asked about.

/// The largest joint step, in radians, from one configuration of a motion to the next, unless told. A
/// link of a metre sweeps three centimetres in it. Larger steps pass over things in between: at 0.2 rad,
/// the step of the published experiment, most straightened paths do.
pub const DEFAULT_STEP: f64 = 0.03;

/// The same along shortcuts, which lead close around things.
pub const SHORTCUT_STEP: f64 = 0.01;

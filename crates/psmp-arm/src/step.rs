//! How finely an arm's motions are asked about.

/// The largest joint step, in radians, from one configuration of a motion to the next, unless told. A
/// link of a metre sweeps three centimetres in it. It decides how soon what is blocked is found so, and not
/// whether a path is free: that is proved before it is given out. The published experiment, which proves
/// nothing, has steps of 0.2 rad, at which most straightened paths pass through things.
pub const DEFAULT_STEP: f64 = 0.03;

//! The report: what a reproduction found, as figures and a page.

mod data;

pub use data::{
    Claim, Family, Film, Frame, FrameKind, Point, RegretGrowth, Report, Series, Verdict,
};

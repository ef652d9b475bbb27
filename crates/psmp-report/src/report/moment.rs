//! A film stopped: what was known, believed and found at a moment of a run.

use super::data::{Film, FrameKind};
use crate::drawing::EdgeMark;
use psmp::VertexId;

/// Where a run stood.
pub(super) struct Moment<'a> {
    /// What was known of each edge.
    pub(super) edges: Vec<EdgeMark>,
    /// The best path.
    pub(super) best: Option<&'a [VertexId]>,
    /// Its length.
    pub(super) best_length: Option<f64>,
    /// How the run had ended, if it had.
    pub(super) ended: Option<&'static str>,
}

impl<'a> Moment<'a> {
    /// Where a run stood when it had spent so much.
    pub(super) fn at(film: &'a Film, configurations: u64) -> Self {
        // An edge of which nothing was said is as likely free as not.
        let unknown = EdgeMark::Unknown { p_free: 0.5 };
        let mut moment = Self {
            edges: vec![unknown; film.roadmap.edge_count()],
            best: None,
            best_length: None,
            ended: None,
        };
        let frames = film.frames.iter();
        for frame in frames.take_while(|f| f.configurations <= configurations) {
            for &(edge, p_free) in &frame.belief {
                if let Some(mark @ EdgeMark::Unknown { .. }) = moment.edges.get_mut(edge.index()) {
                    *mark = EdgeMark::Unknown {
                        p_free: f64::from(p_free) / 255.0,
                    };
                }
            }
            match &frame.kind {
                FrameKind::Checked { edge, free } => {
                    if let Some(mark) = moment.edges.get_mut(edge.index()) {
                        *mark = if *free {
                            EdgeMark::Free
                        } else {
                            EdgeMark::Blocked
                        };
                    }
                }
                FrameKind::Improved { path } => moment.best = Some(path),
                FrameKind::Ended(how) => moment.ended = Some(how),
                FrameKind::Proposed { .. } | FrameKind::NoImprovement => {}
            }
            moment.best_length = frame.best_length.filter(|l| l.is_finite());
        }
        moment
    }
}

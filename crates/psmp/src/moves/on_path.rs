//! Moves on a path: shortcuts between two of its places, and ways round through a new configuration.
//!
//! A *shortcut* is the straight motion between two places on the path. Drawn anywhere it takes out
//! detours; drawn around a corner, nearer and nearer to it, it rounds the corner off. A *rewiring* leads
//! between two places beside the path, so that it slides along what it bends around, as no shortcut can:
//! either through the corner, moved towards the straight way and a little aside; or, as Geraerts and Overmars
//! have it (2007), straight in some of the axes and as before in the others.
//!
//! Several are drawn, and the one with the greatest [rate](Prospect::rate) is proposed. Whoever has other
//! moves to choose from holds its rate against theirs.

use super::{Chances, Prospect};
use crate::checker::{MotionChecker, World};
use crate::event::Move;
use crate::moves::chances::Fears;
use crate::space::Space;
use crate::waypoints::Waypoints;
use rand::RngExt;
use rand_pcg::Pcg64;

/// The kinds of moves that are drawn by turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A shortcut between any two places.
    Anywhere,
    /// A shortcut around a corner.
    AroundCorner,
    /// Through the corner, moved.
    Moved,
    /// Straight in some axes.
    StraightInSome,
}
const KINDS: [Kind; 4] = [
    Kind::Anywhere,
    Kind::AroundCorner,
    Kind::Moved,
    Kind::StraightInSome,
];
/// How many moves are drawn for each that is tried.
const DRAWS: usize = 3 * KINDS.len();
/// A way that is straight in some axes has no more corners than this.
const MOST_CORNERS: usize = 64;
/// A move that saves less than this share of the path is not worth its checks. Without a least gain
/// corners could be rounded for ever.
const LEAST_GAIN: f64 = 1e-4;
/// How many halvings nearer to a corner places are drawn at most.
const HALVINGS: f64 = 5.0;
/// What refuting costs before anything is known: an obstacle is met after so many configurations.
const REFUTING: f64 = 10.0;

/// What an attempt has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    Shorter,
    Blocked,
    /// The limit was met; the same move can be tried again.
    BrokenOff,
}

/// A way between two places on the path.
#[derive(Debug, Clone)]
struct Candidate {
    what: Move,
    /// The configurations that it leads through, both places included.
    way: Vec<f64>,
    /// The motions of the path that the places lie in, each by its end.
    motions: [usize; 2],
    fears: Fears,
    rate: f64,
}

impl Candidate {
    fn none() -> Self {
        Self {
            what: Move::Shortcut,
            way: Vec::new(),
            motions: [0; 2],
            fears: Fears::default(),
            rate: 0.0,
        }
    }
}

/// A free path that is being made shorter.
#[derive(Debug)]
pub(crate) struct OnPath {
    path: Waypoints,
    /// The length of the path up to each of its configurations.
    lengths: Vec<f64>,
    /// What refuting has cost so far, and how often.
    refuting: [f64; 2],
    /// The move that is proposed.
    best: Candidate,
    drawn: Candidate,
    /// How many of its motions have been found free, and how many of those proved so: where an attempt was
    /// broken off it goes on there.
    found_free: usize,
    proved: usize,
    /// How many attempts in a row have been in vain.
    pub in_vain: u32,
    corner: Vec<f64>,
}

impl OnPath {
    pub fn new(space: &Space, path: Waypoints) -> Self {
        let mut on_path = Self {
            lengths: Vec::new(),
            refuting: [REFUTING, 1.0],
            best: Candidate::none(),
            drawn: Candidate::none(),
            found_free: 0,
            proved: 0,
            in_vain: 0,
            corner: vec![0.0; space.dimension()],
            path,
        };
        on_path.measure(space);
        on_path
    }

    pub fn path(&self) -> &Waypoints {
        &self.path
    }

    /// Goes on with another path.
    pub fn take(&mut self, space: &Space, path: Waypoints) {
        self.path = path;
        self.in_vain = 0;
        self.measure(space);
    }

    fn measure(&mut self, space: &Space) {
        self.lengths.clear();
        self.lengths.push(0.0);
        let mut sum = 0.0;
        for place in 1..self.path.count() {
            sum += space.distance(self.path.at(place - 1), self.path.at(place));
            self.lengths.push(sum);
        }
        self.best.rate = 0.0;
    }

    /// What kind of move is proposed.
    pub fn proposed(&self) -> Move {
        self.best.what
    }

    /// The way that was tried last, configuration by configuration.
    pub fn tried(&self) -> Option<&[f64]> {
        Some(&self.best.way[..]).filter(|way| !way.is_empty())
    }

    /// Draws moves and proposes the best of them, unless one is proposed already; its rate, which is 0
    /// if there is none.
    pub fn propose<W: World>(
        &mut self,
        checker: &MotionChecker<W>,
        chances: &mut Chances,
        random: &mut Pcg64,
    ) -> f64 {
        if self.path.count() < 3 {
            return 0.0;
        }
        if self.best.rate > 0.0 {
            return self.best.rate;
        }
        self.found_free = 0;
        self.proved = 0;
        for draw in 0..DRAWS {
            self.draw(KINDS[draw % KINDS.len()], checker, random);
            self.weigh(checker, chances);
            if self.drawn.rate > self.best.rate {
                std::mem::swap(&mut self.drawn, &mut self.best);
            }
        }
        self.best.rate
    }

    /// The motion that a place on the way lies in, by its end.
    fn motion_at(&self, way: f64) -> usize {
        let next = self.lengths.partition_point(|&length| length <= way);
        next.clamp(1, self.lengths.len() - 1)
    }

    fn draw<W: World>(&mut self, kind: Kind, checker: &MotionChecker<W>, random: &mut Pcg64) {
        let whole = self.lengths[self.lengths.len() - 1];
        let mut unit = || random.random::<f64>();
        let places = if kind != Kind::Anywhere {
            let corners = self.lengths.len() - 2;
            let corner = 1 + ((unit() * corners as f64) as usize).min(corners - 1);
            let at = self.lengths[corner];
            let reach = f64::min(at, whole - at) * (-HALVINGS * unit()).exp2();
            [
                at - reach * (0.5 + 0.5 * unit()),
                at + reach * (0.5 + 0.5 * unit()),
            ]
        } else {
            let [a, b] = [unit() * whole, unit() * whole];
            [a.min(b), a.max(b)]
        };
        let drawn = &mut self.drawn;
        drawn.what = match kind {
            Kind::Anywhere | Kind::AroundCorner => Move::Shortcut,
            Kind::Moved | Kind::StraightInSome => Move::Rewiring,
        };
        drawn.rate = 0.0;
        drawn.way.clear();
        let dimension = self.corner.len();
        drawn.way.resize(2 * dimension, 0.0);
        for (which, way) in places.into_iter().enumerate() {
            let motion = self.motion_at(way);
            let (from, to) = (self.path.at(motion - 1), self.path.at(motion));
            let length = self.lengths[motion] - self.lengths[motion - 1];
            let share = if length > 0.0 {
                // A configuration that was checked: then what is left of the motion has been.
                let steps = checker.motion(from, to).steps().max(1) as f64;
                let step = (way - self.lengths[motion - 1]) / length * steps;
                (step.round() / steps).clamp(0.0, 1.0)
            } else {
                0.0
            };
            self.drawn.motions[which] = motion;
            let q = &mut self.drawn.way[which * dimension..(which + 1) * dimension];
            checker.space().interpolate(from, to, share, q);
        }
        match kind {
            Kind::Anywhere | Kind::AroundCorner => {}
            Kind::Moved => self.move_corner(places, checker.space(), random),
            Kind::StraightInSome => self.straighten_some(places, checker.space(), random),
        }
    }

    /// Leads the drawn way straight from its one place to the other in some axes, drawn at random, and as
    /// the path does in the others.
    fn straighten_some(&mut self, places: [f64; 2], space: &Space, random: &mut Pcg64) {
        let dimension = self.corner.len();
        let [first, last] = self.drawn.motions;
        if last - first > MOST_CORNERS {
            return;
        }
        // One axis, or any of them.
        let only = random.random_range(0..dimension);
        let is_one = random.random::<bool>();
        let chosen: u64 = match is_one {
            true => 1 << only.min(63),
            false => random.random(),
        };
        let end = self.drawn.way.split_off(dimension);
        for corner in first..last {
            let whole = (places[1] - places[0]).max(f64::MIN_POSITIVE);
            let share = ((self.lengths[corner] - places[0]) / whole).clamp(0.0, 1.0);
            let start = &self.drawn.way[..dimension];
            space.interpolate(start, &end, share, &mut self.corner);
            for (axis, x) in self.corner.iter_mut().enumerate() {
                if chosen & (1 << axis.min(63)) == 0 {
                    *x = self.path.at(corner)[axis];
                }
            }
            self.drawn.way.extend_from_slice(&self.corner);
        }
        self.drawn.way.extend_from_slice(&end);
    }

    /// Leads the drawn way through the middle of the path between its places, moved towards the straight
    /// way and a little aside.
    fn move_corner(&mut self, places: [f64; 2], space: &Space, random: &mut Pcg64) {
        let dimension = self.corner.len();
        let way = 0.5 * (places[0] + places[1]);
        let motion = self.motion_at(way);
        let length = self.lengths[motion] - self.lengths[motion - 1];
        let share = (way - self.lengths[motion - 1]) / length.max(f64::MIN_POSITIVE);
        let (from, to) = (self.path.at(motion - 1), self.path.at(motion));
        space.interpolate(from, to, share.clamp(0.0, 1.0), &mut self.corner);
        let mut via = vec![0.0; dimension];
        let (a, b) = self.drawn.way.split_at(dimension);
        space.interpolate(a, b, 0.5, &mut via);
        let height = space.distance(&self.corner, &via);
        let middle = via.clone();
        space.interpolate(&self.corner, &middle, random.random::<f64>(), &mut via);
        let aside = 0.5 * height / (dimension as f64).sqrt();
        for (x, axis) in via.iter_mut().zip(space.axes()) {
            let gauss: f64 = (0..3).map(|_| 2.0 * random.random::<f64>() - 1.0).sum();
            *x += aside * gauss / axis.weight();
            if !axis.wraps() {
                *x = x.clamp(axis.lower(), axis.upper());
            }
        }
        space.make_canonical(&mut via);
        self.drawn.way.splice(dimension..dimension, via);
    }

    /// Finds out what is to be expected of the drawn move.
    fn weigh<W: World>(&mut self, checker: &MotionChecker<W>, chances: &mut Chances) {
        let space = checker.space();
        let dimension = self.corner.len();
        let Candidate { way, motions, .. } = &self.drawn;
        let count = way.len() / dimension;
        let at = |place: usize| &way[place * dimension..(place + 1) * dimension];
        let [from, to] = [0, 1].map(|which| {
            let motion = motions[which] - 1;
            let q = at(which * (count - 1));
            self.lengths[motion] + space.distance(self.path.at(motion), q)
        });
        let (mut length, mut price) = (0.0, 0.0);
        for place in 1..count {
            length += space.distance(at(place - 1), at(place));
            price += checker.motion(at(place - 1), at(place)).steps() as f64;
        }
        let whole = self.lengths[self.lengths.len() - 1];
        let improvement = to - from - length;
        if motions[0] == motions[1] || improvement < LEAST_GAIN * whole {
            return;
        }
        let (path, lengths) = (&self.path, &self.lengths);
        let mut fears = chances.of_unknown(way, |share, q| {
            let along = from + share * (to - from);
            let next = lengths.partition_point(|&length| length <= along);
            let next = next.clamp(1, lengths.len() - 1);
            let own = (lengths[next] - lengths[next - 1]).max(f64::MIN_POSITIVE);
            let share = ((along - lengths[next - 1]) / own).clamp(0.0, 1.0);
            space.interpolate(path.at(next - 1), path.at(next), share, q);
        });
        let [spent, times] = self.refuting;
        let rate = |fears: &Fears, chances: &Chances| {
            let prospect = Prospect {
                probability: chances.of(fears),
                improvement,
                price,
                refuting: (spent / times).min(price),
            };
            prospect.rate()
        };
        // What is known to be in collision is only looked at where it can matter.
        if rate(&fears, chances) <= self.best.rate {
            return;
        }
        chances.add_known(way, &mut fears);
        self.drawn.rate = rate(&fears, chances);
        self.drawn.fears = fears;
    }

    /// Tries the move that is proposed.
    pub fn attempt<W: World>(
        &mut self,
        checker: &mut MotionChecker<W>,
        chances: &mut Chances,
    ) -> Result<Attempt, W::Error> {
        let dimension = self.corner.len();
        let before = checker.configurations();
        let way = &self.best.way;
        let count = way.len() / dimension;
        let at = |place: usize| &way[place * dimension..(place + 1) * dimension];
        let mut is_free = true;
        // The ends of the way lie on the path; what is between them is asked about as an end.
        while is_free && self.found_free + 1 < count {
            let (from, to) = (at(self.found_free), at(self.found_free + 1));
            let motion = if self.found_free + 2 == count {
                checker.is_free_between(from, to)?
            } else {
                checker.is_motion_free(from, to)?
            };
            match motion {
                None => return Ok(Attempt::BrokenOff),
                Some(true) => self.found_free += 1,
                Some(false) => {
                    chances.remember_blocked(checker.collision());
                    is_free = false;
                }
            }
            if !is_free || self.found_free + 1 == count {
                chances.learn(&self.best.fears, is_free);
            }
        }
        while is_free && self.proved + 1 < count {
            match checker.prove(at(self.proved), at(self.proved + 1))? {
                None => return Ok(Attempt::BrokenOff),
                Some(true) => self.proved += 1,
                Some(false) => is_free = false,
            }
        }
        self.best.rate = 0.0;
        if !is_free {
            self.refuting[0] += (checker.configurations() - before) as f64;
            self.refuting[1] += 1.0;
            self.in_vain += 1;
            return Ok(Attempt::Blocked);
        }
        let [first, last] = self.best.motions;
        let mut coordinates = Vec::with_capacity(self.path.coordinates().len() + way.len());
        self.path
            .iter()
            .take(first)
            .for_each(|q| coordinates.extend(q));
        coordinates.extend_from_slice(way);
        self.path
            .iter()
            .skip(last)
            .for_each(|q| coordinates.extend(q));
        self.path = Waypoints::new(checker.space(), coordinates);
        self.measure(checker.space());
        self.in_vain = 0;
        Ok(Attempt::Shorter)
    }
}

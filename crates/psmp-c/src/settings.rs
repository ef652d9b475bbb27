//! Making planners and setting them up. Settings hold from the next query on, which then begins anew.

use crate::Handle;
use crate::arguments::{array, text, write};
use crate::planner::Planner;
use crate::planners::{self, with};
use crate::status::{Failure, Outcome, Status, guarded};
use crate::world::{Check, CheckMany, CheckedByCaller};
use psmp::by_name::PlannerName;
use psmp::{Connection, Direction, Prices, Pricing, Resolution, Roadmap, Space};
use psmp_files::{BeliefFile, Fingerprint};
use std::ffi::{c_char, c_void};
use std::path::Path;

/// More vertices or edges than this are taken for a mistake: they would take gigabytes.
const MOST: usize = 100_000_000;

/// One coordinate of a configuration.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    /// The least value.
    pub lower: f64,
    /// The greatest value.
    pub upper: f64,
    /// What its part in every distance is multiplied by; 1 if nothing else is meant.
    pub weight: f64,
    /// Whether its two ends are one place, as those of an angle from -pi to pi are.
    pub wraps: bool,
}

/// # Safety
/// As for [`psmp_planner_new`].
unsafe fn make(
    axes: *const Axis,
    count: usize,
    world: Result<CheckedByCaller, Failure>,
    planner: *mut Handle,
) -> Outcome {
    // SAFETY: the caller promises it.
    let axes = unsafe { array("axes", axes, count) }?;
    let axes = axes.iter().map(|axis| {
        let made = psmp::Axis::new(axis.lower, axis.upper)?.weighted(axis.weight)?;
        Ok(if axis.wraps { made.wrapping() } else { made })
    });
    let axes: Result<_, psmp::SpaceError> = axes.collect();
    let made = Planner::new(axes.map_err(Failure::invalid)?, world?)?;
    // Seen to be writable before anything is held.
    // SAFETY: the caller promises it.
    unsafe { write("planner", planner, 0) }?;
    // SAFETY: likewise.
    unsafe { write("planner", planner, planners::hold(made)) }
}

/// Makes a planner in the space of these axes, whose configurations `check` can check, and writes its handle to `planner`.
/// psmp_planner_free() lets go of it.
///
/// # Safety
/// There are `count` axes at `axes`; `check` may be called with `user_data` until the planner is freed and no call is at
/// work with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_new(
    axes: *const Axis,
    count: usize,
    check: Check,
    user_data: *mut c_void,
    planner: *mut Handle,
) -> Status {
    // SAFETY: the caller promises it.
    guarded(|| unsafe { make(axes, count, CheckedByCaller::one(check, user_data), planner) })
}

/// The same for a function that checks many configurations at once, of which `at_once` take about as long as one.
///
/// # Safety
/// As for psmp_planner_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_new_many(
    axes: *const Axis,
    count: usize,
    check: CheckMany,
    at_once: usize,
    user_data: *mut c_void,
    planner: *mut Handle,
) -> Status {
    let world = || CheckedByCaller::many(check, at_once, user_data);
    // SAFETY: the caller promises it.
    guarded(|| unsafe { make(axes, count, world(), planner) })
}

/// Lets go of a planner. If a call is at work with it, it goes when that returns.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_free(planner: Handle) -> Status {
    guarded(|| planners::free(planner))
}

/// Chooses how to plan, by name: `ei:ensemble` unless told; `lazysp`, `psmp:fs`, `rrtconnect` and so on.
///
/// # Safety
/// `name` ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_set_name(planner: Handle, name: *const c_char) -> Status {
    with(planner, |planner| {
        // SAFETY: the caller promises it.
        let name = unsafe { text("name", name) }?;
        let name: PlannerName = name.parse().map_err(Failure::invalid)?;
        planner.set(|settings| settings.planner = name);
        Ok(())
    })
}

/// Sets the seed: the same seed and the same answers give the same run. Without one, what checks and thinking take is
/// measured on the way, and a run need not be the same again.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_set_seed(planner: Handle, seed: u64) -> Status {
    with(planner, |planner| {
        planner.set_seed(seed);
        Ok(())
    })
}

/// Asks about motions in steps of at most this distance; a thousandth of the longest side unless told.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_set_resolution(planner: Handle, distance: f64) -> Status {
    set_resolution(planner, distance, Resolution::distance)
}

/// Asks about motions in steps in which no axis moves farther than this, whatever its weight.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_set_axis_resolution(planner: Handle, step: f64) -> Status {
    set_resolution(planner, step, Resolution::largest_axis)
}

fn set_resolution(
    planner: Handle,
    step: f64,
    of: fn(f64) -> Result<Resolution, psmp::ResolutionError>,
) -> Status {
    with(planner, |planner| {
        let resolution = of(step).map_err(Failure::invalid)?;
        planner.set(|settings| settings.resolution = Some(resolution));
        Ok(())
    })
}

/// Says what the check of a configuration takes, in seconds: where that is much, it is thought about first.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_set_price(planner: Handle, seconds: f64) -> Status {
    with(planner, |planner| {
        let prices = Prices::of_configuration(seconds).ok_or_else(|| {
            Failure::invalid(format!(
                "a price of {seconds} cannot be used: give seconds, at least 1e-12 and at most 3600"
            ))
        })?;
        planner.set(|settings| settings.pricing = Pricing::Given(vec![prices]));
        Ok(())
    })
}

/// Finds out on the way what checks and thinking take, as it is by default, where a seed is set too.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_measure_price(planner: Handle) -> Status {
    with(planner, |planner| {
        planner.set(|settings| settings.pricing = Pricing::Measured);
        Ok(())
    })
}

/// Whether a run ends by itself where for long nothing has made its path shorter, or none was found; true unless told. If
/// not, it goes on until it is stopped.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_set_settles(planner: Handle, settles: bool) -> Status {
    with(planner, |planner| {
        planner.set(|settings| settings.settles = settles);
        Ok(())
    })
}

/// Whether the roadmap stays as it is, but for start and goals; false unless told.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_set_fixed_roadmap(planner: Handle, is_fixed: bool) -> Status {
    with(planner, |planner| {
        planner.set(|settings| {
            settings.fixed_roadmap = is_fixed;
            settings.straighten = is_fixed;
        });
        Ok(())
    })
}

/// Plans on a roadmap of evenly spread configurations, each joined to its nearest. Unless told, one is made to fit.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_make_roadmap(
    planner: Handle,
    vertices: usize,
    neighbours: usize,
) -> Status {
    with(planner, |planner| {
        let space = planner.space();
        let values = vertices.checked_mul(space.dimension().max(neighbours));
        if !(1..=MOST).contains(&vertices) || values.is_none_or(|values| values > MOST) {
            return Err(Failure::invalid(format!(
                "a roadmap of {vertices} vertices with {neighbours} neighbours each cannot be made: there must be \
                 one at least, and no more than {MOST} coordinates or edges"
            )));
        }
        let points = psmp::roadmap::halton(space, vertices);
        let connection = Connection::Nearest(neighbours);
        let roadmap = Roadmap::from_configurations(space.clone(), points, connection);
        use_roadmap(planner, roadmap.map_err(Failure::invalid)?);
        Ok(())
    })
}

/// Plans on this roadmap: `vertices` configurations one after the other, and `edges` pairs of numbers of vertices.
/// `lengths` are those of the edges; if it is NULL they are the distances.
///
/// # Safety
/// The arrays are as long as that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_set_roadmap(
    planner: Handle,
    configurations: *const f64,
    vertices: usize,
    ends: *const u32,
    lengths: *const f64,
    edges: usize,
) -> Status {
    with(planner, |planner| {
        let space = planner.space();
        let dimension = space.dimension();
        let values = vertices.checked_mul(dimension);
        let sizes = values.zip(edges.checked_mul(2));
        let (values, twice) = sizes.ok_or_else(|| Failure::invalid("so many there cannot be"))?;
        // SAFETY: the caller promises it.
        let configurations = unsafe { array("configurations", configurations, values) }?;
        // SAFETY: likewise.
        let ends = unsafe { array("ends", ends, twice) }?;
        let lengths = match lengths.is_null() {
            true => None,
            // SAFETY: likewise.
            false => Some(unsafe { array("lengths", lengths, edges) }?),
        };
        let made = roadmap(space, configurations, ends, lengths)?;
        use_roadmap(planner, made);
        Ok(())
    })
}

fn roadmap(
    space: &Space,
    configurations: &[f64],
    ends: &[u32],
    lengths: Option<&[f64]>,
) -> Result<Roadmap, Failure> {
    let dimension = space.dimension();
    let vertices = configurations.len() / dimension;
    let at = |vertex: u32| {
        let place = vertex as usize * dimension;
        configurations.get(place..place + dimension)
    };
    let edges = ends.chunks_exact(2).enumerate().map(|(place, pair)| {
        let length = match (lengths, at(pair[0]), at(pair[1])) {
            (Some(lengths), ..) => lengths[place],
            (None, Some(from), Some(to)) => space.distance(from, to),
            // That there is no such vertex is said below.
            _ => 0.0,
        };
        psmp::Edge::new(pair[0], pair[1], length)
    });
    Roadmap::from_edges(vertices, Direction::Undirected, edges.collect())
        .and_then(|graph| graph.with_configurations(space.clone(), configurations.to_vec()))
        .map_err(Failure::invalid)
}

/// What is known of another roadmap, and learned on it, does not fit.
fn use_roadmap(planner: &mut Planner, roadmap: Roadmap) {
    planner.set(|settings| {
        settings.roadmap = Some(roadmap);
        settings.experience = None;
        settings.known = Default::default();
    });
}

/// Plans with what was learned from known worlds: a file of `psmp learn` or of Python's `psmp.learn`, on the roadmap that
/// was given before, or on that of the file if it has one.
///
/// # Safety
/// `file` ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_set_belief(planner: Handle, file: *const c_char) -> Status {
    with(planner, |planner| {
        // SAFETY: the caller promises it.
        let path = Path::new(unsafe { text("file", file) }?);
        let belief = BeliefFile::open(path)?;
        let own = belief.maps.as_ref().map(|maps| &maps.roadmap);
        let roadmap = planner.settings().roadmap.as_ref().or(own).cloned();
        let roadmap = roadmap.ok_or_else(|| {
            Failure::invalid(
                "the belief has no roadmap of its own: give the one that it was learned on before it",
            )
        })?;
        belief.check_roadmap(path, Fingerprint::of(&roadmap))?;
        if roadmap.space() != Some(planner.space()) {
            return Err(Failure::invalid(
                "the belief is about a roadmap in another space than the planner's",
            ));
        }
        planner.set(|settings| {
            settings.experience = Some(belief.experience(&roadmap, &settings.models));
            settings.roadmap = Some(roadmap);
        });
        Ok(())
    })
}

/// Begins with what is kept in a file, if it is there: the roadmap as it has grown, and what is known of its edges if the
/// world has this name. psmp_planner_save() keeps what was found out in it. Give the resolution first.
///
/// # Safety
/// Both texts end with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_keep(
    planner: Handle,
    file: *const c_char,
    world: *const c_char,
) -> Status {
    with(planner, |planner| {
        // SAFETY: the caller promises it.
        let (file, world) = unsafe { (text("file", file)?, text("world", world)?) };
        planner.keep(Path::new(file), world)
    })
}

/// Keeps the roadmap, and what is known of it, in the file that psmp_planner_keep() named.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_save(planner: Handle) -> Status {
    with(planner, Planner::save)
}

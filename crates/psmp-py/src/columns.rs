//! Rows of a sweep as columns, which Python makes an Arrow table of.

use psmp_lab::Row;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// A column's name, Arrow's name for its type, whether values may be missing, and the values.
pub type Column<'py> = (&'static str, &'static str, bool, Bound<'py, PyList>);

/// What a value of a column is.
trait Cell {
    const TYPE: &'static str;
    const MAY_BE_MISSING: bool = false;
}

impl Cell for String {
    const TYPE: &'static str = "string";
}

impl Cell for u32 {
    const TYPE: &'static str = "uint32";
}

impl Cell for u64 {
    const TYPE: &'static str = "uint64";
}

impl Cell for f64 {
    const TYPE: &'static str = "float64";
}

impl<T: Cell> Cell for Option<T> {
    const TYPE: &'static str = T::TYPE;
    const MAY_BE_MISSING: bool = true;
}

fn column<'py, T: Cell + IntoPyObject<'py>>(
    py: Python<'py>,
    name: &'static str,
    values: Vec<T>,
) -> PyResult<Column<'py>> {
    let values = PyList::new(py, values)?;
    Ok((name, T::TYPE, T::MAY_BE_MISSING, values))
}

macro_rules! columns {
    ($py:expr, $rows:expr, $($name:ident),*) => {{
        // One that is forgotten does not compile.
        #[expect(unused_variables, reason = "only the names matter")]
        let complete = |Row { $($name),* }: Row| ();
        vec![$({
            let values = $rows.iter().map(|row| row.$name.clone()).collect();
            column($py, stringify!($name), values)?
        }),*]
    }};
}

/// The columns of rows, in their order.
#[rustfmt::skip]
pub fn columns<'py>(py: Python<'py>, rows: &[Row]) -> PyResult<Vec<Column<'py>>> {
    Ok(columns!(
        py, rows,
        dataset, planner, experience, world, seed, unit, shortest_on_roadmap, limit,
        cost_to_first, first_length, cost_to_shortest, cost_total, edges, proposals,
        best_length, lower_bound_on_roadmap, straight_line, ending, regret, curve, events,
        folder, robot, srdf, made_worlds, made_test, made_seed, resolution, eta, fallback, budget, price,
        version, curve_seconds, seconds
    ))
}

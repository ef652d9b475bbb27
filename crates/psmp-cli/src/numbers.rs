//! Numbers as a user gives them, refused while the command line is read if they make no sense.

fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|x: &f64| x.is_finite())
}

/// A finite number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    finite(text)
        .filter(|x| *x > 0.0)
        .ok_or_else(|| "expected a number above 0".to_owned())
}

/// A finite number that is not negative.
pub fn not_negative(text: &str) -> Result<f64, String> {
    finite(text)
        .filter(|x| *x >= 0.0)
        .ok_or_else(|| "expected a number that is not negative".to_owned())
}

/// A share: a number above 0 and at most 1.
pub fn share(text: &str) -> Result<f64, String> {
    finite(text)
        .filter(|x| *x > 0.0 && *x <= 1.0)
        .ok_or_else(|| "expected a number above 0 and at most 1".to_owned())
}

/// So many finite numbers, separated by commas.
pub fn several<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(finite).collect();
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| format!("expected {N} finite numbers separated by commas"))
}

/// A rectangle in the plane: left, right, bottom and top.
pub fn bounds(text: &str) -> Result<[f64; 4], String> {
    let [x0, x1, y0, y1] = several(text)?;
    if x0 < x1 && y0 < y1 {
        Ok([x0, x1, y0, y1])
    } else {
        Err("expected left below right and bottom below top, as in 0,1,0,1".to_owned())
    }
}

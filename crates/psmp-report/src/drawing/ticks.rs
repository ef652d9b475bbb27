//! Round numbers along an axis.

/// Round values within `[low, high]`, about `count` of them, and their labels.
pub(crate) fn ticks(low: f64, high: f64, count: f64) -> Vec<(f64, String)> {
    let rough = (high - low) / count;
    if !(rough > 0.0 && rough.is_finite()) {
        return Vec::new();
    }
    let magnitude = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * magnitude)
        .find(|&step| step >= rough)
        .unwrap_or(10.0 * magnitude);
    // Counted, not added up, so that the values stay round; the bounds themselves count despite rounding.
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    let decimals = decimals(step);
    (0..=(last - first).clamp(0.0, 50.0) as u32)
        .map(|i| (first + f64::from(i)) * step)
        .map(|value| (value, number(value, decimals)))
        .collect()
}

/// How many decimals tell multiples of `step` apart.
fn decimals(step: f64) -> usize {
    (0..9)
        .find(|&decimals| {
            let scaled = step * 10f64.powi(decimals as i32);
            (scaled - scaled.round()).abs() < 1e-6 * scaled.abs() && scaled.round() >= 1.0
        })
        .unwrap_or(9)
}

/// A number with its thousands set apart.
pub(crate) fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    if value < 0.0 && text.chars().any(|c| c.is_ascii_digit() && c != '0') {
        out.push('\u{2212}');
    }
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

/// A length with four significant digits.
pub(crate) fn length(value: f64) -> String {
    let before = if value >= 1.0 {
        value.log10().floor() as usize + 1
    } else {
        1
    };
    number(value, 4usize.saturating_sub(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        ticks(low, high, 5.0)
            .into_iter()
            .map(|(_, label)| label)
            .collect()
    }

    #[test]
    fn ticks_are_round_and_told_apart() {
        assert_eq!(labels(0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(1.18, 1.31), ["1.20", "1.25", "1.30"]);
        assert_eq!(
            labels(1.19, 1.31),
            ["1.200", "1.225", "1.250", "1.275", "1.300"]
        );
        assert_eq!(
            labels(0.0, 12_345.0),
            ["0", "2,500", "5,000", "7,500", "10,000"]
        );
        assert_eq!(labels(-2.0, 2.0), ["−2", "−1", "0", "1", "2"]);
        assert!(labels(1.0, 1.0).is_empty() && labels(0.0, f64::NAN).is_empty());
    }

    #[test]
    fn numbers_have_thousands_and_lengths_four_digits() {
        assert_eq!(number(1_234_567.0, 0), "1,234,567");
        assert_eq!(length(1.23456), "1.235");
        assert_eq!(length(123.456), "123.5");
        assert_eq!(length(0.5), "0.500");
        assert_eq!(length(123_456.0), "123,456");
    }
}

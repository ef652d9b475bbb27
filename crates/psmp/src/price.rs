//! Prices: what a check and a thought cost in time, the one currency in which they can be weighed.
//!
//! A run takes `configurations x price + thinking`. Thinking is counted in *thoughts*, edges that a search
//! looks at, because their number is the same on every machine. What a configuration and a thought take is
//! not. Unless told, a session takes what is [usual](Pricing::Usual) for its kind of world, and is the same on every
//! machine. It can be [given](Pricing::Given) prices, or [measure](Pricing::Measured) both as it goes; then it says so at
//! moments that follow from the run alone, [`EventKind::Priced`](crate::EventKind::Priced). All that is decided by
//! prices is decided by those that were said last. So a session that is given the prices which another one has said
//! goes the very same way.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// What a thought takes until it has been measured, in picoseconds.
const USUAL_THOUGHT: u64 = 30_000;
/// How many of the last measurements the price is the median of.
const REMEMBERED: usize = 31;
/// Fewer thoughts than this in one go are too few to be timed.
const ENOUGH_THOUGHTS: u64 = 1_000;
/// So many steps are timed at first, and then one in so many.
const ALL_OF: u64 = 64;
const ONE_IN: u64 = 16;
/// Prices are said again when so many configurations have been checked, and each time their number has doubled.
const FIRST_TIME: u64 = 64;

/// What things cost. It reads as `100us/30ns`, a configuration and a thought, and is read again as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// In picoseconds, so that what is written is what was meant.
    configuration: u64,
    thought: u64,
}

/// Where the prices of a session come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Pricing {
    /// What is usual for a world that is [quick](crate::checker::World::is_quick) or not. Planners on a roadmap
    /// think as long as they like.
    #[default]
    Usual,
    /// They are measured on the way. The same seed is the same run only where the same is measured.
    Measured,
    /// These, one after the other as they are said on the way; the last ones stay. None are as usual.
    Given(Vec<Prices>),
}

/// Why something is no price.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is no price: say what a configuration takes, such as `100us`, and if you like what an edge takes \
     that a search looks at, such as `100us/30ns`; units are ns, us, ms and s"
)]
pub struct PriceError(String);

impl Prices {
    /// What is assumed before anything has been measured: a configuration takes as long as a thousand thoughts.
    pub(crate) const USUAL: Self = Self {
        configuration: 1_000 * USUAL_THOUGHT,
        thought: USUAL_THOUGHT,
    };
    /// In a quick world it takes as long as a hundred.
    pub(crate) const QUICK: Self = Self {
        configuration: 100 * USUAL_THOUGHT,
        thought: USUAL_THOUGHT,
    };
    /// Who has experience of other worlds has dear checks: thinking costs nothing beside them.
    pub(crate) const DEAR: Self = Self {
        configuration: 1_000_000 * USUAL_THOUGHT,
        thought: USUAL_THOUGHT,
    };

    /// So many seconds for a configuration, and for a thought what it usually takes. None if that is less than a
    /// picosecond, or more than an hour.
    #[must_use]
    pub fn of_configuration(seconds: f64) -> Option<Self> {
        Self::new(seconds, USUAL_THOUGHT as f64 * PICO)
    }

    /// So many seconds for a configuration and for a thought. None if one is less than a picosecond, or more
    /// than an hour.
    #[must_use]
    pub fn new(configuration: f64, thought: f64) -> Option<Self> {
        let [configuration, thought] = [configuration, thought].map(|seconds| {
            let picoseconds = (seconds / PICO).round();
            (1.0..=MOST)
                .contains(&picoseconds)
                .then_some(picoseconds as u64)
        });
        Some(Self {
            configuration: configuration?,
            thought: thought?,
        })
    }

    /// What a configuration takes, in seconds.
    #[must_use]
    pub fn configuration(&self) -> f64 {
        self.configuration as f64 * PICO
    }

    /// What a thought takes, in seconds.
    #[must_use]
    pub fn thought(&self) -> f64 {
        self.thought as f64 * PICO
    }

    /// What so many configurations and thoughts take, in picoseconds.
    pub(crate) fn cost(&self, configurations: u64, thoughts: u64) -> u128 {
        let configurations = u128::from(configurations) * u128::from(self.configuration);
        configurations + u128::from(thoughts) * u128::from(self.thought)
    }

    /// How many thoughts take as long as a configuration.
    #[must_use]
    pub fn thoughts(&self) -> f64 {
        self.configuration as f64 / self.thought as f64
    }
}

const PICO: f64 = 1e-12;
/// An hour, in picoseconds.
const MOST: f64 = 3.6e15;
/// Units, the smallest first, and how many picoseconds each has.
const UNITS: [(&str, f64); 4] = [("ns", 1e3), ("us", 1e6), ("ms", 1e9), ("s", 1e12)];

fn show(picoseconds: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let picoseconds = picoseconds as f64;
    let fits = UNITS.iter().rev().find(|(_, unit)| picoseconds >= *unit);
    let (name, unit) = fits.unwrap_or(&UNITS[0]);
    write!(f, "{}{name}", picoseconds / unit)
}

/// Seconds.
fn read(text: &str) -> Option<f64> {
    let text = text.trim();
    UNITS.iter().find_map(|(name, unit)| {
        let number = text.strip_suffix(name)?;
        let number: f64 = number.trim_end().parse().ok()?;
        Some(number * unit * PICO)
    })
}

impl fmt::Display for Prices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self.configuration, f)?;
        f.write_str("/")?;
        show(self.thought, f)
    }
}

impl FromStr for Prices {
    type Err = PriceError;
    fn from_str(text: &str) -> Result<Self, PriceError> {
        let (configuration, thought) = match text.split_once('/') {
            Some((configuration, thought)) => (read(configuration), read(thought)),
            None => (read(text), Some(USUAL_THOUGHT as f64 * PICO)),
        };
        let prices = configuration.zip(thought);
        prices
            .and_then(|(configuration, thought)| Self::new(configuration, thought))
            .ok_or_else(|| PriceError(text.to_owned()))
    }
}

/// The last measurements of something.
#[derive(Debug, Clone, Default)]
struct Times {
    seconds: Vec<f64>,
    next: usize,
}

impl Times {
    fn take(&mut self, time: Duration, count: u64) {
        let seconds = time.as_secs_f64() / count as f64;
        if self.seconds.len() < REMEMBERED {
            self.seconds.push(seconds);
        } else {
            self.seconds[self.next] = seconds;
            self.next = (self.next + 1) % REMEMBERED;
        }
    }

    /// Their median, to two digits: more would only make runs differ.
    fn median(&self) -> Option<f64> {
        let mut sorted = self.seconds.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let median = *sorted.get(sorted.len() / 2)?;
        format!("{median:.1e}").parse().ok()
    }
}

/// The prices of a run: measured, or as they were given.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    checks: Times,
    thoughts: Times,
    /// Prices to be said one after the other; the last one stays. None if they are measured.
    given: Vec<Prices>,
    said: usize,
    steps: u64,
    /// At so many configurations prices are said again.
    next_time: u64,
    prices: Prices,
}

impl Meter {
    /// None where there is nothing to say of prices.
    pub fn new(pricing: &Pricing) -> Option<Self> {
        let given = match pricing {
            Pricing::Usual => return None,
            Pricing::Measured => &[][..],
            Pricing::Given(given) if given.is_empty() => return None,
            Pricing::Given(given) => given,
        };
        Some(Self {
            checks: Times::default(),
            thoughts: Times::default(),
            given: given.to_vec(),
            said: 0,
            steps: 0,
            next_time: 0,
            prices: given.first().copied().unwrap_or(Prices::USUAL),
        })
    }

    fn is_measuring(&self) -> bool {
        self.given.is_empty()
    }

    /// Whether the next step is to be timed: the first ones are, and then a few now and then.
    pub fn wants_time(&mut self) -> bool {
        self.steps += 1;
        self.is_measuring() && (self.steps <= ALL_OF || self.steps.is_multiple_of(ONE_IN))
    }

    /// A step has checked so many configurations, or has had so many thoughts, in this time. One that has done
    /// both tells of checks, if these have taken most of it.
    pub fn take(&mut self, configurations: u64, thoughts: u64, time: Duration) {
        if configurations > 0 {
            let thinking = Duration::from_secs_f64(thoughts as f64 * self.prices.thought());
            if 2 * thinking <= time {
                self.checks.take(time - thinking, configurations);
            }
        } else if thoughts >= ENOUGH_THOUGHTS {
            self.thoughts.take(time, thoughts);
        }
    }

    /// The prices that were said last.
    pub fn prices(&self) -> Prices {
        self.prices
    }

    /// Prices to be said now that so many configurations have been checked, if it is time for that.
    pub fn news(&mut self, configurations: u64) -> Option<Prices> {
        if configurations < self.next_time {
            return None;
        }
        while self.next_time <= configurations {
            self.next_time = (2 * self.next_time).max(FIRST_TIME);
        }
        self.prices = match self.given.get(self.said) {
            Some(given) => *given,
            None if self.is_measuring() => {
                let now = self.prices;
                let configuration = self.checks.median().unwrap_or(now.configuration());
                let thought = self.thoughts.median().unwrap_or(now.thought());
                Prices::new(configuration, thought).unwrap_or(self.prices)
            }
            None => self.prices,
        };
        self.said += 1;
        Some(self.prices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_read_as_they_are_written() {
        for (text, configuration, thought) in [
            ("100us", 100_000_000, USUAL_THOUGHT),
            ("100us/20ns", 100_000_000, 20_000),
            (" 2.5 ms / 31.007 ns", 2_500_000_000, 31_007),
            ("0.5ns", 500, USUAL_THOUGHT),
            ("3s", 3_000_000_000_000, USUAL_THOUGHT),
        ] {
            let prices: Prices = text.parse().unwrap();
            assert_eq!(
                [prices.configuration, prices.thought],
                [configuration, thought]
            );
            assert_eq!(prices.to_string().parse(), Ok(prices));
        }
        for text in [
            "", "100", "us", "-1us", "0s", "nans", "infs", "1us/", "1us/0ns", "2h", "1e9s",
        ] {
            let error = text.parse::<Prices>().unwrap_err();
            assert!(error.to_string().contains("100us"), "{error}");
        }
    }

    #[test]
    fn a_price_is_the_median_of_the_last_measurements() {
        let mut meter = Meter::new(&Pricing::Measured).unwrap();
        for i in 0..REMEMBERED as u32 {
            // Now and then something else goes on at the machine.
            let busy = if i % 4 == 0 { 1000 } else { 1 };
            meter.take(10, 0, Duration::from_micros(20) * busy);
            meter.take(0, 10_000, Duration::from_micros(150));
            // Mostly thinking; most of what is left is a check of 2 us.
            meter.take(1, 100_000, Duration::from_millis(4));
            meter.take(5, 100, Duration::from_micros(13));
            meter.take(0, ENOUGH_THOUGHTS - 1, Duration::from_secs(9));
        }
        let prices = meter.news(0).unwrap();
        assert_eq!(prices.to_string(), "2us/15ns");
        assert!((prices.thoughts() - 2e3 / 15.0).abs() < 1e-9);
        // Later all is slower.
        for _ in 0..REMEMBERED {
            meter.take(1, 0, Duration::from_micros(7));
        }
        assert_eq!(meter.news(63), None);
        assert_eq!(meter.prices(), prices);
        assert_eq!(meter.news(64).unwrap().to_string(), "7us/15ns");
        assert_eq!(meter.news(127), None);
        assert!(meter.news(1000).is_some());
        assert_eq!(meter.news(1000), None);
    }

    #[test]
    fn what_is_given_is_said_in_its_order_whatever_is_measured() {
        let given = ["1us", "2us"].map(|text| text.parse().unwrap());
        assert!(Meter::new(&Pricing::Given(Vec::new())).is_none());
        let mut meter = Meter::new(&Pricing::Given(given.to_vec())).unwrap();
        assert!(!meter.wants_time());
        meter.take(1, 0, Duration::from_secs(1));
        assert_eq!(meter.prices(), given[0]);
        let said: Vec<_> = [0, 64, 128].map(|n| meter.news(n).unwrap()).to_vec();
        assert_eq!(said, [given[0], given[1], given[1]]);
    }
}

//! The paper's claims about its 2-D experiments, each put to the test; and how planners are compared,
//! here and for arms.
//!
//! Planners are compared run by run in the same worlds with the same seeds, and every run counts.
//! A cost that a run never reaches counts as four times the cost of checking only the shortest
//! path, the horizon of the score; costs are in units of that. Lengths of paths are compared where
//! both have one, and it is said in how many worlds that is. "Better" means that the 95% interval
//! of the mean difference lies on one side of zero, in every family. Where one family does not show
//! it, the claim does not hold as it stands, and what was measured says where and by how much.

use crate::report::{Claim, RegretGrowth, Verdict};
use psmp_lab::Row;
use psmp_lab::score::HORIZON;
use psmp_lab::statistics::{Interval, paired_difference};
use std::collections::{BTreeMap, BTreeSet};

/// A planner and its experience.
pub(super) type Who<'a> = (&'a str, &'a str);

pub(super) const PSMP_FS: Who = ("psmp:fs", "seen");
pub(super) const POMP_FS: Who = ("pomp:fs", "seen");
const PSMP_NN: Who = ("psmp:nn", "none");
pub(super) const LAZYSP: Who = ("lazysp", "none");

/// Whom the paper compares PSMP with the finite set with.
const PUBLISHED_RIVALS: [Who; 4] = [POMP_FS, PSMP_NN, ("pomp:nn", "none"), LAZYSP];

/// A tenth of the scale of the score, which goes from 0 to 1.5.
const CLOSE: f64 = 0.15;

/// What can be compared of a run; `None` only if its world has no path on the roadmap or, of the
/// final length, if the run has found none.
#[derive(Clone, Copy)]
pub(super) enum Measure {
    Regret,
    ToFirst,
    ToShortest,
    /// The logarithm of the configurations to the first path, so that differences are ratios; a run
    /// without a path counts as its budget.
    FirstCost,
    /// The logarithm of the length of the path that the run ended with, so that differences are
    /// ratios. It is compared where both have one.
    FinalLength,
}

impl Measure {
    fn of(self, row: &Row) -> Option<f64> {
        let limit = row.limit? as f64;
        let capped =
            |cost: Option<u64>| cost.map_or(HORIZON, |cost| (cost as f64 / limit).min(HORIZON));
        match self {
            Measure::Regret => row.regret,
            Measure::ToFirst => Some(capped(row.cost_to_first)),
            Measure::ToShortest => Some(capped(row.cost_to_shortest)),
            Measure::FirstCost => {
                let spent = row.cost_to_first.or(row.budget);
                Some((spent.unwrap_or(row.cost_total).max(1) as f64).log10())
            }
            Measure::FinalLength => row.best_length.map(f64::log10),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Measure::Regret => "regret",
            Measure::ToFirst => "limits to the first path",
            Measure::ToShortest => "limits to the roadmap's shortest path",
            Measure::FirstCost => "configurations to the first path",
            Measure::FinalLength => "final path lengths",
        }
    }

    /// How two planners are said to be compared by it.
    fn comparison(self) -> &'static str {
        match self.is_ratio() {
            true => "Ratio of",
            false => "Difference in",
        }
    }

    fn is_ratio(self) -> bool {
        matches!(self, Measure::FirstCost | Measure::FinalLength)
    }

    fn said(self, difference: Interval) -> String {
        match self.is_ratio() {
            true => ratio(difference),
            false => signed(difference),
        }
    }
}

/// The rows of one family, its name, and how its cumulative regret grows.
pub(super) struct FamilyRuns<'a> {
    pub name: &'a str,
    pub rows: &'a [&'a Row],
    pub growth: Option<&'a RegretGrowth>,
}

pub(super) fn claims(families: &[FamilyRuns<'_>]) -> Vec<Claim> {
    let mazes: Vec<&FamilyRuns> = families
        .iter()
        .filter(|f| f.name == "maze" || f.name == "dataset_2d_5")
        .collect();
    let all: Vec<&FamilyRuns> = families.iter().collect();
    let [sublinear, square_root] = growth_claims(&all);
    let others = others(&all, PSMP_FS, &PUBLISHED_RIVALS);
    vec![
        better(
            "With the finite set, PSMP finds its first path with fewer checks than all others.",
            &all,
            Measure::ToFirst,
            PSMP_FS,
            &others,
        ),
        better(
            "With the finite set, PSMP has the best paths throughout: it finds them early and \
             refines them quickly.",
            &all,
            Measure::Regret,
            PSMP_FS,
            &others,
        ),
        better(
            "With the finite set, PSMP finds the shortest path with fewer checks than the \
             uninformed LazySP.",
            &all,
            Measure::ToShortest,
            PSMP_FS,
            &[LAZYSP],
        ),
        better(
            "With the same finite set, POMP takes longer than PSMP to refine its first path to the \
             shortest.",
            &all,
            Measure::ToShortest,
            PSMP_FS,
            &[POMP_FS],
        ),
        better(
            "PSMP is markedly better with the finite set than with nearest neighbours.",
            &all,
            Measure::Regret,
            PSMP_FS,
            &[PSMP_NN],
        ),
        close_in_mazes(&mazes),
        poor_in_mazes(&mazes),
        sublinear,
        square_root,
    ]
}

/// All whom a planner is to outdo that outdoes all others: the published rivals, whether or not they
/// have run, and everyone else who is drawn beside it. Planners that know other worlds than the one
/// planned in are drawn apart.
pub(super) fn others<'a>(
    families: &[&FamilyRuns<'a>],
    who: Who<'a>,
    published: &[Who<'a>],
) -> Vec<Who<'a>> {
    let mut others = published.to_vec();
    for row in families.iter().flat_map(|family| family.rows) {
        let rival = (row.planner.as_str(), row.experience.as_str());
        if rival != who && rival.1 != "unseen" && !others.contains(&rival) {
            others.push(rival);
        }
    }
    others
}

pub(super) fn not_tested(claim: &str) -> Claim {
    Claim {
        claim: claim.to_owned(),
        measured: "The experiment has no runs that bear on it.".to_owned(),
        verdict: Verdict::NotTested,
    }
}

/// A claim that one planner is better than each of its rivals over all families and worse in none.
pub(super) fn better(
    claim: &str,
    families: &[&FamilyRuns<'_>],
    measure: Measure,
    who: Who<'_>,
    rivals: &[Who<'_>],
) -> Claim {
    let (mut overall, mut worse, mut undecided) = (Vec::new(), Vec::new(), Vec::new());
    let (mut compared, mut missing, mut clear) = (0, Vec::new(), true);
    for &rival in rivals {
        for family in families {
            let Some(difference) = compare(&[*family], measure, who, rival) else {
                continue;
            };
            compared += 1;
            let said = measure.said(difference);
            let words = format!("{} in {} {said}", name(rival), family.name);
            if difference.low > 0.0 {
                worse.push(words);
            } else if difference.high >= 0.0 {
                undecided.push(words);
            }
        }
        match compare(families, measure, who, rival) {
            Some(difference) => {
                clear &= difference.high < 0.0;
                let mut words = format!("{} {}", name(rival), measure.said(difference));
                if let Measure::FinalLength = measure {
                    let (both, all) = worlds_with_paths(families, who, rival);
                    words += &format!(", in the {both} of {all} worlds where both have a path");
                }
                overall.push(words);
            }
            None => missing.push(name(rival)),
        }
    }
    if compared == 0 {
        return not_tested(claim);
    }
    let better = compared - worse.len() - undecided.len();
    let mut measured = format!(
        "{} {}, {} {} a rival, over all families: {}. By family better in {better} of {compared} \
         comparisons",
        measure.comparison(),
        measure.words(),
        name(who),
        match measure.is_ratio() {
            true => "over",
            false => "less",
        },
        overall.join("; ")
    );
    for (words, which) in [
        ("worse", &worse),
        ("undecided", &undecided),
        ("without runs to compare", &missing),
    ] {
        if !which.is_empty() {
            measured += &format!("; {words}: {}", which.join(", "));
        }
    }
    measured.push('.');
    Claim {
        claim: claim.to_owned(),
        measured,
        // It holds where it is clear over all families and no family speaks against it; families in
        // which nothing is decided are named. What has no runs can neither be outdone nor outdo, but
        // a counterexample stands.
        verdict: match (clear && worse.is_empty(), missing.is_empty()) {
            (true, false) => Verdict::NotTested,
            (holds, _) => verdict(holds),
        },
    }
}

fn close_in_mazes(mazes: &[&FamilyRuns<'_>]) -> Claim {
    let claim = "In mazes, POMP with the finite set is close to PSMP.";
    let Some(difference) = compare(mazes, Measure::Regret, POMP_FS, PSMP_FS) else {
        return not_tested(claim);
    };
    Claim {
        claim: claim.to_owned(),
        measured: format!(
            "Difference in regret, {} less {}: {}; close is taken to mean within {CLOSE}, a tenth \
             of the scale.",
            name(POMP_FS),
            name(PSMP_FS),
            signed(difference)
        ),
        verdict: verdict(difference.low > -CLOSE && difference.high < CLOSE),
    }
}

fn poor_in_mazes(mazes: &[&FamilyRuns<'_>]) -> Claim {
    let claim = "In mazes, PSMP with nearest neighbours does badly: no better than the uninformed \
                 LazySP.";
    let Some(difference) = compare(mazes, Measure::Regret, PSMP_NN, LAZYSP) else {
        return not_tested(claim);
    };
    Claim {
        claim: claim.to_owned(),
        measured: format!(
            "Difference in regret, {} less {}: {}.",
            name(PSMP_NN),
            name(LAZYSP),
            signed(difference)
        ),
        verdict: verdict(difference.high >= 0.0),
    }
}

/// Two claims of one theorem: that regret is sublinear, which a fit can show, and that it grows as
/// the square root in the long run, which it cannot: the bound is asymptotic and these runs are
/// short, so an exponent above one half neither confirms nor refutes it.
fn growth_claims(families: &[&FamilyRuns<'_>]) -> [Claim; 2] {
    let sublinear = "The cumulative regret of PSMP grows more slowly than the number of proposals.";
    let square_root = "In the long run the cumulative regret of PSMP grows no faster than the \
                       square root of the number of proposals, up to logarithms.";
    let fits: Vec<(&str, &RegretGrowth)> = families
        .iter()
        .filter_map(|f| Some((f.name, f.growth?)))
        .collect();
    if fits.is_empty() {
        return [not_tested(sublinear), not_tested(square_root)];
    }
    let words: Vec<String> = fits
        .iter()
        .map(|(name, growth)| {
            let (low, high) = growth.interval;
            format!("{name} {:.2} ({low:.2} to {high:.2})", growth.exponent)
        })
        .collect();
    let above = fits.iter().filter(|(_, g)| g.interval.0 > 0.5).count();
    [
        Claim {
            claim: sublinear.to_owned(),
            measured: format!(
                "Fitted exponents, finite set, seen, until 95% of the runs have found their best \
                 path: {}.",
                words.join("; ")
            ),
            verdict: verdict(fits.iter().all(|(_, growth)| growth.interval.1 < 1.0)),
        },
        Claim {
            claim: square_root.to_owned(),
            measured: format!(
                "Over these short runs the exponent is above one half in {above} of {} families. \
                 The bound is asymptotic and has constants, so that this decides nothing.",
                fits.len()
            ),
            verdict: Verdict::NotTested,
        },
    ]
}

/// Numbers by world and seed.
type Numbers = BTreeMap<(u32, u64), f64>;

fn numbers(families: &[&FamilyRuns<'_>], measure: Measure, who: Who<'_>) -> Numbers {
    // Worlds of different families are different worlds.
    const APART: u32 = 1_000_000;
    let of_family = |(family, place): (&&FamilyRuns<'_>, u32)| -> Vec<_> {
        let rows = family.rows.iter();
        rows.filter(|r| (r.planner.as_str(), r.experience.as_str()) == who)
            .filter_map(|r| Some(((place * APART + r.world, r.seed), measure.of(r)?)))
            .collect()
    };
    families.iter().zip(0..).flat_map(of_family).collect()
}

/// The mean of one planner's numbers less a rival's over all worlds of some families. `None` unless
/// both planned in all of them; of final lengths, over the runs in which both have a path.
pub(super) fn compare(
    families: &[&FamilyRuns<'_>],
    measure: Measure,
    who: Who<'_>,
    rival: Who<'_>,
) -> Option<Interval> {
    let [mut a, mut b] = [who, rival].map(|who| numbers(families, measure, who));
    if let Measure::FinalLength = measure {
        // Who has not planned in a world has no path there for another reason.
        compare(families, Measure::FirstCost, who, rival)?;
        a.retain(|run, _| b.contains_key(run));
        b.retain(|run, _| a.contains_key(run));
    }
    paired_difference(a, b)
}

/// In how many worlds both have found a path in the same run, and in how many both have planned.
fn worlds_with_paths(families: &[&FamilyRuns<'_>], a: Who<'_>, b: Who<'_>) -> (usize, usize) {
    let worlds = |measure: Measure| {
        let [a, b] = [a, b].map(|who| numbers(families, measure, who));
        let both = a.keys().filter(|run| b.contains_key(run));
        both.map(|(world, _)| *world)
            .collect::<BTreeSet<u32>>()
            .len()
    };
    (worlds(Measure::FinalLength), worlds(Measure::FirstCost))
}

pub(super) fn verdict(holds: bool) -> Verdict {
    if holds {
        Verdict::Holds
    } else {
        Verdict::DoesNotHold
    }
}

pub(super) fn name((planner, experience): Who<'_>) -> String {
    match experience {
        "none" => planner.to_owned(),
        _ => format!("{planner} ({experience})"),
    }
}

fn signed(difference: Interval) -> String {
    let Interval { mean, low, high } = difference;
    format!("{mean:+.3} ({low:+.3} to {high:+.3})")
}

/// A difference of logarithms as the ratio that it is.
pub(super) fn ratio(difference: Interval) -> String {
    let [mean, low, high] = [difference.mean, difference.low, difference.high].map(power);
    format!("{mean:.2} ({low:.2} to {high:.2})")
}

pub(super) fn power(logarithm: f64) -> f64 {
    10f64.powf(logarithm)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::reproduce::Experiment;
    use psmp::WorldId;
    use psmp_lab::families::ONE_WALL;
    use psmp_lab::sweep::sweep;

    pub(in crate::reproduce) fn row(who: Who<'_>, world: u32, cost_to_first: Option<u64>) -> Row {
        Row {
            planner: who.0.to_owned(),
            experience: who.1.to_owned(),
            world,
            shortest_on_roadmap: Some(2.0),
            limit: Some(50),
            cost_to_first,
            best_length: cost_to_first.map(|_| 2.0),
            regret: Some(cost_to_first.map_or(1.5, |cost| cost as f64 / 1000.0)),
            ..Row::default()
        }
    }

    /// One who is drawn beside PSMP and finds its first path sooner refutes that PSMP is the first of
    /// all, whoever it is.
    #[test]
    fn all_who_are_drawn_are_compared() {
        let runs = |who: Who<'static>, cost: u64| (1..=10).map(move |w| row(who, w, Some(cost)));
        let published = PUBLISHED_RIVALS
            .map(|who| runs(who, 90))
            .into_iter()
            .flatten();
        let mut rows: Vec<Row> = published.chain(runs(PSMP_FS, 60)).collect();
        let first = |rows: &[Row]| {
            let rows: Vec<&Row> = rows.iter().collect();
            let family = FamilyRuns {
                name: "forest",
                rows: &rows,
                growth: None,
            };
            let mut claims = claims(&[family]);
            let (second, first) = (claims.swap_remove(1), claims.swap_remove(0));
            (first.verdict, second.verdict, first.measured)
        };
        let (sooner, better, _) = first(&rows);
        assert_eq!((sooner, better), (Verdict::Holds, Verdict::Holds));
        // One who knows other worlds is drawn elsewhere.
        rows.extend(runs(("lazysp:fs", "unseen"), 10));
        assert_eq!(first(&rows).0, Verdict::Holds);
        rows.extend(runs(("lazysp:fs", "seen"), 100));
        rows.extend(runs(("maxprob:fs", "seen"), 30));
        let (sooner, better, measured) = first(&rows);
        assert_eq!(
            (sooner, better),
            (Verdict::DoesNotHold, Verdict::DoesNotHold)
        );
        for name in ["lazysp:fs (seen)", "maxprob:fs (seen)", "pomp:nn"] {
            assert!(measured.contains(name), "{measured}");
        }
    }

    #[test]
    fn claims_are_tested_only_where_both_sides_have_run() {
        let set = ONE_WALL.generate(40, 12, 0, || {}).unwrap();
        let worlds: Vec<WorldId> = set.test().to_vec();
        let mut experiment = Experiment::quick();
        experiment.enter(&["psmp:fs", "lazysp"].map(|name| name.parse().unwrap()));
        let (who, options) = (&experiment.contestants, &experiment.options);
        let rows = sweep(&[(&set, worlds)], who, options, || {}).unwrap();
        let rows: Vec<&Row> = rows.iter().collect();
        let family = |rows| FamilyRuns {
            name: "one-wall",
            rows,
            growth: None,
        };
        let verdicts = |rows| -> Vec<Verdict> {
            let claims = claims(&[family(rows)]);
            claims.iter().map(|claim| claim.verdict).collect()
        };
        // Only the claim about LazySP alone can be tested: no other rival has run.
        let found = verdicts(&rows);
        let tested = found.iter().filter(|v| **v != Verdict::NotTested);
        assert_eq!((found[2], tested.count()), (Verdict::Holds, 1));
        // With a run missing on one side there is nothing to compare.
        let found = verdicts(&rows[1..]);
        assert!(found.iter().all(|v| *v == Verdict::NotTested));
    }
}

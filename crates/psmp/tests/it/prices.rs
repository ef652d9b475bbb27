use psmp::checker::WorldFn;
use psmp::{Connection, Event, EventKind, Prices, Pricing, Roadmap, Session, SessionOptions};
use psmp::{Space, Stop, Until, roadmap};

const START: [f64; 2] = [0.1, 0.1];
const GOAL: [f64; 2] = [0.9, 0.1];

fn prm(count: usize) -> Roadmap {
    let space = Space::unit(2);
    let points = roadmap::halton(&space, count);
    Roadmap::from_configurations(space, points, Connection::Nearest(10)).unwrap()
}

type IsFree = fn(&[f64]) -> bool;

fn session(options: SessionOptions) -> Session<'static, WorldFn<IsFree>> {
    // Three walls, each with a gap elsewhere.
    let is_free: IsFree = |q| {
        let gap = |x: f64, y: f64| (q[0] - x).abs() > 0.02 || (q[1] - y).abs() < 0.06;
        gap(0.3, 0.8) && gap(0.5, 0.2) && gap(0.7, 0.6)
    };
    Session::in_space(&Space::unit(2), WorldFn(is_free), &START, &GOAL, options).unwrap()
}

fn options(fixed_roadmap: bool, pricing: Pricing) -> SessionOptions {
    SessionOptions {
        roadmap: Some(prm(400)),
        fixed_roadmap,
        pricing,
        seed: 3,
        ..SessionOptions::default()
    }
}

fn given(seconds: f64) -> Pricing {
    Pricing::Given(Prices::of_configuration(seconds).into_iter().collect())
}

fn events(options: SessionOptions) -> Vec<Event> {
    let mut session = session(options);
    let events = Until::new(&mut session, &Stop::configurations(4000));
    events.map(Result::unwrap).collect()
}

fn prices(events: &[Event]) -> Vec<Prices> {
    let prices = events.iter().filter_map(|event| match event.kind {
        EventKind::Priced(prices) => Some(prices),
        _ => None,
    });
    prices.collect()
}

#[test]
fn a_run_that_measures_is_repeated_by_the_prices_it_has_said() {
    for fixed_roadmap in [false, true] {
        let measured = events(options(fixed_roadmap, Pricing::Measured));
        let said = prices(&measured);
        assert!(said.len() > 2, "{said:?}");
        let again = events(options(fixed_roadmap, Pricing::Given(said)));
        assert!(again == measured);
    }
}

/// What takes long on a large roadmap before anything is planned is no part of what a check takes. A busy moment may make
/// checks seem dear, so that one of several runs has to tell.
#[test]
fn setting_up_on_a_large_roadmap_makes_no_check_dear() {
    let first_price = || {
        let options = SessionOptions {
            // Each its own: a roadmap remembers what it was asked once.
            roadmap: Some(prm(20_000)),
            ..options(true, Pricing::Measured)
        };
        let mut session = session(options);
        let events = Until::new(&mut session, &Stop::never()).map(Result::unwrap);
        let said = events.filter_map(|event| match event.kind {
            EventKind::Priced(prices) => Some(prices.configuration()),
            _ => None,
        });
        said.take(1).sum::<f64>()
    };
    let least = (0..3).map(|_| first_price()).fold(f64::INFINITY, f64::min);
    assert!(least < 2e-5, "{least} s");
}

#[test]
fn what_is_usual_is_not_said_and_is_the_same_every_time() {
    for fixed_roadmap in [false, true] {
        let usual = || events(options(fixed_roadmap, Pricing::Usual));
        assert_eq!(prices(&usual()), []);
        assert!(usual() == usual());
    }
}

/// Where checks are dear thinking is not held back, and where they cost next to nothing the planner on the roadmap
/// is LazySP. In between it never thinks longer than it checks, but for the last search.
#[test]
fn thinking_takes_no_longer_than_checking() {
    let silent = |mut events: Vec<Event>| {
        events.retain(|event| !matches!(event.kind, EventKind::Priced(_)));
        events
    };
    let dear = silent(events(options(true, given(1.0))));
    // The same is done. What is known to be the least there can be may differ for a moment: where thoughts cost
    // something, what LazySP has found out in its turn is taken over when the belief thinks again.
    let done = |events: &[Event]| -> Vec<_> {
        let each = events.iter();
        each.map(|event| (event.kind, event.progress.configurations))
            .collect()
    };
    assert!(done(&dear) == done(&events(options(true, Pricing::Usual))));
    let proposals = |events: &[Event]| {
        let proposed = |event: &&Event| matches!(event.kind, EventKind::Proposed { .. });
        events.iter().filter(proposed).count()
    };
    assert!(proposals(&dear) > 0);
    let mut before = u64::MAX;
    for price in [1e-3, 1e-5, 1e-6, 1e-7, 1e-9] {
        // The insurance searches as well.
        let uninsured = SessionOptions {
            planner: "ei:local:uninsured".parse().unwrap(),
            ..options(true, given(price))
        };
        let mut session = session(uninsured);
        let stop = Stop::never();
        let last = Until::new(&mut session, &stop).last().unwrap().unwrap();
        assert_eq!(last.kind, EventKind::ShortestOnRoadmap, "at {price}");
        let (roadmap, _) = session.roadmap().unwrap();
        let one_search = 2 * roadmap.edge_count() as u64;
        let effort = session.planner().unwrap().effort();
        let thoughts = Prices::of_configuration(price).unwrap().thoughts();
        // What it may think before the first check is the price of a path.
        let checked = 2.0 * last.progress.configurations as f64;
        let most = thoughts * checked + one_search as f64;
        assert!(
            effort as f64 <= most,
            "{effort} thoughts at {price}, {most}"
        );
        assert!(
            effort <= before,
            "{effort} thoughts at {price}, {before} where checks are dearer"
        );
        before = effort;
    }
    let one_search = 2 * prm(400).edge_count() as u64;
    assert!(
        before <= one_search,
        "{before} thoughts where checks cost next to nothing"
    );
}

//! The search against systems whose highest load is known in closed form.

use proptest::prelude::*;

use super::*;

/// Searches a system of which it is known what each load comes to.
fn search(guess: f64, precision: f64, of: impl Fn(f64) -> Outcome) -> (Answer, usize) {
    let mut search = Search::new(guess, precision);
    for tried in 0..200 {
        match search.next() {
            Step::Try(rate) => search.observe(rate, of(rate)),
            Step::Done(answer) => return (answer, tried),
        }
    }
    panic!("no end: {search:?}");
}

/// What a load comes to on a server of so many a second, by a response time in seconds.
fn on(server: f64, limit: f64, response: impl Fn(f64) -> f64) -> impl Fn(f64) -> Outcome {
    move |rate| match rate < server {
        false => Outcome::Beyond(Reason::NotAchieved),
        true if response(rate) <= limit => Outcome::Within,
        true => Outcome::Beyond(Reason::Latency),
    }
}

fn ends(answer: Answer) -> (f64, f64) {
    match answer {
        Answer::Between { within_per_sec, beyond_per_sec, .. } => (within_per_sec, beyond_per_sec),
        Answer::Never { .. } | Answer::Always { .. } => panic!("{answer:?}"),
    }
}

/// Mean of M/M/1: 1 / (μ − λ). Of M/D/1: 1/μ + ρ / (2 μ (1 − ρ)). The response time of M/M/1 is
/// exponential, so its p99 is ln 100 / (μ − λ).
#[test]
fn the_highest_load_is_that_of_the_closed_form() {
    let server = 1_000.0;
    let mm1 = move |rate: f64| 1.0 / (server - rate);
    let md1 = move |rate: f64| (1.0 + rate / server / (2.0 * (1.0 - rate / server))) / server;
    let p99 = move |rate: f64| 100f64.ln() / (server - rate);
    type Response = dyn Fn(f64) -> f64;
    let systems: [(&Response, f64, f64); 3] = [
        (&mm1, 0.005, server - 1.0 / 0.005),
        // 0.005 = (1 + ρ / 2(1 − ρ)) / μ, so ρ / (1 − ρ) = 8.
        (&md1, 0.005, server * 8.0 / 9.0),
        (&p99, 0.010, server - 100f64.ln() / 0.010),
    ];
    for (response, limit, highest) in systems {
        for guess in [server, server / 3.0, server * 2.0] {
            let (answer, tried) = search(guess, 0.02, on(server, limit, response));
            let (within, beyond) = ends(answer);
            assert!(within <= highest && highest < beyond, "{within} {highest} {beyond}");
            assert!(beyond / within <= 1.0201, "{within} {beyond}");
            assert!(tried <= 12, "{tried} loads from {guess}");
        }
    }
}

#[test]
fn where_even_the_lightest_load_is_beyond_one_load_says_so() {
    let (answer, tried) = search(1_000.0, 0.02, |_| Outcome::Beyond(Reason::Latency));
    assert_eq!((answer, tried), (Answer::Never { lightest_per_sec: 50.0 }, 1));
}

#[test]
fn a_guess_that_is_far_too_high_is_left_downwards() {
    let mm1 = |rate: f64| 1.0 / (10.0 - rate);
    let (within, beyond) = ends(search(1_000.0, 0.02, on(10.0, 0.5, mm1)).0);
    assert!(within <= 8.0 && 8.0 < beyond, "{within} {beyond}");
    let (answer, tried) = search(1_000.0, 0.02, |_| Outcome::Beyond(Reason::NotAchieved));
    assert!(matches!(answer, Answer::Never { .. }) && tried < 6, "{answer:?} {tried}");
}

#[test]
fn where_nothing_is_beyond_more_is_tried_up_to_an_end() {
    let (answer, _) = search(1_000.0, 0.02, |_| Outcome::Within);
    let Answer::Always { highest_per_sec } = answer else { panic!("{answer:?}") };
    assert!((40_000.0..64_000.0).contains(&highest_per_sec), "{highest_per_sec}");
}

#[test]
fn a_load_that_is_not_achieved_ends_it_where_latency_does_not() {
    let (answer, _) = search(900.0, 0.02, on(1_000.0, f64::INFINITY, |_| 0.0));
    let Answer::Between { within_per_sec, reason, .. } = answer else { panic!("{answer:?}") };
    assert!((980.0..1_000.0).contains(&within_per_sec), "{within_per_sec}");
    assert_eq!(reason, Reason::NotAchieved);
}

#[test]
fn loads_that_cannot_be_told_from_the_limit_are_the_interval() {
    let of = |rate: f64| match rate {
        rate if rate < 700.0 => Outcome::Within,
        rate if rate < 800.0 => Outcome::Undecided,
        _ => Outcome::Beyond(Reason::Latency),
    };
    let (answer, _) = search(1_000.0, 0.02, of);
    let (within, beyond) = ends(answer);
    assert!((686.0..700.0).contains(&within) && (800.0..816.0).contains(&beyond), "{answer:?}");
    assert!(matches!(answer, Answer::Between { has_undecided: true, .. }));
}

#[test]
fn loads_read_well() {
    for (exact, expected) in
        [(41_337.2, 41_340.0), (9.87654, 9.877), (0.00012, 0.001), (149_951.0, 150_000.0)]
    {
        assert!((round(exact) - expected).abs() < 1e-9, "{exact} {}", round(exact));
    }
}

proptest! {
    /// Whatever the limit, guess and precision, the highest load lies between the two.
    #[test]
    fn the_two_loads_enclose_the_highest(
        server in 1.0..1e7f64,
        share in 0.1..0.99f64,
        guess in 0.2..1.8f64,
        precision in 0.01..0.2f64,
    ) {
        let highest = server * share;
        let limit = 1.0 / (server - highest);
        let of = on(server, limit, |rate| 1.0 / (server - rate));
        let (within, beyond) = ends(search(server * guess, precision, of).0);
        prop_assert!(within <= highest * 1.000_001 && highest <= beyond * 1.000_001);
        prop_assert!(beyond <= within * (1.0 + precision) + 0.002);
    }
}

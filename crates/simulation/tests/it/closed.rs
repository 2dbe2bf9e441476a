//! Closed loops against what is known exactly of them: product-form networks, forks and joins,
//! and stages that data is cut through.

use iopath_record::Latency;

use crate::model::{Window, assert_near, run, window};

/// A stripe whose requests are one unit each, so that each goes to one of the members, and all
/// members are equally likely.
fn stripe(ops: &[u32], depth: u32, seconds: u64) -> Window {
    let part = |(at, ops): (usize, &u32)| {
        format!("part \"m{at}\" ops=\"{ops} /s\" variability=1.0 size=\"1 GiB\"\n")
    };
    let parts: String = ops.iter().enumerate().map(part).collect();
    let over: Vec<String> = (0..ops.len()).map(|at| format!("h.m{at}")).collect();
    let text = format!(
        "path {{ host \"h\" {{ {parts} }} }}
         layout {{ stripe \"md\" unit=\"4 KiB\" over=\"{}\" }}
         workload {{
            streams \"app\" over=\"md\" op=\"read\" block=\"4 KiB\" pattern=\"random\" depth={depth}
         }}",
        over.join(",")
    );
    window(&run(&text, seconds), "app")
}

/// Exact mean-value analysis (Reiser, Lavenberg: Mean-value analysis of closed multichain queuing
/// networks, JACM 27, 1980) of stations with these demands: the throughput of so many customers.
pub(crate) fn mva(demands: &[f64], customers: u32) -> f64 {
    let mut queues = vec![0.0; demands.len()];
    let mut throughput = 0.0;
    for n in 1..=customers {
        let times: Vec<f64> =
            demands.iter().zip(&queues).map(|(demand, queue)| demand * (1.0 + queue)).collect();
        throughput = f64::from(n) / times.iter().sum::<f64>();
        queues = times.iter().map(|time| throughput * time).collect();
    }
    throughput
}

#[test]
fn product_form_networks_meet_mean_value_analysis() {
    let equal = [20_000; 4];
    let unequal = [40_000, 20_000, 10_000];
    for (ops, depth) in [(&equal[..], 1), (&equal[..], 4), (&equal[..], 32), (&unequal[..], 6)] {
        let app = stripe(ops, depth, 10);
        let share = (ops.len() as f64).recip();
        let demands: Vec<f64> = ops.iter().map(|ops| share / f64::from(*ops)).collect();
        let wanted = mva(&demands, depth);
        // Service is exponential and each request goes anywhere, so completions over a long time
        // vary about as much as those of a Poisson process; unequal members double its variance.
        // Five standard deviations.
        let within = 5.0 * (2.0 / (wanted * app.seconds)).sqrt();
        assert!(within < 0.02, "this says nothing: {within}");
        assert_near(app.per_sec(), wanted, within);
        // Little: all of the depth is always in flight.
        assert_near(app.in_flight(), f64::from(depth), 1e-6);
        assert_near(app.per_sec() * app.latency(Latency::Total).0, f64::from(depth), 1e-3);
    }
}

#[test]
fn a_full_stripe_waits_for_the_slowest_of_its_members() {
    for members in [1_u32, 4, 24] {
        let mean = 1e-4;
        let text = format!(
            "path {{ host \"h\" {{
                part \"m\" count={members} ops=\"10000 /s\" variability=1.0 size=\"1 GiB\"
             }} }}
             layout {{ stripe \"md\" unit=\"4 KiB\" over=\"h.m\" }}
             workload {{
                streams \"app\" over=\"md\" op=\"write\" block=\"{} KiB\" depth=1
             }}",
            4 * members
        );
        let (latency, count) = window(&run(&text, 10), "app").latency(Latency::Total);
        // The greatest of N exponential times: mean H_N, variance the sum of 1/k² (Rényi). Four
        // standard deviations of the mean of so many.
        let harmonic: f64 = (1..=members).map(|k| f64::from(k).recip()).sum();
        let variance: f64 = (1..=members).map(|k| f64::from(k).powi(-2)).sum();
        assert_near(latency, harmonic * mean, 4.0 * (variance / count).sqrt() / harmonic);
    }
}

#[test]
fn stages_pass_on_what_they_have() {
    // 1 MiB in 256 pieces of 4 KiB: each stage delays the first piece by its own time for a piece,
    // and the slowest passes the other 255.
    let rates = [400e6, 250e6, 1000e6, 300e6];
    let text = format!(
        "path {{ host \"h\" {{
            link \"a\" both=\"{} B/s\" {{
            link \"b\" both=\"{} B/s\" {{
            link \"c\" both=\"{} B/s\" {{
                part \"s\" both=\"{} B/s\" size=\"1 GiB\"
            }} }} }}
         }} }}
         workload {{ streams \"app\" over=\"h..s\" op=\"OP\" block=\"1 MiB\" depth=DEPTH }}",
        rates[0], rates[1], rates[2], rates[3]
    );
    let pieces = 256.0;
    let bytes = f64::from(1 << 20);
    let times = rates.map(|rate| bytes / rate);
    let slowest = times.into_iter().fold(0.0, f64::max);
    let alone = times.iter().sum::<f64>() / pieces + (pieces - 1.0) / pieces * slowest;
    for op in ["read", "write"] {
        let one = text.replace("OP", op).replace("DEPTH", "1");
        // Nanoseconds are cut off of latencies of 4 ms.
        assert_near(window(&run(&one, 2), "app").latency(Latency::Total).0, alone, 1e-6);
        // With enough in flight the slowest stage never pauses; an edge cuts one of 480.
        let many = window(&run(&text.replace("OP", op).replace("DEPTH", "4"), 2), "app");
        assert_near(many.bytes_per_sec(), bytes / slowest, 1e-6);
        assert_near(many.latency(Latency::Total).0, 4.0 * slowest, 1e-6);
    }
}

//! Open queues against what is known exactly of them.
//!
//! Arrivals are a Poisson process, service is gamma distributed with a stated coefficient of
//! variation. The mean number in flight over a time T in units of the mean service time is a
//! sample whose variance is v / T; for a queue with exponential service v = 2ρ(1+ρ)/(1-ρ)⁴ (Whitt:
//! Planning queueing simulations, Management Science 35, 1989), and less for service that varies
//! less. Each tolerance is four standard deviations: chance exceeds it once in 16,000 times, and
//! with a fixed seed always or never.

use iopath_record::Latency;

use crate::model::{Window, assert_near, run, window};

/// Mean service time of all these, in seconds.
const SERVICE: f64 = 1e-5;

/// A part that serves a request in [`SERVICE`] on average, with this load on it.
fn queue(rho: f64, variability: f64, seconds: u64) -> Window {
    let variability =
        if variability > 0.0 { format!("variability={variability}") } else { String::new() };
    let text = format!(
        "path {{ host \"h\" {{ part \"s\" ops=\"100000 /s\" size=\"1 GiB\" {variability} }} }}
         workload {{
            streams \"users\" over=\"h.s\" op=\"read\" block=\"4 KiB\" pattern=\"random\" \\
                rate=\"{} /s\" arrivals=\"poisson\" depth=1000000
         }}",
        (rho / SERVICE).round()
    );
    window(&run(&text, seconds), "users")
}

/// Pollaczek and Khinchine: the mean number in an M/G/1 queue.
fn in_queue(rho: f64, cv: f64) -> f64 {
    rho + rho * rho * (1.0 + cv * cv) / 2.0 / (1.0 - rho)
}

/// Four standard deviations of the mean number in flight, as a share of it.
fn tolerance(rho: f64, mean: f64, seconds: f64) -> f64 {
    let variance = 2.0 * rho * (1.0 + rho) / (1.0 - rho).powi(4) / (seconds / SERVICE);
    4.0 * variance.sqrt() / mean
}

#[test]
fn one_server_meets_pollaczek_and_khinchine() {
    for (rho, seconds) in [(0.3, 5), (0.6, 5), (0.9, 12)] {
        for cv in [0.0, 0.5, 1.0] {
            let queue = queue(rho, cv, seconds);
            let mean = in_queue(rho, cv);
            let within = tolerance(rho, mean, queue.seconds);
            assert!(within < 0.15, "this says nothing: {within}");
            assert_near(queue.in_flight(), mean, within);
            assert_near(queue.latency(Latency::Total).0, mean * SERVICE / rho, within);
        }
    }
}

#[test]
fn what_arrives_leaves_and_littles_law_holds() {
    for rho in [0.3, 0.9] {
        let queue = queue(rho, 1.0, 5);
        // Poisson arrivals: the count has its own square root as standard deviation.
        let wanted = rho / SERVICE;
        assert_near(queue.per_sec(), wanted, 4.0 / (wanted * queue.seconds).sqrt());
        // Both sides are sums over the same requests but for those that an edge of the window
        // cuts, a few dozen of 150,000 and more.
        let (response, _) = queue.latency(Latency::Total);
        assert_near(queue.in_flight(), queue.per_sec() * response, 1e-3);
        // A slot is always free, so a request goes out when it is due.
        assert_eq!(queue.latency(Latency::Intended), queue.latency(Latency::Total));
        // Nothing is in flight as long as the server is idle. The sum of idle times has less
        // variance than that of arrivals.
        let within = 4.0 * tolerance(rho, 1.0, queue.seconds) * (1.0 - rho);
        assert_near(queue.idle(), 1.0 - rho, within);
    }
}

/// Erlang's C formula: the probability that all of so many servers are busy.
fn all_busy(servers: u32, load: f64) -> f64 {
    // Erlang's B by its recursion.
    let lost = (1..=servers).fold(1.0, |lost, n| load * lost / (f64::from(n) + load * lost));
    let rho = load / f64::from(servers);
    lost / (1.0 - rho * (1.0 - lost))
}

#[test]
fn several_servers_meet_erlang() {
    // The processors of a controller, each of which a request has for 30 us on average.
    let (service, seconds) = (30e-6, 10);
    for (servers, rho) in [(2, 0.5), (3, 0.9), (8, 0.8)] {
        let rate = (rho * f64::from(servers) / service).round();
        let text = format!(
            "path {{
                host \"h\" {{ hba }}
                array \"a\" {{
                    controller cpus={servers} variability=1.0 {{
                        cost request=\"30 us\"
                        port
                        raid \"lun\" level=0 segment=\"64 KiB\" {{ part size=\"1 GiB\" }}
                    }}
                }}
                wire from=\"h.hba\" to=\"a.controller.port\"
            }}
            workload {{
                streams \"users\" over=\"a..lun\" op=\"read\" block=\"4 KiB\" pattern=\"random\" \\
                    rate=\"{rate} /s\" arrivals=\"poisson\" depth=1000000
            }}"
        );
        let queue = window(&run(&text, seconds), "users");
        let load = rate * service;
        let rho = load / f64::from(servers);
        let mean = load + all_busy(servers, load) * rho / (1.0 - rho);
        // Those who wait are as in a queue of one server as fast as all; those who are served vary
        // no more than where each has a server of its own, which is 2 x load.
        let variance = 2.0 * rho * (1.0 + rho) / (1.0 - rho).powi(4) / f64::from(servers);
        let samples = queue.seconds / service;
        let within = 4.0 * ((variance + 2.0 * load) / samples).sqrt() / mean;
        assert!(within < 0.15, "this says nothing: {within}");
        assert_near(queue.in_flight(), mean, within);
        assert_near(queue.latency(Latency::Total).0, mean / rate, within);
    }
}

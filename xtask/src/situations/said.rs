//! What `iopath measure --json` says of one run, as far as it is judged.

use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Deserialize)]
struct Printed {
    trials: Vec<Trial>,
}

#[derive(Deserialize)]
struct Trial {
    findings: Findings,
    layers: Layers,
    balance: Vec<Balance>,
}

#[derive(Deserialize)]
struct Findings {
    throughput_bytes_per_sec: f64,
    deskewed_throughput_bytes_per_sec: Option<f64>,
    limit: Limit,
    advice: Vec<Advice>,
}

#[derive(Deserialize)]
struct Limit {
    cause: String,
    entity: Option<String>,
}

#[derive(Deserialize)]
struct Advice {
    rule: String,
}

#[derive(Deserialize)]
struct Layers {
    tiers: Vec<Tier>,
}

#[derive(Deserialize)]
struct Tier {
    bytes_per_sec: Option<f64>,
}

#[derive(Deserialize)]
struct Balance {
    verdict: String,
    slow: Vec<String>,
}

/// The figures and the verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Said {
    /// Bytes a second while all streams ran, which is when iostat saw the devices at work. (The
    /// throughput of a whole job also counts the time in which the last of many readers end.)
    pub together: f64,
    pub cause: String,
    pub entity: String,
    /// Rules of its advice.
    pub advice: Vec<String>,
    /// Bytes of the lowest layer for each byte of the application; none without a device.
    pub below: Option<f64>,
    /// Members that it says are slow.
    pub slow: Vec<String>,
    /// Verdicts about members.
    pub balance: Vec<String>,
}

pub(crate) fn read(stdout: &[u8]) -> Result<Said> {
    let printed: Printed =
        serde_json::from_slice(stdout).context("iopath measure prints another JSON")?;
    let trial = printed.trials.into_iter().next().context("no trial")?;
    let Trial { findings, layers, balance } = trial;
    let rates: Vec<f64> = layers.tiers.iter().filter_map(|tier| tier.bytes_per_sec).collect();
    let below = match rates.as_slice() {
        [first, .., last] if *first > 0.0 => Some(last / first),
        _ => None,
    };
    let throughput = findings.throughput_bytes_per_sec;
    Ok(Said {
        together: findings.deskewed_throughput_bytes_per_sec.unwrap_or(throughput),
        cause: findings.limit.cause,
        entity: findings.limit.entity.unwrap_or_default(),
        advice: findings.advice.into_iter().map(|one| one.rule).collect(),
        below,
        slow: balance.iter().flat_map(|one| one.slow.clone()).collect(),
        balance: balance.into_iter().map(|one| one.verdict).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_trial_is_read() {
        let text = br#"{"format": "iopath-run/7", "run": "1", "trials": [{"findings":
            {"throughput_bytes_per_sec": 5.0, "deskewed_throughput_bytes_per_sec": 6.0, "limit": {"cause": "device", "entity": "loop2",
            "capacity": null, "evidence": []}, "advice": [{"rule": "more-in-flight"}]},
            "layers": {"tiers": [{"bytes_per_sec": 5.0}, {"bytes_per_sec": null},
            {"bytes_per_sec": 10.0}], "steps": []},
            "balance": [{"verdict": "slow-members", "slow": ["loop2"], "evidence": []}]}]}"#;
        let expected = Said {
            together: 6.0,
            cause: "device".to_owned(),
            entity: "loop2".to_owned(),
            advice: vec!["more-in-flight".to_owned()],
            below: Some(2.0),
            slow: vec!["loop2".to_owned()],
            balance: vec!["slow-members".to_owned()],
        };
        assert_eq!(read(text).unwrap(), expected);
    }
}

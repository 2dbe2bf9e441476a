//! Records to Findings: audit, statistics, limit, fairness, comparison.

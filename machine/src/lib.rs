//! The only reader of /proc and /sys: counters, device graph, safety.

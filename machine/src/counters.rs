//! Raw cumulative counters, one module per kernel file; all columns, no rates.
//!
//! Units are normalised while reading and stand in the field names: bytes and nanoseconds.
//! Source of every layout: the kernel's Documentation/filesystems/proc.rst and
//! Documentation/admin-guide/iostats.rst. Leaves out: differences, averages, meaning.

pub mod disk_sampler;
pub mod diskstats;
pub mod memory;
pub mod memory_map;
pub mod pressure;
pub mod process;
pub mod processors;
pub mod tasks;
pub mod throttling;

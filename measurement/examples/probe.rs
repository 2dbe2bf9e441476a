//! probe
#![allow(clippy::print_stdout)]
#[path = "../tests/it/cases.rs"] mod cases;
use iopath_study::case::*; use iopath_units::*; use iopath_record::Phase;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut c = cases::case(std::path::Path::new(&args[1]));
    c.targets[0].size = Some(Bytes(1<<30));
    c.workload.engine = match args[2].as_str() { "uring"=>EngineKind::Uring, "threads"=>EngineKind::Threads, "mmap"=>EngineKind::Mmap, _=>EngineKind::Null};
    c.workload.cache = CacheMode::Direct;
    c.workload.until.time = Some(Nanos(4_000_000_000)); c.workload.sample_interval = Nanos(1_000_000_000);
    c.streams[0].depth = args[3].parse().unwrap();
    if let Some(b) = args.get(4) { c.streams[0].block = b.parse().unwrap(); c.streams[0].pattern = Pattern::Sequential; }
    if args.get(5).is_some() { c.streams[0].reads = Ratio(0); }
    let left = cases::run(&c); let r = &left.records[0];
    let w = cases::phase(r, Phase::Window).unwrap(); let _ = cases::targets; let _ = &left.told; let _ = &left.ending; let _=cases::stream;
    let s = (w.to_ns-w.from_ns) as f64/1e9;
    println!("{:.0} op/s {:.2} GB/s user {:.0} ns sys {:.0} ns  p50 {:?} ceiling {:?} cache {} {:?}", w.operations_ppm as f64/1e6/s, (w.read_bytes+w.write_bytes) as f64/1e9/s, w.user_ns as f64/w.completed as f64, w.system_ns as f64/w.completed as f64, w.latency[0].histogram.quantile_ns(0.5), r.environment.get("generator.ceiling_operations_per_sec"), r.environment["target.data.cache"], r.technique);
}

//! The same load, as words of each program.

use std::path::Path;

/// How it goes through its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Random,
    Sequential,
}

/// Whether the page cache is passed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cache {
    Direct,
    /// Evicted before each run.
    Buffered,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// `read` or `write`.
    pub op: &'static str,
    pub order: Order,
    pub cache: Cache,
    pub block_kib: u64,
    pub depth: u64,
    /// [`EACH_PROCESSOR`], or so many; each of several has a part of the target.
    pub streams: u64,
}

/// How long each run takes, and what it is made on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct On<'a> {
    pub target: &'a Path,
    /// Bytes of the target.
    pub bytes: u64,
    pub seconds: u64,
}

/// A stream for each processor.
pub(crate) const EACH_PROCESSOR: u64 = 0;

impl Load {
    /// With as many streams as this machine has processors, where that is asked.
    pub(crate) fn on_this_machine(self) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        match self.streams {
            EACH_PROCESSOR => Self { streams: processors as u64, ..self },
            _ => self,
        }
    }

    /// Without the hints by which fio's default doubles what the kernel reads ahead.
    pub(crate) fn fio(&self, on: On<'_>) -> Vec<String> {
        let Self { op, order, cache, block_kib, depth, streams } = self;
        let order = if *order == Order::Random { "rand" } else { "" };
        let is_direct = u8::from(*cache == Cache::Direct);
        // The leanest for one request at a time is no ring.
        let engine = if *depth == 1 { "psync" } else { "io_uring" };
        let part = on.bytes / streams / (block_kib << 10) * (block_kib << 10);
        let text = format!(
            "fio --output-format=json --name=load --time_based --norandommap --fadvise_hint=0 \
             --group_reporting --ramp_time=1s --runtime={}s --rw={order}{op} --bs={block_kib}k \
             --iodepth={depth} --numjobs={streams} --direct={is_direct} --ioengine={engine} \
             --size={part} --offset_increment={part} --overwrite=1 --filename={}",
            on.seconds,
            on.target.display()
        );
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// The words after the program's name.
    pub(crate) fn iopath(&self, on: On<'_>, store: &Path) -> Vec<String> {
        let Self { op, order, cache, block_kib, depth, streams } = self;
        let order = if *order == Order::Random { "random" } else { "sequential" };
        let cache = if *cache == Cache::Direct { "direct" } else { "drop" };
        let target = on.target.display();
        let mut text = format!(
            "measure --json --no-progress --no-report --passes 1 --warm-up 1s --time {}s --op {op} \
             --pattern {order} --cache {cache} --block {block_kib}KiB --depth {depth} \
             --streams {streams} --target {target} --store {}",
            on.seconds,
            store.display()
        );
        if *op == "write" {
            text += &format!(" --allow-destroy {target}");
        }
        text.split_whitespace().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on() -> On<'static> {
        On { target: Path::new("/d/data"), bytes: 1 << 20, seconds: 3 }
    }

    #[test]
    fn readers_side_by_side_have_parts_of_whole_blocks() {
        let load = Load {
            op: "read",
            order: Order::Sequential,
            cache: Cache::Buffered,
            block_kib: 64,
            depth: 1,
            streams: 3,
        };
        let fio = load.fio(on()).join(" ");
        assert!(fio.contains("--rw=read --bs=64k --iodepth=1 --numjobs=3 --direct=0"), "{fio}");
        assert!(fio.contains("--ioengine=psync --size=327680 --offset_increment=327680"), "{fio}");
        let iopath = load.iopath(on(), Path::new("/d/s")).join(" ");
        assert!(iopath.contains("--cache drop --block 64KiB --depth 1 --streams 3"), "{iopath}");
        assert!(!iopath.contains("--allow-destroy"));
    }

    #[test]
    fn a_writer_may_destroy_its_target() {
        let load = Load {
            op: "write",
            order: Order::Random,
            cache: Cache::Direct,
            block_kib: 4,
            depth: 8,
            streams: 1,
        };
        let iopath = load.iopath(on(), Path::new("/d/s")).join(" ");
        assert!(iopath.ends_with("--target /d/data --store /d/s --allow-destroy /d/data"));
        assert!(load.fio(on()).join(" ").contains("--rw=randwrite --bs=4k --iodepth=8"));
    }
}

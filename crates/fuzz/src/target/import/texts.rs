//! Texts as tools print them, made from a seed: other devices, other numbers, other intervals, in
//! the form that the tool's reader expects. Most are accepted, so that what comes behind the
//! readers is met too. The forms are those of `crates/import/tests/fixtures`.

use crate::random::Random;

/// Names that devices have, and some that only look odd.
const NAMES: [&str; 10] =
    ["sda", "nvme0n1", "dm-0", "md127", "c0t1d0", "loop0", "sd-a_1", "x", "host", "Total"];

/// A text of a tool, which `random` chooses.
pub(super) fn made(random: &mut Random) -> String {
    match random.below(8) {
        0 | 1 => iostat(random),
        2 => fio(random),
        3 => vxstat(random),
        4 => vxbench(random),
        5 => portperfshow(random),
        6 => nmon(random),
        _ => iozone(random),
    }
}

/// Mostly what a tool counts in a second; sometimes nothing, or as much as fits.
fn number(random: &mut Random) -> String {
    match random.below(8) {
        0 => "0".to_owned(),
        1 => "0.00".to_owned(),
        2 => format!("{}.{:02}", random.below(1 << 40), random.below(100)),
        _ => {
            let most = 1 << random.below(24);
            format!("{}.{:02}", random.below(most), random.below(100))
        }
    }
}

fn whole(random: &mut Random) -> u64 {
    let bits = random.below(40);
    random.next() % (1 << bits)
}

/// Some names, none twice.
fn names(random: &mut Random) -> Vec<String> {
    let count = 1 + random.below(6);
    (0..count).map(|at| format!("{}{}", random.of(&NAMES), "i".repeat(at))).collect()
}

/// A time of day some seconds after the one before.
fn time(second: usize) -> String {
    format!("{:02}:{:02}:{:02}", second / 3600 % 24, second / 60 % 60, second % 60)
}

fn iostat(random: &mut Random) -> String {
    const COLUMNS: [&str; 8] =
        ["r/s", "rkB/s", "r_await", "w/s", "wkB/s", "w_await", "aqu-sz", "%util"];
    let names = names(random);
    let (step, reports) = (1 + random.below(5), 2 + random.below(6));
    let begin = random.below(80_000);
    let mut text = "Linux 6.12.48-amd64 (host) \t11/22/26 \t_x86_64_\t(2 CPU)\n".to_owned();
    for report in 0..reports {
        text += &format!("\n11/22/26 {}\n", time(begin + report * step));
        if random.below(2) == 0 {
            let busy = random.below(101);
            text += "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n";
            text += &format!("    {busy}.00 0.00 0.00 0.00 0.00 {}.00\n\n", 100 - busy);
        }
        text += &format!("Device {}\n", COLUMNS.join(" "));
        for name in &names {
            let values: Vec<String> = COLUMNS.iter().map(|_| number(random)).collect();
            text += &format!("{name} {}\n", values.join(" "));
        }
        text += "\n";
    }
    text
}

fn fio(random: &mut Random) -> String {
    let jobs: Vec<String> = (0..1 + random.below(4)).map(|at| job(random, at)).collect();
    format!(
        "{{\"fio version\" : \"fio-3.33\", \"timestamp\" : 1444144664,\n\"jobs\" : [{}]}}\n",
        jobs.join(",\n")
    )
}

fn job(random: &mut Random, at: usize) -> String {
    let runtime = 1 + random.below(100_000);
    let side = |random: &mut Random| {
        let (ios, mean) = (1 + whole(random) % (1 << 30), number(random));
        let bytes = ios * 512 * (1 + random.below(64) as u64);
        format!(
            "{{\"io_bytes\" : {bytes}, \"bw\" : {}, \"iops\" : {}, \"runtime\" : {runtime}, \
             \"total_ios\" : {ios}, \"short_ios\" : 0, \"drop_ios\" : 0, \
             \"clat_ns\" : {{\"min\" : 0, \"max\" : {}, \"mean\" : {mean}, \"stddev\" : 0.0}}}}",
            whole(random),
            number(random),
            whole(random)
        )
    };
    let (read, write) = (side(random), side(random));
    format!(
        "{{\"jobname\" : \"job{at}\", \"groupid\" : 0, \"error\" : 0, \"elapsed\" : 26,\n\
         \"read\" : {read},\n\"write\" : {write}}}"
    )
}

fn vxstat(random: &mut Random) -> String {
    let (names, step) = (names(random), 1 + random.below(60));
    let mut text = "                      OPERATIONS          BLOCKS           AVG TIME(ms)\n\
                    TYP NAME              READ     WRITE      READ     WRITE   READ  WRITE\n"
        .to_owned();
    for report in 0..1 + random.below(4) {
        text += &format!("\nMon Sep  7 {} 2015\n", time(36_000 + report * step));
        for name in &names {
            let (reads, writes) = (whole(random) % 1_000_000, whole(random) % 1_000_000);
            let (read_ms, write_ms) = (random.below(1000), random.below(1000));
            text += &format!(
                "{} {name} {reads} {writes} {} {} {read_ms}.0 {write_ms}.5\n",
                random.of(&["vol", "dm"]),
                reads * 16,
                writes * 2048
            );
        }
    }
    text
}

fn vxbench(random: &mut Random) -> String {
    let users = 1 + random.below(80);
    let mut text = format!(
        "# vxbench -w {} -c direct -i iosize={}k,iotime=300 {users} x /dev/vx/rdsk/testdg/vol1\n",
        random.of(&["read", "write", "rand_read", "rand_write"]),
        1 << random.below(11)
    );
    for user in 1..=users {
        text += &format!(
            "user {user:2}:  {}.{:03} sec  {} KB/s  cpu:  0.75 sys   0.01 user\n",
            1 + random.below(400),
            random.below(1000),
            whole(random) % 10_000_000
        );
    }
    text
}

fn portperfshow(random: &mut Random) -> String {
    let ports = 1 + random.below(16);
    let mut text = String::new();
    for _ in 0..1 + random.below(4) {
        let heads: Vec<String> = (0..ports).map(|port| format!("{port:^7}")).collect();
        text += &format!("{}  Total\n{}\n", heads.concat(), "=".repeat(7 * ports + 8));
        let rates: Vec<usize> = (0..ports).map(|_| random.below(1000)).collect();
        let sum: usize = rates.iter().sum();
        let cells: Vec<String> = rates.iter().map(|rate| format!("{rate:>4}.0k ")).collect();
        text += &format!("{} {:.1}m\n\n", cells.concat(), sum as f64 / 1000.0);
    }
    text
}

fn nmon(random: &mut Random) -> String {
    let (names, interval) = (names(random), 1 + random.below(60));
    let snapshots = 2 + random.below(6);
    let mut text = format!(
        "AAA,progname,nmon\nAAA,version,16n\nAAA,host,host\nAAA,OS,Linux,6.12\n\
         AAA,time,00:22.46\nAAA,date,22-NOV-2026\nAAA,interval,{interval}\n\
         AAA,snapshots,{snapshots}\n"
    );
    const SHEETS: [&str; 4] = ["DISKBUSY", "DISKREAD", "DISKWRITE", "DISKXFER"];
    for sheet in SHEETS {
        text += &format!("{sheet},Disk host,{}\n", names.join(","));
    }
    for snapshot in 1..=snapshots {
        let at = time(1366 + snapshot * interval);
        text += &format!("ZZZZ,T{snapshot:04},{at},22-NOV-2026\n");
        for sheet in SHEETS {
            let values: Vec<String> = names.iter().map(|_| number(random)).collect();
            text += &format!("{sheet},T{snapshot:04},{}\n", values.join(","));
        }
    }
    text
}

fn iozone(random: &mut Random) -> String {
    let mut text = "\tIozone: Performance Test of File I/O\n\t        Version $Revision: 3.429 $\n\
                    \tCommand line used: ./iozone -a -i 0 -i 1\n\tOutput is in kBytes/sec\n\
                    \x20             kB  reclen    write  rewrite    read    reread\n"
        .to_owned();
    let size = 64 << random.below(16);
    for row in 0..1 + random.below(6) {
        let rates: Vec<String> = (0..4).map(|_| (whole(random) % 10_000_000).to_string()).collect();
        text += &format!("            {size}       {}   {}\n", 4 << row, rates.join("  "));
    }
    text + "\niozone test complete.\n"
}

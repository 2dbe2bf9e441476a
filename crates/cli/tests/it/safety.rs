//! What could not be checked is a reason to refuse, and a refusal changes nothing.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::loopback::{Bench, MIB, checksum, is_root, system};
use crate::program::{Output, Program, Running};

const SHORT: &str = "--size 64KiB --block 4KiB --time 100ms --warm-up 0s --passes 1 --no-progress \
                     --no-path --no-report";

/// Writes to a target, after `before` was done in a mount namespace of its own.
fn hidden(program: &Program, before: &str, target: &str) -> Output {
    let named = if Path::new(target).exists() { target } else { "none" };
    let iopath = env!("CARGO_BIN_EXE_iopath");
    let line = format!("measure --target {target} --op write --allow-destroy {named} {SHORT}");
    let script = format!("{before} && exec {iopath} {line}");
    let words = ["unshare", "--mount", "--propagation", "private", "sh", "-c", &script];
    program.run_command(&mut program.command_of(&words))
}

#[test]
fn with_sys_or_proc_hidden_a_file_behind_a_mounted_loop_device_is_refused() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    bench.ext4("victim", 16 * MIB);
    let program = Program::new();
    let (image, empty) = (bench.path("victim.img"), bench.file("empty", 0));
    let target = image.to_str().unwrap();
    let before = checksum(&image, 16 * MIB);
    for (hide, what) in [
        ("mount -t tmpfs none /sys", "/sys is not the kernel's"),
        ("mount -t tmpfs none /sys && mkdir -p /sys/block /sys/dev/block", "/sys is not"),
        ("mount -t tmpfs none /sys/block", "/sys/block"),
        ("mount -t tmpfs none /sys/dev/block", "/sys/dev/block"),
        ("mount -t tmpfs none /sys/devices", "/sys/devices"),
        ("mount -t tmpfs none /sys/devices/virtual", "/sys/devices/virtual"),
        ("mount -t tmpfs none /sys/devices/virtual/block", "/sys/devices/virtual/block"),
        ("for d in /sys/block/loop*/loop; do mount -t tmpfs none $d; done", "/loop"),
        ("mount -t tmpfs none /proc", "/proc is not the kernel's"),
        ("umount -l /proc", "/proc is not the kernel's"),
        ("mount --bind /dev/null /proc/swaps", "/proc/swaps"),
        ("mount --bind /dev/null /proc/partitions", "/proc/partitions"),
        ("mount -t proc -o subset=pid none /proc", "/proc/partitions"),
        ("mount --bind /dev/null /proc/$$/mountinfo", "/mountinfo"),
    ] {
        let refused = hidden(&program, hide, target);
        let text = &refused.stderr;
        assert_eq!(refused.code(), 5, "{hide}:\n{text}");
        assert!(text.contains("cannot be judged") && text.contains(what), "{hide}:\n{text}");
        assert!(text.contains("no override"), "{hide}:\n{text}");
        assert_eq!(checksum(&image, 16 * MIB), before, "{hide}");
        // A file without a byte in it exists too.
        hidden(&program, hide, empty.to_str().unwrap()).ends(5);
    }
}

#[test]
fn with_sys_hidden_new_files_and_scratch_files_are_still_written() {
    if !is_root() {
        return;
    }
    let program = Program::new();
    for hide in ["mount -t tmpfs none /sys", "mount -t tmpfs none /sys/block"] {
        hidden(&program, hide, "new.dat").done();
        fs::remove_file(program.path("new.dat")).unwrap();
        hidden(&program, hide, ".").done();
    }
}

/// Two cases: the first writes to A for some time, the second to B.
fn two_cases(program: &Program) {
    let study = format!(
        r#"study "two"
layout {{ file "a" size="1 MiB"; file "b" size="32 MiB"
  bind from="a,b" to="{0}/A,{0}/B" }}
workload time="1500 ms" {{ streams "w" over="a" op="write" block="64 KiB" }}
vary {{ factor "over" of="w.over" "a" "b" }}
"#,
        program.directory().display()
    );
    program.write("two.kdl", study);
}

/// Runs both cases; `meddle` is done while the first writes.
fn meddled(program: &Program, meddle: impl FnOnce()) -> Output {
    let a = program.path("A");
    // Made by the run, so that its length shows that the checks are over.
    let _ = fs::remove_file(&a);
    let running = program.start("measure two.kdl --no-progress --no-report --no-path");
    while fs::metadata(&a).map_or(0, |facts| facts.len()) == 0 {
        std::thread::yield_now();
    }
    meddle();
    running.wait()
}

#[test]
fn a_file_taken_into_use_between_the_check_and_its_case_is_not_written() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    bench.work_together();
    let program = Program::new();
    two_cases(&program);
    let b = program.path("B");
    let own =
        format!("measure --target {} --op write {}", b.display(), SHORT.replace("64KiB", "32MiB"));
    // Attached and mounted, with the mark still right: only who uses it has changed.
    program.line(&own).done();
    let mut node = String::new();
    let output = meddled(&program, || node = bench.attach(&b, &[]));
    output.ends(6).tells(&["is behind", &node, "earlier cases wrote to", "/A"]);
    bench.undo_last();
    // Data of somebody else in place of our own.
    let write = |byte: u8| {
        let file = OpenOptions::new().write(true).open(&b).unwrap();
        file.write_all_at(&[byte; 4096], 4096).unwrap();
    };
    let user = || {
        write(b'u');
        checksum(&b, 32 * MIB)
    };
    fs::remove_file(&b).unwrap();
    program.line(&own).done();
    let mut before = 0;
    let output = meddled(&program, || before = user());
    output.ends(6).tells(&["written to since the check", "earlier cases wrote to"]);
    assert_eq!(checksum(&b, 32 * MIB), before);
}

#[test]
fn what_a_user_wrote_into_a_file_of_the_run_is_not_filled_and_not_marked_by_a_reading_case() {
    let program = Program::new();
    let study = format!(
        r#"study "three"
layout {{ file "a" size="8 MiB"; file "b" size="8 MiB"
  bind from="a,b" to="{0}/A,{0}/B" }}
workload time="1500 ms" {{ streams "w" over="a" op="write" block="64 KiB" }}
vary {{ factor "case" {{
  level "make a" w.over="a"
  level "make b" w.over="b"
  level "read a" w.over="a" w.op="read" VERIFY
}} }}
"#,
        program.directory().display()
    );
    let (a, b) = (program.path("A"), program.path("B"));
    for verify in ["", "workload.verify=#true"] {
        let _ = (fs::remove_file(&a), fs::remove_file(&b));
        program.write("three.kdl", study.replace("VERIFY", verify));
        let running = program.start("measure three.kdl --no-progress --no-report --no-path");
        while fs::metadata(&b).map_or(0, |facts| facts.len()) == 0 {
            std::thread::yield_now();
        }
        let file = OpenOptions::new().write(true).open(&a).unwrap();
        file.write_all_at(&[b'u'; 4 << 20], 0).unwrap();
        drop(file);
        let before = checksum(&a, 8 * MIB);
        running.wait();
        assert_eq!(checksum(&a, 8 * MIB), before, "{verify}: filled");
        program.line(&format!("measure --target A --op write {SHORT}")).ends(5);
        assert_eq!(checksum(&a, 8 * MIB), before, "{verify}: marked, and written by the next run");
    }
}

#[test]
fn a_lock_on_the_file_behind_a_loop_device_is_one_on_the_device() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("locked", 8 * MIB);
    let image = bench.path("locked");
    let line = format!("measure --target {node} --op write {SHORT}");
    let program = Program::new();
    let iopath = env!("CARGO_BIN_EXE_iopath");
    let script = format!("exec {iopath} {line}");
    let words = ["flock", image.to_str().unwrap(), "sh", "-c", &script];
    let refused = program.run_command(&mut program.command_of(&words)).ends(5);
    refused.tells(&["is locked (flock) by", "no override"]);
    program.line(&line).done();
}

#[test]
fn a_locked_file_is_refused_whatever_is_in_it() {
    let program = Program::new();
    let path = program.path("locked");
    for (call, kind) in [
        ("fcntl.flock(f, fcntl.LOCK_EX)", "flock"),
        ("fcntl.flock(f, fcntl.LOCK_SH)", "flock"),
        ("fcntl.lockf(f, fcntl.LOCK_EX)", "fcntl"),
        ("fcntl.fcntl(f, 37, struct.pack('hhqqi4x', 1, 0, 100, 1, 0))", "fcntl, OFD"),
    ] {
        for bytes in [0, 4096] {
            fs::write(&path, vec![7; bytes]).unwrap();
            let target = path.to_str().unwrap();
            // The lock is held while the program runs below.
            let script = format!(
                "import fcntl, struct, subprocess, sys\nf = open('{target}', 'r+b')\n{call}\n\
                 sys.exit(subprocess.call(sys.argv[1:]))"
            );
            let iopath = env!("CARGO_BIN_EXE_iopath");
            let line =
                format!("measure --target {target} --op write --allow-destroy {target} {SHORT}");
            let words: Vec<&str> =
                ["python3", "-c", &script, iopath].into_iter().chain(line.split(' ')).collect();
            let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
            let refused = program.run_command(&mut program.command_of(&words)).ends(5);
            let refused = refused.tells(&[&format!("is locked ({kind}) by"), "no override"]);
            if kind != "fcntl, OFD" {
                refused.tells(&["(python3"]);
            }
            assert_eq!(fs::read(&path).unwrap(), vec![7; bytes]);
        }
    }
    fs::write(&path, "").unwrap();
    program.line(&format!("measure --target locked --op write {SHORT}")).done();
}

#[test]
fn a_refused_run_opens_no_target_for_writing() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (mounted, _at) = bench.ext4("held", 16 * MIB);
    let fresh = bench.device("fresh.img", 16 * MIB);
    let program = Program::new();
    let full = program.file("full.dat", 8192);
    let image = bench.path("held.img");
    let full = full.to_str().unwrap();
    for target in [mounted.as_str(), image.to_str().unwrap(), full] {
        // A device that may be written stands before the one that may not.
        let trace = program.path("trace");
        let mut words = vec!["strace", "-f", "-e", "trace=open,openat,creat", "-o"];
        words.extend([trace.to_str().unwrap(), env!("CARGO_BIN_EXE_iopath"), "measure"]);
        words.extend(["--target", &fresh, "--target", target, "--op", "write"]);
        words.extend(SHORT.split_whitespace());
        program.run_command(&mut program.command_of(&words)).ends(5);
        let trace = fs::read_to_string(&trace).unwrap();
        let opened = |line: &&str| [fresh.as_str(), target].iter().any(|name| line.contains(name));
        assert!(trace.lines().any(|line| opened(&line)), "nothing was looked at:\n{trace}");
        let writing =
            |line: &&str| ["O_RDWR", "O_WRONLY", "O_TRUNC"].iter().any(|flag| line.contains(flag));
        let found: Vec<&str> = trace.lines().filter(opened).filter(writing).collect();
        assert_eq!(found, Vec::<&str>::new(), "{target}");
    }
}

#[test]
fn a_write_through_a_mapping_and_a_time_put_back_void_the_mark() {
    let program = Program::in_memory();
    let line = format!("measure --target f --op write {}", SHORT.replace("64KiB", "4MiB"));
    for change in [
        "m = mmap.mmap(os.open('f', os.O_RDWR), 0); m[:] = b'U' * len(m)",
        "s = os.stat('f'); open('f', 'r+b').write(b'U' * (4 << 20)); \
         os.utime('f', ns=(s.st_atime_ns, s.st_mtime_ns))",
    ] {
        program.line(&line).done();
        program.line(&line).done();
        let script = format!("import mmap, os; {change}");
        let mut python = program.command_of(&["python3", "-c", &script]);
        Running::start(&program, &mut python).wait().done();
        program.line(&line).ends(5).tells(&["nothing shows that iopath wrote them"]);
        assert_eq!(fs::read(program.path("f")).unwrap(), vec![b'U'; 4 << 20]);
        fs::remove_file(program.path("f")).unwrap();
    }
}

#[test]
fn a_loop_device_over_active_swap_is_refused() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let swap = bench.path("swap");
    fs::write(&swap, vec![0; 1 << 20]).unwrap();
    fs::set_permissions(&swap, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    system("mkswap", [&swap]);
    let node = bench.attach(&swap, &[]);
    system("swapon", [&swap]);
    bench.undo_with(&["swapoff", swap.to_str().unwrap()]);
    let program = Program::new();
    let line =
        format!("measure --target {node} --op write {SHORT} --allow-destroy {}", swap.display());
    program.line(&line).ends(5).tells(&["is active swap"]);
}

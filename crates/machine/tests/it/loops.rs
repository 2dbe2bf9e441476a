//! Safety on real block devices: loop devices made and taken away by each test, as root.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use iopath_machine::location::{Object, device_of_file, identify};
use iopath_machine::safety::{
    Permission, Permitted, Reason, Refusal, Shared, Survey, is_own_file, mark_own_file, may_write,
    shares_bytes,
};
use iopath_machine::target::{self, TargetKind};
use iopath_machine::{Devices, Root};

use crate::not_run;

const MIB: u64 = 1 << 20;

/// True for root; says so otherwise.
fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        not_run("loop devices need root");
    }
    is_root
}

fn run(program: &str, arguments: &[&dyn AsRef<OsStr>]) -> String {
    let done = Command::new(program).args(arguments.iter().map(AsRef::as_ref)).output();
    let done = done.unwrap_or_else(|error| panic!("{program}: {error}"));
    let error = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{program}: {error}");
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// Undoes what a test did, last first, also when the test panics.
struct Bench {
    directory: tempfile::TempDir,
    undo: Vec<Vec<String>>,
}

impl Bench {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), undo: Vec::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn file(&self, name: &str, bytes: u64) -> PathBuf {
        File::create(self.path(name)).unwrap().set_len(bytes).unwrap();
        self.path(name)
    }

    fn undo_with(&mut self, command: &[&str]) {
        self.undo.push(command.iter().map(|&word| word.to_owned()).collect());
    }

    /// Attaches a file or device to a loop device and gives its node.
    fn attach(&mut self, backing: &Path) -> String {
        let node = run("losetup", &[&"-f", &"--show", &"-P", &backing]);
        self.undo_with(&["losetup", "-d", &node]);
        node
    }

    /// A loop device over a new empty file.
    fn device(&mut self, name: &str) -> String {
        let file = self.file(name, 128 * MIB);
        self.attach(&file)
    }

    fn mount(&mut self, node: &str, name: &str) -> PathBuf {
        let at = self.path(name);
        fs::create_dir(&at).unwrap();
        run("mount", &[&node, &at]);
        self.undo_with(&["umount", at.to_str().unwrap()]);
        at
    }

    /// Undoes the last thing now.
    fn undo_last(&mut self) {
        let command = self.undo.pop().unwrap();
        let words: Vec<&dyn AsRef<OsStr>> =
            command[1..].iter().map(|word| word as &dyn AsRef<OsStr>).collect();
        run(&command[0], &words);
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        while let Some(command) = self.undo.pop() {
            // Best effort: a failure here must not hide the test's own.
            let _ = Command::new(&command[0]).args(&command[1..]).output();
        }
    }
}

fn ask(target: impl AsRef<Path>, named: &[&str]) -> Result<Permission, Refusal> {
    may_write(&Survey::read(&Root::live()), target.as_ref(), named)
}

fn refused(target: impl AsRef<Path>) -> Refusal {
    ask(target, &[]).unwrap_err()
}

/// Refused whatever is named; gives the message.
fn never(target: impl AsRef<Path>, guess: &str) -> String {
    let refusal = refused(&target);
    assert_eq!(refusal.override_token, None, "{refusal}");
    assert_eq!(ask(&target, &[guess]).unwrap_err().reasons, refusal.reasons);
    refusal.to_string()
}

#[test]
fn an_empty_device_is_permitted_and_the_permission_is_for_it_alone() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (one, other) = (bench.device("one.img"), bench.device("other.img"));
    let permission = ask(&one, &[]).unwrap();
    assert_eq!(permission.permitted, Permitted::Device);
    assert!(permission.is_for(&File::open(&one).unwrap()).unwrap());
    assert!(!permission.is_for(&File::open(&other).unwrap()).unwrap());
    let devices = Devices::read(&Root::live()).unwrap();
    let facts = target::read(&Root::live(), &devices, Path::new(&one)).unwrap().unwrap();
    let name = one.strip_prefix("/dev/").unwrap();
    assert_eq!((facts.kind, facts.bytes), (TargetKind::BlockDevice(name.into()), 128 * MIB));
}

#[test]
fn a_device_with_bytes_of_no_known_format_must_be_named() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("raw.img");
    let image = bench.path("raw.img");
    OpenOptions::new().write(true).open(&node).unwrap().write_all_at(b"rows", 100 << 10).unwrap();
    let refusal = refused(&node);
    assert_eq!(refusal.reasons, [Reason::UnknownData { device: node.clone().into() }]);
    assert_eq!(refusal.override_token.as_deref(), image.to_str());
    ask(&node, &[image.to_str().unwrap()]).unwrap();
}

#[test]
fn a_mounted_partition_protects_the_whole_and_gives_way_once_unmounted() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("disk.img");
    let script = bench.path("table");
    fs::write(&script, "label: gpt\nsize=64MiB\nsize=32MiB\n").unwrap();
    let table = File::open(&script).unwrap();
    let done = Command::new("sfdisk").args(["-q", &node]).stdin(table).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    run("losetup", &[&"-c", &node]);
    run("partx", &[&"-u", &node]);
    let (first, second) = (format!("{node}p1"), format!("{node}p2"));
    run("mkfs.ext4", &[&"-q", &"-L", &"data", &first]);
    let at = bench.mount(&first, "mnt");
    let image = bench.path("disk.img").display().to_string();

    let text = never(&node, &image);
    let at = at.display();
    for line in [
        format!("{first} is mounted on {at}"),
        format!("{node} carries a partition table: gpt"),
        format!("\n  {first}: ext4 \"data\", mounted on {at}"),
        "unmount".to_owned(),
    ] {
        assert!(text.contains(&line), "{line} in:\n{text}");
    }
    never(&first, &format!("{image}-part1"));
    ask(&second, &[]).unwrap();

    let devices = Devices::read(&Root::live()).unwrap();
    let inside = bench.path("mnt");
    let found = device_of_file(&Root::live(), &devices, &inside).unwrap();
    let name = first.strip_prefix("/dev/").unwrap().to_owned();
    assert!(found.devices.contains(&name), "{found:?}");

    bench.undo_last();
    let refusal = refused(&node);
    assert_eq!(refusal.override_token.as_deref(), Some(image.as_str()), "{refusal}");
    ask(&node, &["/somewhere/else"]).unwrap_err();
    assert!(!ask(&node, &[&image]).unwrap().overridden.is_empty());
    ask(&first, &[&image]).unwrap_err();
    ask(&first, &[&format!("{image}-part1")]).unwrap();
}

#[test]
fn all_names_of_a_device_and_of_a_file_are_one() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("disk.img");
    let image = bench.path("disk.img");
    let script = bench.path("table");
    fs::write(&script, "label: dos\nsize=4MiB\n").unwrap();
    let table = File::open(&script).unwrap();
    let done = Command::new("sfdisk").args(["-q", &node]).stdin(table).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    run("partx", &[&"-u", &node]);
    let (root, first) = (Root::live(), format!("{node}p1"));
    let devices = Devices::read(&root).unwrap();
    let object = |path: &Path| identify(&root, &devices, path).unwrap();
    let disk = object(Path::new(&node));
    assert_eq!(disk, Object::Block(node.strip_prefix("/dev/").unwrap().to_owned()));
    let (link, far) = (bench.path("link"), bench.path("far"));
    std::os::unix::fs::symlink(&node, &link).unwrap();
    std::os::unix::fs::symlink(&link, &far).unwrap();
    let number = devices.find(node.strip_prefix("/dev/").unwrap()).unwrap().number;
    let made = bench.path("node");
    run("mknod", &[&made, &"b", &number.major.to_string(), &number.minor.to_string()]);
    for name in [&link, &far, &made] {
        assert_eq!(object(name), disk, "{}", name.display());
    }
    let part = object(Path::new(&first));
    assert_ne!(part, disk);
    assert_eq!([part.whole(&devices), disk.whole(&devices)], [Some(disk.clone()), Some(disk)]);
    fs::hard_link(&image, bench.path("hard")).unwrap();
    std::os::unix::fs::symlink(&image, bench.path("soft")).unwrap();
    let file = object(&image);
    assert_eq!(
        [object(&bench.path("hard")), object(&bench.path("soft"))],
        [file.clone(), file.clone()]
    );
    assert_ne!(object(&script), file);
    assert_eq!(file.whole(&devices), None);
}

#[test]
fn swap_is_protected_while_on_and_signed_when_off() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("swap.img");
    let image = bench.path("swap.img").display().to_string();
    run("mkswap", &[&"-q", &"-L", &"scratch", &node]);
    run("swapon", &[&node]);
    bench.undo_with(&["swapoff", &node]);
    assert!(never(&node, &image).contains(&format!("{node} is active swap")));
    bench.undo_last();
    let refusal = refused(&node);
    assert!(refusal.to_string().contains("carries swap space: swap \"scratch\""), "{refusal}");
    ask(&node, &[&image]).unwrap();
}

#[test]
fn a_swap_file_is_protected_under_all_its_names_and_so_is_its_disk() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("disk.img");
    run("mkfs.ext4", &[&"-q", &node]);
    let at = bench.mount(&node, "mnt");
    let swap = at.join("swap file");
    fs::write(&swap, vec![0; 16 << 20]).unwrap();
    run("chmod", &[&"600", &swap]);
    run("mkswap", &[&"-q", &swap]);
    run("swapon", &[&swap]);
    bench.undo_with(&["swapoff", swap.to_str().unwrap()]);
    std::os::unix::fs::symlink(&swap, bench.path("link")).unwrap();
    for name in [swap.clone(), bench.path("link")] {
        assert!(never(&name, swap.to_str().unwrap()).contains("active swap"), "{name:?}");
    }
    let text = never(&node, "x");
    assert!(text.contains("swap file is active swap") && text.contains("mounted"), "{text}");
}

#[test]
fn both_members_of_a_mounted_btrfs_are_protected() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (one, two) = (bench.device("one.img"), bench.device("two.img"));
    run("mkfs.btrfs", &[&"-q", &"-d", &"single", &"-m", &"raid1", &one, &two]);
    // Member two makes itself known to the kernel only when asked.
    run("btrfs", &[&"device", &"scan", &one, &two]);
    let at = bench.mount(&one, "mnt");
    for node in [&one, &two] {
        let text = never(node, "x");
        assert!(text.contains(&format!("{node} is mounted on {}", at.display())), "{text}");
    }
    let devices = Devices::read(&Root::live()).unwrap();
    let found = device_of_file(&Root::live(), &devices, &at).unwrap();
    assert_eq!(found.devices.len(), 2, "{found:?}");
    bench.undo_last();
    assert!(refused(&two).to_string().contains("carries a file system: btrfs"));
    run("btrfs", &[&"device", &"scan", &"--forget"]);
}

#[test]
fn a_file_behind_a_loop_device_is_known_by_every_name_and_without_one() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let file = bench.file("disk.img", 8 * MIB);
    // Unlike any other test's, whose files might be taken for this one.
    OpenOptions::new().write(true).open(&file).unwrap().write_all_at(b"nameless", 0).unwrap();
    let node = bench.attach(&file);
    let (soft, hard) = (bench.path("soft"), bench.path("hard"));
    std::os::unix::fs::symlink("disk.img", &soft).unwrap();
    fs::hard_link(&file, &hard).unwrap();
    let open = File::open(&file).unwrap();
    let by_descriptor = PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()));
    let up = "../".repeat(std::env::current_dir().unwrap().components().count());
    let relative = PathBuf::from(up).join(file.strip_prefix("/").unwrap());
    for name in [&file, &soft, &hard, &by_descriptor, &relative] {
        let text = never(name, file.to_str().unwrap());
        assert!(text.contains(&format!("is behind {node}")), "{text}");
    }
    // The name the loop device knows is gone; the file lives on under another.
    fs::remove_file(&file).unwrap();
    for name in [&hard, &by_descriptor] {
        let text = never(name, hard.to_str().unwrap());
        assert!(text.contains(&format!("is behind {node}")), "{text}");
    }
    // A file whose bytes are others is not the one.
    let other = bench.path("other");
    fs::write(&other, vec![7; 8 << 20]).unwrap();
    let refusal = refused(&other);
    assert!(refusal.override_token.is_some(), "{refusal}");
    // The loop device does not follow when its file grows.
    OpenOptions::new().write(true).open(&hard).unwrap().set_len(9 * MIB).unwrap();
    let text = never(&hard, hard.to_str().unwrap());
    assert!(text.contains(&format!("is behind {node}")), "{text}");
}

#[test]
fn a_file_behind_a_loop_device_is_known_when_something_is_mounted_over_its_path() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (folder, other) = (bench.path("images"), bench.path("seen from here"));
    fs::create_dir(&folder).unwrap();
    fs::create_dir(&other).unwrap();
    let file = bench.file("images/disk.img", 8 * MIB);
    // Unlike any other test's, whose files might be taken for this one.
    OpenOptions::new().write(true).open(&file).unwrap().write_all_at(b"covered", 0).unwrap();
    let node = bench.attach(&file);
    run("mount", &[&"--bind", &folder, &other]);
    bench.undo_with(&["umount", other.to_str().unwrap()]);
    run("mount", &[&"-t", &"tmpfs", &"none", &folder]);
    bench.undo_with(&["umount", folder.to_str().unwrap()]);
    let target = other.join("disk.img");
    let is_told = |what: &str| {
        let text = never(&target, target.to_str().unwrap());
        assert!(text.contains(&format!("is behind {node}")), "{what}: {text}");
    };
    is_told("nothing at the path");
    for (what, bytes) in [("shorter", MIB), ("of the same size", 8 * MIB), ("longer", 9 * MIB)] {
        bench.file("images/disk.img", bytes);
        is_told(what);
    }
    // What is only in the device's cache does not make them different.
    let device = OpenOptions::new().write(true).open(&node).unwrap();
    device.write_all_at(b"not written back yet", 4096).unwrap();
    is_told("with a dirty cache");
}

#[test]
fn a_loop_device_over_another_is_followed_in_both_directions() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let lower = bench.device("disk.img");
    let upper = bench.attach(Path::new(&lower));
    assert!(never(&lower, "x").contains(&format!("{lower} is behind {upper}")));
    ask(&upper, &[]).unwrap();
    let flags = rustix::fs::OFlags::EXCL | rustix::fs::OFlags::CLOEXEC;
    let holder = rustix::fs::open(&lower, flags, rustix::fs::Mode::empty()).unwrap();
    assert!(never(&upper, "x").contains(&format!("{lower} is opened exclusively")));
    drop(holder);
    run("mkfs.ext4", &[&"-q", &upper]);
    let at = bench.mount(&lower, "mnt");
    let text = never(&upper, "x");
    assert!(text.contains(&format!("{lower} is mounted on {}", at.display())), "{text}");
}

#[test]
fn loop_devices_on_one_deleted_file_protect_each_other() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let one = bench.device("twins.img");
    run("mkfs.ext4", &[&"-q", &one]);
    let file = bench.path("twins.img");
    let other = bench.attach(&file);
    fs::remove_file(&file).unwrap();
    let at = bench.mount(&other, "mnt");
    let text = never(&one, file.to_str().unwrap());
    assert!(text.contains(&format!("{other} is mounted on {}", at.display())), "{text}");
}

#[test]
fn loop_devices_on_one_file_protect_each_other_whatever_became_of_its_names() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let one = bench.device("first name.img");
    run("mkfs.ext4", &[&"-q", &one]);
    let (first, second) = (bench.path("first name.img"), bench.path("second name.img"));
    fs::hard_link(&first, &second).unwrap();
    let other = bench.attach(&second);
    fs::remove_file(&first).unwrap();
    let at = bench.mount(&one, "mnt");
    let text = never(&other, second.to_str().unwrap());
    assert!(text.contains(&format!("{one} is mounted on {}", at.display())), "{text}");
    assert!(never(&second, second.to_str().unwrap()).contains(&format!("is behind {one}")));
    // Another file of the same size and content is not concerned.
    let apart = bench.device("apart.img");
    ask(&apart, &[]).unwrap();
}

#[test]
fn two_loop_devices_on_one_file_are_one_target() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (one, apart) = (bench.device("disk.img"), bench.device("apart.img"));
    let file = bench.path("disk.img");
    let hard = bench.path("hard.img");
    fs::hard_link(&file, &hard).unwrap();
    let other = bench.attach(&hard);
    fs::remove_file(&file).unwrap();
    let paths = [one.clone(), apart, other.clone(), hard.display().to_string()].map(PathBuf::from);
    let shared = |other: &PathBuf| Shared { one: one.clone().into(), other: other.clone() };
    let found = shares_bytes(&Survey::read(&Root::live()), &paths);
    assert_eq!(found, [shared(&other.into()), shared(&hard)]);
}

#[test]
fn a_file_behind_a_mounted_loop_device_is_known_through_an_overlay() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    for name in ["lower", "upper", "work", "merged"] {
        fs::create_dir(bench.path(name)).unwrap();
    }
    for name in ["lower/low.img", "upper/up.img"] {
        bench.file(name, 32 * MIB);
    }
    let place = |name: &str| bench.path(name).display().to_string();
    let options = format!(
        "lowerdir={},upperdir={},workdir={}",
        place("lower"),
        place("upper"),
        place("work")
    );
    let merged = bench.path("merged");
    let mounting = ["-t", "overlay", "overlay", "-o", &options];
    let done = Command::new("mount").args(mounting).arg(&merged).output().unwrap();
    if !done.status.success() {
        return not_run("no overlay over the temporary directory");
    }
    // udev may still look at the loop devices over its files.
    bench.undo_with(&["umount", "--lazy", merged.to_str().unwrap()]);
    for (file, name) in [("lower/low.img", "low.img"), ("upper/up.img", "up.img")] {
        let file = bench.path(file);
        run("mkfs.ext4", &[&"-q", &"-L", &name, &file]);
        let node = bench.attach(&file);
        let at = bench.mount(&node, name);
        // Not written back yet.
        fs::write(at.join("precious"), vec![7; 1 << 20]).unwrap();
        let target = merged.join(name);
        let text = never(&target, target.to_str().unwrap());
        assert!(text.contains(&format!("may be the file behind {node}")), "{text}");
        bench.undo_last();
        bench.undo_last();
    }
    // The other way round: the loop device knows the name in the overlay.
    let node = bench.attach(&merged.join("up.img"));
    bench.mount(&node, "mnt");
    let upper = bench.path("upper/up.img");
    let text = never(&upper, upper.to_str().unwrap());
    assert!(text.contains(&format!("be the file behind {node}")), "{text}");
    // Two files of one overlay are two files, also with the same bytes in them.
    let twins = ["one.img", "two.img"].map(|name| {
        fs::write(merged.join(name), vec![3; 1 << 20]).unwrap();
        bench.attach(&merged.join(name))
    });
    for node in twins {
        assert!(refused(&node).override_token.is_some(), "{}", refused(&node));
    }
    // A file of other content is only asked about.
    let other = merged.join("other.img");
    fs::write(&other, vec![1; 32 << 20]).unwrap();
    assert_eq!(refused(&other).override_token.as_deref(), other.to_str());
}

#[test]
fn an_exclusive_opener_is_noticed() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("disk.img");
    ask(&node, &[]).unwrap();
    let flags = rustix::fs::OFlags::EXCL | rustix::fs::OFlags::CLOEXEC;
    let open = || rustix::fs::open(&node, flags, rustix::fs::Mode::empty());
    // Other tests ask of all devices at the same time, each for a moment.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    let holder = loop {
        match open() {
            Err(rustix::io::Errno::BUSY) if std::time::Instant::now() < deadline => {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            opened => break opened.unwrap(),
        }
    };
    assert!(never(&node, "x").contains("opened exclusively by another process"));
    drop(holder);
    ask(&node, &[]).unwrap();
}

#[test]
fn a_read_only_loop_device_and_a_file_system_mounted_read_only_are_refused() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let file = bench.file("disk.img", 64 * MIB);
    run("mkfs.ext4", &[&"-q", &file]);
    let node = run("losetup", &[&"-f", &"--show", &"-r", &file]);
    bench.undo_with(&["losetup", "-d", &node]);
    assert!(never(&node, "x").contains("is read-only"));
    let at = bench.path("mnt");
    fs::create_dir(&at).unwrap();
    run("mount", &[&"-o", &"ro", &node, &at]);
    bench.undo_with(&["umount", at.to_str().unwrap()]);
    assert!(never(at.join("new"), "x").contains("is read-only"));
}

#[test]
fn immutable_and_append_only_files_are_refused() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    // An ext4 of our own: not every file system under /tmp has these attributes.
    let node = bench.device("disk.img");
    run("mkfs.ext4", &[&"-q", &node]);
    let at = bench.mount(&node, "mnt");
    for (flag, word) in [("+i", "immutable"), ("+a", "append-only")] {
        let file = at.join(word);
        File::create(&file).unwrap();
        ask(&file, &[]).unwrap();
        run("chattr", &[&flag, &file]);
        let text = never(&file, file.to_str().unwrap());
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn what_is_neither_file_nor_device_is_refused() {
    let bench = Bench::new();
    let fifo = bench.path("fifo");
    run("mkfifo", &[&fifo]);
    let socket = bench.path("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for (target, what) in [
        (PathBuf::from("/dev/null"), "a character device"),
        (bench.path("."), "a directory"),
        (fifo, "a FIFO"),
        (socket, "a socket"),
        (PathBuf::from("/proc/self/oom_score_adj"), "a control file of the kernel"),
        (PathBuf::from("/sys/block/nothing"), "a control file of the kernel"),
        (PathBuf::from("/proc/nothing"), "a control file of the kernel"),
    ] {
        let text = never(&target, target.to_str().unwrap());
        assert!(text.contains(what), "{target:?}: {text}");
    }
}

#[test]
fn iopaths_own_file_is_known_until_somebody_else_writes_to_it() {
    let bench = Bench::new();
    let path = bench.path("scratch");
    fs::write(&path, vec![1; 4096]).unwrap();
    assert_eq!(refused(&path).reasons, [Reason::ExistingData { bytes: 4096 }]);
    let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    if mark_own_file(&file).is_err() {
        return not_run("no extended attributes under the temporary directory");
    }
    assert!(is_own_file(&file).unwrap());
    assert_eq!(ask(&path, &[]).unwrap().permitted, Permitted::OwnFile);
    // Of the same length, so that only the time tells.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1);
    file.write_all_at(&[2], 0).unwrap();
    file.set_modified(later).unwrap();
    assert!(!is_own_file(&file).unwrap());
    assert_eq!(refused(&path).reasons, [Reason::ExistingData { bytes: 4096 }]);
}

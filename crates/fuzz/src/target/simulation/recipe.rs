//! Bytes to the text of a small study: what there is, how it is wired, what runs on it.
//!
//! Bytes that are missing are zeros, so a shorter input is a simpler study.

/// Choices one after the other.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, most: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % most
    }

    fn one<'b>(&mut self, of: &[&'b str]) -> &'b str {
        of[self.below(of.len())]
    }
}

/// The study of a recipe.
pub(super) fn study(input: &[u8]) -> String {
    let mut choices = Choices(input.iter());
    let (path, hosts) = path(&mut choices);
    let (layout, targets) = layout(&mut choices);
    let workload = workload(&mut choices, hosts, &targets);
    format!("study \"fuzz\"\n{path}\n{layout}\n{workload}")
}

/// Hosts and arrays around a switch.
fn path(choices: &mut Choices<'_>) -> (String, usize) {
    let (hosts, adapters, arrays) =
        (1 + choices.below(2), 1 + choices.below(2), 1 + choices.below(2));
    let front = hosts * adapters;
    let text = format!(
        "path {{
            host \"h\" count={hosts} {} {} {{ hba count={adapters} {} {} {} }}
            array \"a\" count={arrays} {{
                controller count=2 {} {{
                    port {} {} {}
                    {}
                    lun count={} {} segment=\"64 KiB\" {} {{ disk count=4 {} size=\"1 GiB\" }}
                }}
            }}
            switch \"s\" {} {{ port count={} }}
            wire from=\"h.hba\" to=\"s.port[0-{}]\" {}
            wire from=\"a.controller.port\" to=\"s.port[{front}-{}]\"
            multipath policy=\"{}\" {} {}
        }}",
        choices.one(&["", "cpus=1", "cpus=4"]),
        choices.one(&["", "memory-rate=\"2 GB/s\""]),
        rate(choices),
        room(choices),
        varies(choices),
        choices.one(&["", "cpus=2"]),
        rate(choices),
        room(choices),
        choices.one(&["", "latency=\"20 us\"", "latency=\"5 ms\""]),
        cache(choices),
        1 + choices.below(3),
        choices.one(&["level=0", "level=1", "level=5", "level=6", "level=10"]),
        rate(choices),
        disk(choices),
        rate(choices),
        front + 2 * arrays,
        front - 1,
        choices.one(&["", "latency=\"100 us\""]),
        front + 2 * arrays - 1,
        choices.one(&["round-robin", "queue-length", "service-time", "owner", "fixed"]),
        choices.one(&["", "most=1", "most=2"]),
        choices.one(&["", "standby=\"used\""]),
    );
    (text, hosts)
}

fn rate(choices: &mut Choices<'_>) -> &'static str {
    choices.one(&[
        "",
        "both=\"100 MB/s\"",
        "read=\"1 GB/s\" write=\"500 MB/s\"",
        "ops=\"3000 /s\"",
        "both=\"2 GB/s\" ops=\"50000 /s\"",
        "both=\"50 MB/s\" burst=\"20 MB\" burst-rate=\"200 MB/s\"",
        "both=\"1 MB/s\"",
    ])
}

fn room(choices: &mut Choices<'_>) -> &'static str {
    choices.one(&["", "outstanding=1", "outstanding=8"])
}

fn varies(choices: &mut Choices<'_>) -> &'static str {
    choices.one(&["", "variability=1.0", "variability=0.1", "variability=4.0"])
}

fn disk(choices: &mut Choices<'_>) -> String {
    let arm = choices.one(&[
        "",
        "stream=\"80 MB/s\" position=\"6 ms\"",
        "stream=\"80 MB/s\" position=\"6 ms\" position-queued=\"2 ms\"",
    ]);
    format!("{arm} {} {} {}", rate(choices), room(choices), varies(choices))
}

fn cache(choices: &mut Choices<'_>) -> String {
    let write = choices.one(&["", "back", "through", "off"]);
    if write.is_empty() {
        return String::new();
    }
    format!(
        "cache size=\"{}\" write=\"{write}\" {} {} {}",
        choices.one(&["1 MiB", "64 MiB"]),
        choices.one(&["", "mirror=#true"]),
        choices.one(&["", "read-ahead=#true"]),
        rate(choices),
    )
}

/// A volume over the arrays, a file system on it; and what streams can be over.
fn layout(choices: &mut Choices<'_>) -> (String, Vec<&'static str>) {
    let volume = choices.one(&[
        "",
        "stripe \"v\" unit=\"64 KiB\" over=\"a..lun\"",
        "stripe \"v\" unit=\"256 KiB\" largest-request=\"128 KiB\" over=\"a..lun\"",
        "concat \"v\" over=\"a..lun\"",
        "mirror \"v\" { side of=\"a..controller[0].lun\"; side of=\"a..controller[1].lun\" }",
        "raid \"v\" level=5 segment=\"32 KiB\" over=\"a..lun\"",
    ]);
    if volume.is_empty() {
        return (String::new(), vec!["a..lun"]);
    }
    if choices.below(2) == 0 {
        return (format!("layout {{ {volume} }}"), vec!["v"]);
    }
    let text = format!(
        "layout {{
            {volume}
            filesystem \"fs\" on=\"v\" {} {} {} {{
                {}
                {}
            }}
            file \"f\" count=2 on=\"fs\" size=\"16 MiB\" {}
        }}",
        choices.one(&["", "block=\"4 KiB\"", "block=\"64 KiB\"", "record=\"128 KiB\""]),
        choices.one(&["cache=\"direct\"", "cache=\"buffered\""]),
        choices.one(&["", "lock=\"inode\"", "lock=\"range\" lock-unit=\"64 KiB\""]),
        choices.one(&["", "readahead unit=\"128 KiB\" streams=4"]),
        choices.one(&["", "prefetch threads=2", "issue mode=\"serial\"", "cost revoke=\"20 us\""]),
        choices.one(&["", "extents=\"random\""]),
    );
    (text, vec!["f", "f[0]", "f[1]"])
}

fn workload(choices: &mut Choices<'_>, hosts: usize, targets: &[&'static str]) -> String {
    let mut streams = String::new();
    for at in 0..1 + choices.below(3) {
        let relation = match (at, choices.below(4)) {
            (0, _) | (_, 0 | 1) => "",
            (_, 2) => "behind=\"s0\"",
            _ => "after=\"s0\"",
        };
        // A follower does as its leader does.
        let is_relay = relation.starts_with("behind");
        let op = match is_relay {
            true => "op=\"read\" pattern=\"sequential\"",
            false => choices.one(&[
                "op=\"write\" pattern=\"sequential\"",
                "op=\"read\" pattern=\"sequential\"",
                "op=\"read\" pattern=\"random\"",
                "op=\"mix\" reads=\"70 %\" pattern=\"random\"",
                "op=\"write\" pattern=\"backwards\"",
                "pattern=\"spc1-like\"",
            ]),
        };
        let over = if is_relay { targets[0] } else { choices.one(targets) };
        streams += &format!(
            "streams \"s{at}\" over=\"{over}\" on=\"h[{}]\" {op} {relation} {} block=\"{}\" \
             depth={} {} {} {}\n",
            choices.below(hosts),
            if is_relay { choices.one(&["", "lag=\"follow\""]) } else { "" },
            choices.one(&["4 KiB", "64 KiB", "512 KiB", "2 MiB"]),
            [1, 2, 4, 32][choices.below(4)],
            choices.one(&["", "rate=\"100 /s\"", "rate=\"20 MB/s\" arrivals=\"poisson\""]),
            choices.one(&["", "hit=0.5", "hit=1.0"]),
            choices.one(&["", "count=3"]),
        );
    }
    let time = choices.one(&["", "time=\"100 ms\"", "time=\"10 s\""]);
    format!("workload {time} {{ {streams} }}")
}

//! Thirty loads that are no part of a profile, as experiments of a study over `scratch`.

/// What streams do, as a study has it.
const DIRECT: [(&str, &str); 26] = [
    ("read 8 KiB, depth 1", "op=\"read\" pattern=\"random\" block=\"8 KiB\" depth=1"),
    ("read 8 KiB, depth 8", "op=\"read\" pattern=\"random\" block=\"8 KiB\" depth=8"),
    ("read 8 KiB, depth 96", "op=\"read\" pattern=\"random\" block=\"8 KiB\" depth=96"),
    ("read 32 KiB, depth 8", "op=\"read\" pattern=\"random\" block=\"32 KiB\" depth=8"),
    ("read 32 KiB, depth 64", "op=\"read\" pattern=\"random\" block=\"32 KiB\" depth=64"),
    ("read 128 KiB, depth 1", "op=\"read\" pattern=\"random\" block=\"128 KiB\" depth=1"),
    ("read 128 KiB, depth 32", "op=\"read\" pattern=\"random\" block=\"128 KiB\" depth=32"),
    ("read 512 KiB, depth 16", "op=\"read\" pattern=\"random\" block=\"512 KiB\" depth=16"),
    ("read 1 MiB, depth 4", "op=\"read\" pattern=\"random\" block=\"1 MiB\" depth=4"),
    ("read 4 KiB, depth 8", "op=\"read\" pattern=\"random\" block=\"4 KiB\" depth=8"),
    ("read 4 KiB, depth 256", "op=\"read\" pattern=\"random\" block=\"4 KiB\" depth=256"),
    ("sequential 64 KiB, depth 4", "op=\"read\" block=\"64 KiB\" depth=4"),
    ("sequential 4 MiB, depth 4", "op=\"read\" block=\"4 MiB\" depth=4"),
    ("4 sequential readers", "op=\"read\" block=\"512 KiB\" depth=2 count=4"),
    ("8 random readers", "op=\"read\" pattern=\"random\" block=\"16 KiB\" depth=4 count=8"),
    ("write 8 KiB, depth 1", "op=\"write\" pattern=\"random\" block=\"8 KiB\" depth=1"),
    ("write 8 KiB, depth 32", "op=\"write\" pattern=\"random\" block=\"8 KiB\" depth=32"),
    ("write 256 KiB, depth 8", "op=\"write\" pattern=\"random\" block=\"256 KiB\" depth=8"),
    ("sequential write 512 KiB, depth 4", "op=\"write\" block=\"512 KiB\" depth=4"),
    ("4 sequential writers", "op=\"write\" block=\"256 KiB\" depth=4 count=4"),
    ("70 % reads 4 KiB", "op=\"mix\" reads=\"70 %\" pattern=\"random\" block=\"4 KiB\" depth=32"),
    ("70 % reads 16 KiB", "op=\"mix\" reads=\"70 %\" pattern=\"random\" block=\"16 KiB\" depth=32"),
    ("50 % reads 64 KiB", "op=\"mix\" reads=\"50 %\" pattern=\"random\" block=\"64 KiB\" depth=16"),
    ("30 % reads 8 KiB", "op=\"mix\" reads=\"30 %\" pattern=\"random\" block=\"8 KiB\" depth=16"),
    ("fdatasync 8 KiB, direct", "op=\"write\" block=\"8 KiB\" sync=\"fdatasync\""),
    (
        "fdatasync of 8 x 8 KiB, direct",
        "op=\"write\" block=\"8 KiB\" sync=\"fdatasync\" sync-every=8",
    ),
];

/// The same through the page cache.
const BUFFERED: [(&str, &str); 4] = [
    ("fdatasync 8 KiB, buffered", "op=\"write\" block=\"8 KiB\" sync=\"fdatasync\""),
    (
        "fdatasync of 8 x 8 KiB, buffered",
        "op=\"write\" block=\"8 KiB\" sync=\"fdatasync\" sync-every=8",
    ),
    (
        "random fdatasync 8 KiB, buffered",
        "op=\"write\" pattern=\"random\" block=\"8 KiB\" sync=\"fdatasync\"",
    ),
    ("dsync 64 KiB, buffered", "op=\"write\" block=\"64 KiB\" sync=\"dsync\""),
];

/// The experiments.
pub(super) fn text() -> String {
    let times = "time=\"2 s\" warm-up=\"500 ms\" passes=3";
    let direct = DIRECT.into_iter().map(|case| ("direct", case));
    let buffered = BUFFERED.into_iter().map(|case| ("buffered", case));
    let each = direct.chain(buffered).map(|(cache, (title, does))| {
        let streams = format!("streams \"load\" over=\"scratch\" {does}");
        format!("experiment \"{title}\" {{ workload cache=\"{cache}\" {times} {{ {streams} }} }}\n")
    });
    each.collect()
}

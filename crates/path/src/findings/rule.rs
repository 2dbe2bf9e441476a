//! The rules, each with a stable name and the text that it follows.

use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The path cannot work as it is described, or not as anybody would mean it.
    Mistake,
    /// It works and costs data or throughput.
    Warning,
    /// It works; another way is known to be better, or something is worth knowing.
    Advice,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mistake => "mistake",
            Self::Warning => "warning",
            Self::Advice => "advice",
        })
    }
}

const CONTROLLERS: &str =
    "rules for RAID controllers, appendix of the JFS2 paper on the pSeries 690 (IBM, 2004)";
const P690: &str = "sequential I/O of the pSeries 690 (IBM, 2004)";
const SVC: &str = "SAN Volume Controller 3.1 (IBM, October 2005)";
const STORAGETEK: &str = "StorageTek 2540 and ZFS (white paper of a user, February 2008)";
const VERITAS: &str = "Veritas CFS media server (Veritas, September 2015)";
const SOLARIS: &str = "Solaris Volume Manager Administration Guide, guidelines for RAID-5 volumes";
const WIDTHS: &str = "IBM FlashSystem: a RAID stripe is at most 16 wide; NetApp ONTAP: groups of \
                      12 to 20 hard disks or 20 to 28 SSDs with double parity";
const ARRAYS: &str = "assumed: SANtricity, the software of FAStT and StorageTek 2540 controllers, \
                      takes at most 30";
const CHOSEN: &str = "threshold chosen by iopath";
const LANGUAGE: &str = "follows from the study's words";

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $source:expr;)*) => {
        /// A rule that a path may break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule { $($(#[$doc])* $variant,)* }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its stable name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Where it comes from.
            #[must_use]
            pub fn source(self) -> &'static str {
                match self { $(Self::$variant => $source,)* }
            }
        }
    };
}

rules! {
    /// No route leads from a stream to its target.
    UnreachableTarget = "unreachable-target", LANGUAGE;
    /// Streams that do not say where they run, and several hosts.
    ManyHosts = "many-hosts", LANGUAGE;
    /// No stream of a group crosses what its `via` names.
    NoVia = "no-via", LANGUAGE;
    /// A cache should serve requests, and none is on the way.
    NoCache = "no-cache", LANGUAGE;
    /// A volume lies on something that is gone or that no route leads to.
    MissingMember = "missing-member", LANGUAGE;
    /// An adapter or port without a wire while others like it have one.
    UnwiredPort = "unwired-port", LANGUAGE;
    /// Only routes through a controller that does not own it lead to a volume.
    NotThroughOwner = "not-through-owner", STORAGETEK;
    /// Members of a volume differ in size or rate.
    UnequalMembers = "unequal-members", SOLARIS;
    /// More is laid out than there is room for.
    TooLarge = "too-large", LANGUAGE;
    /// The sides of a mirror share a part whose loss takes both.
    MirrorSharesPart = "mirror-shares-part", STORAGETEK;
    /// A RAID level has too few disks, or a number that it cannot pair.
    DiskCount = "disk-count", SOLARIS;
    /// A layout repeats after more bytes than offsets can count.
    LayoutTooLong = "layout-too-long", LANGUAGE;
    /// Requests of the layout are no whole stripes of the array.
    PartialStripe = "partial-stripe", P690;
    /// The largest request is smaller than the stripe unit.
    CutRequests = "cut-requests", P690;
    /// Neither of stripe unit and segment divides the other.
    UnitMisfitsSegment = "unit-misfits-segment", P690;
    /// A lost disk loses data.
    NoRedundancy = "no-redundancy", CONTROLLERS;
    /// RAID 3 under small or concurrent requests.
    Raid3Load = "raid3-load", CONTROLLERS;
    /// Small writes to parity without a write cache.
    SmallWrites = "small-writes", CONTROLLERS;
    /// A volume in one machine whose copies or parity another one writes.
    SplitByClient = "split-by-client", LANGUAGE;
    /// Large sequential writes to RAID 10 behind a write cache.
    Raid10Writes = "raid10-writes", CONTROLLERS;
    /// So many disks in one array that a rebuild takes long.
    WideArray = "wide-array", WIDTHS;
    /// One large stream whose requests stay on few disks.
    SegmentForOne = "segment-for-one", CONTROLLERS;
    /// Many small users whose requests take several disks each.
    SegmentForMany = "segment-for-many", CONTROLLERS;
    /// No disk waits for a failure.
    NoSpare = "no-spare", CONTROLLERS;
    /// A write cache that its partner has no copy of.
    UnmirroredCache = "unmirrored-cache", CONTROLLERS;
    /// A write cache that a loss of power empties.
    CacheWithoutBattery = "cache-without-battery", STORAGETEK;
    /// Blocks of a cache that do not fit the requests.
    CacheBlock = "cache-block", CONTROLLERS;
    /// Destaging starts and stops far apart.
    FlushLevels = "flush-levels", CONTROLLERS;
    /// Something that counts only with something else, which is not there.
    NoEffect = "no-effect", LANGUAGE;
    /// A volume in an array that no controller owns.
    NoOwner = "no-owner", CONTROLLERS;
    /// Controllers of one array own unequal numbers of volumes.
    UnevenOwners = "uneven-owners", CONTROLLERS;
    /// Routes load the controllers of an array or the ports of a host unequally.
    UnevenPaths = "uneven-paths", STORAGETEK;
    /// An adapter that reaches one controller by several ports.
    WideZone = "wide-zone", CONTROLLERS;
    /// Conversations that leave their ASIC.
    CrossesBackplane = "crosses-backplane", P690;
    /// Every part whose loss stops a stream.
    SinglePoints = "single-points", CONTROLLERS;
    /// More routes to a target than help.
    TooManyPaths = "too-many-paths", SVC;
    /// A virtual disk on more than a pair of host ports, or on one half of the fabric.
    PortPair = "port-pair", SVC;
    /// A host or controller on one half of a fabric of two.
    OneHalf = "one-half", SVC;
    /// A node with more ports on one switch than on another.
    UnevenNodePorts = "uneven-node-ports", SVC;
    /// Nodes with unequal numbers of virtual disks.
    UnevenPreferred = "uneven-preferred", SVC;
    /// Several streams read the same blocks in the same order.
    SharedRegion = "shared-region", VERITAS;
    /// What is read fits into the caches of the arrays that it lies in.
    FitsCache = "fits-cache", STORAGETEK;
    /// A share of hits that is said, not found out.
    AssumedHits = "assumed-hits", LANGUAGE;
    /// A stated figure above what the catalogue rates.
    AboveRating = "above-rating", VERITAS;
    /// More hangs below a link than it carries.
    Oversubscribed = "oversubscribed", CHOSEN;
    /// Sockets of a machine with unequal devices or links.
    NumaUnbalanced = "numa-unbalanced", CHOSEN;
    /// Data crosses between sockets, and no link between them is stated.
    SocketLink = "socket-link", LANGUAGE;
    /// More disks in an array than its controller takes.
    ArrayDisks = "array-disks", ARRAYS;
    /// More devices in a volume than a volume group takes.
    VolumeGroup = "volume-group", P690;
    /// More LUNs than a host, an array or a controller takes.
    TooManyLuns = "too-many-luns", LANGUAGE;
    /// Links between switches carry less than what crosses them.
    InterSwitchLinks = "inter-switch-links", LANGUAGE;
    /// A limit that what hangs below can never reach.
    NeverBinds = "never-binds", P690;
}

impl Rule {
    /// Whether it is worth telling only to who asks for everything: it changes no decision, but
    /// tells which ceilings a profile can measure.
    #[must_use]
    pub fn is_detail(self) -> bool {
        self == Self::NeverBinds
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

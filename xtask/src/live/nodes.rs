//! The wiring of a pair of nodes over two arrays, with two switches between everything, as in
//! `studies/svc.kdl`. Its sizes are those of the case that uses it.

/// The path and its volume, with the words of a port of the host, of a node, its port and its
/// cache, of the disks of an array, and the unit of the volume.
macro_rules! nodes {
    (
        host_port: $host_port:literal,
        node: $node:literal,
        port: $port:literal,
        cache: $cache:literal,
        segment: $segment:literal,
        disk: $disk:literal,
        unit: $unit:literal $(,)?
    ) => {
        concat!(
            "path {\n    host \"h\" { hba { port count=2 ",
            $host_port,
            " } }\n    switch \"fabric\" count=2\n    array \"pair\" {\n        \
             controller \"node\" count=2 ",
            $node,
            " {\n            port count=2 ",
            $port,
            "\n            cache ",
            $cache,
            "\n        }\n    }\n    array \"box\" count=2 {\n        controller \"c\" {\n\
             port count=2\n            raid \"lun\" level=10 segment=\"",
            $segment,
            "\" {\n                disk count=4 ",
            $disk,
            "\n            }\n        }\n    }\n    \
             wire from=\"h.hba.port[0]\" to=\"fabric[0]\"\n    \
             wire from=\"h.hba.port[1]\" to=\"fabric[1]\"\n    \
             wire from=\"pair.node.port[0]\" to=\"fabric[0]\"\n    \
             wire from=\"pair.node.port[1]\" to=\"fabric[1]\"\n    \
             wire from=\"box.c.port[0]\" to=\"fabric[0]\"\n    \
             wire from=\"box.c.port[1]\" to=\"fabric[1]\"\n}\n\
             layout { stripe \"vdisk\" at=\"pair.node\" unit=\"",
            $unit,
            "\" over=\"box..lun\" }"
        )
    };
}

pub(crate) use nodes;

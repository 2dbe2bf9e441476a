//! The studies that come with the program: paths of thousands of components, told of as they are.

use iopath_entities::{StreamClass, Table};
use iopath_path::ComponentId;
use iopath_study::{Case, Source, parse_with};

use crate::{relations, sound, text};

macro_rules! study {
    ($name:literal) => {
        (concat!($name, ".kdl"), include_str!(concat!("../../../../studies/", $name, ".kdl")))
    };
}

const P690: (&str, &str) = study!("p690");

/// Name and text of every study of a whole path.
const STUDIES: [(&str, &str); 8] = [
    P690,
    study!("gpfs"),
    study!("storagetek-2540"),
    study!("svc"),
    study!("nvme-pcie-switches"),
    study!("lustre-oss-raid6"),
    study!("zfs-sas-expander"),
    study!("cloud-token-bucket"),
];

/// The first case of a study.
fn case((name, text): (&str, &str)) -> Case {
    let source = |name: &str, text: &str| Source { name: name.to_owned(), text: text.to_owned() };
    let read = parse_with(&source(name, text), &[source(P690.0, P690.1)], &[]);
    let cases = read.and_then(|study| study.cases());
    cases.unwrap_or_else(|mistakes| panic!("{name}: {mistakes}")).remove(0)
}

#[test]
fn every_study_has_a_sound_table() {
    for case in STUDIES.into_iter().map(case) {
        let network = text::network(&case);
        let classes = StreamClass::by_group(&case, &network);
        let each = |id: ComponentId| Some(vec![u64::from(id.0)]);
        for keys in [&each as &dyn Fn(ComponentId) -> _, &|_| None, &|_| Some(Vec::new())] {
            let table = Table::new(&case, &network, &classes, keys);
            sound::check(&case, &network, &table);
            relations::of(&case, &network, &table, 3.0, 1.0);
        }
    }
}

//! Numbered places against a sorted map.

use std::collections::BTreeMap;

use iopath_simulation::core::Slab;
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn values_are_found_by_their_numbers_until_they_are_removed(
        steps in vec(prop::option::weighted(0.6, any::<u16>()), 0..200),
        picked in any::<prop::sample::Index>(),
    ) {
        let (mut slab, mut plain) = (Slab::default(), BTreeMap::new());
        let mut most = 0;
        for step in steps {
            match step {
                Some(value) => {
                    let number = slab.insert(value);
                    prop_assert_eq!(plain.insert(number, value), None, "a place is used twice");
                    most = most.max(plain.len());
                    prop_assert!((number as usize) < most, "a free place was not used again");
                }
                None if plain.is_empty() => prop_assert_eq!(slab.remove(0), None),
                None => {
                    let number = *plain.keys().nth(picked.index(plain.len())).unwrap();
                    prop_assert_eq!(slab.remove(number), plain.remove(&number));
                    prop_assert_eq!(slab.find(number), None);
                }
            }
            prop_assert!(slab.iter().eq(plain.iter().map(|(number, value)| (*number, value))));
        }
        for (number, value) in plain {
            slab[number] ^= 1;
            prop_assert_eq!(slab[number], value ^ 1);
        }
    }
}

#[test]
fn the_place_that_was_left_last_is_taken_first() {
    let mut slab = Slab::default();
    let numbers: Vec<u32> = "abcd".chars().map(|letter| slab.insert(letter)).collect();
    assert_eq!(numbers, [0, 1, 2, 3]);
    assert_eq!([slab.remove(1), slab.remove(3), slab.remove(3)], [Some('b'), Some('d'), None]);
    assert_eq!(['e', 'f', 'g'].map(|letter| slab.insert(letter)), [3, 1, 4]);
}

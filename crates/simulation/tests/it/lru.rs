//! Keys in the order of their last use, against a list that is searched from end to end.

use iopath_simulation::core::Lru;
use proptest::prelude::*;

/// What is done to both.
#[derive(Clone, Copy, Debug)]
enum Call {
    Touch(u64),
    Insert(u64, u32),
    RemoveOldest,
}

fn call() -> impl Strategy<Value = Call> {
    // Keys that differ in few bits, as pages do, and so few that they meet again.
    let key = (0_u64..4, 0_u64..40).prop_map(|(front, page)| front << 44 | page);
    prop_oneof![
        2 => key.clone().prop_map(Call::Touch),
        3 => (key, 1_u32..9).prop_map(|(key, weight)| Call::Insert(key, weight)),
        1 => Just(Call::RemoveOldest),
    ]
}

proptest! {
    #[test]
    fn it_is_a_list_by_last_use(calls in prop::collection::vec(call(), 0..600)) {
        let mut lru = Lru::default();
        let mut list: Vec<(u64, u32)> = Vec::new();
        for call in calls {
            match call {
                Call::Touch(key) => {
                    let at = list.iter().position(|one| one.0 == key);
                    prop_assert_eq!(lru.touch(key), at.is_some());
                    if let Some(at) = at {
                        let one = list.remove(at);
                        list.push(one);
                    }
                }
                Call::Insert(key, weight) => {
                    lru.insert(key, weight);
                    let at = list.iter().position(|one| one.0 == key);
                    let one = at.map_or((key, weight), |at| list.remove(at));
                    list.push(one);
                }
                Call::RemoveOldest => {
                    let oldest = (!list.is_empty()).then(|| list.remove(0).0);
                    prop_assert_eq!(lru.remove_oldest(), oldest);
                }
            }
            let weight: u64 = list.iter().map(|one| u64::from(one.1)).sum();
            prop_assert_eq!(lru.weight(), weight);
        }
        for (key, _) in list {
            prop_assert_eq!(lru.remove_oldest(), Some(key));
        }
        prop_assert_eq!(lru.remove_oldest(), None);
    }
}

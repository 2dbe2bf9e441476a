//! The pool of tokens against a list of those who wait.

use iopath_simulation::core::Pool;
use iopath_workload::{Purpose, Source};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn tokens_go_to_those_who_wait_in_the_order_in_which_they_came(
        tokens in 1..20u64,
        steps in vec(any::<bool>(), 0..200),
    ) {
        let mut pool = Pool::new(tokens);
        let (mut holders, mut waiters) = (Vec::<u32>::new(), Vec::<u32>::new());
        for (who, takes) in (0..).zip(steps) {
            let mut woken = Vec::new();
            match takes {
                true if pool.take(who) => holders.push(who),
                true => waiters.push(who),
                false if holders.is_empty() => {}
                false => {
                    holders.remove(0);
                    pool.give(&mut woken);
                }
            }
            for who in woken {
                prop_assert_eq!(waiters.remove(0), who, "nobody overtakes");
                holders.push(who);
            }
            prop_assert!(holders.len() as u64 <= tokens);
            let is_empty = holders.len() as u64 == tokens;
            prop_assert!(waiters.is_empty() || is_empty, "nobody waits in vain");
        }
    }
}

#[test]
fn a_pool_without_tokens_holds_nobody_up() {
    let mut pool = Pool::new(0);
    assert!((0..100).all(|who| pool.take(who)));
}

#[test]
fn in_any_order_each_waiter_is_as_likely_to_be_next() {
    // Nine wait for one token; where the last that came gets in is uniform over nine places.
    let mut places = [0_u32; 9];
    for seed in 0..4_500 {
        let mut pool = Pool::in_any_order(1, Source::of(seed, "lun", Purpose::Order));
        assert!(pool.take(0));
        assert!((1..10).all(|who| !pool.take(who)));
        let mut woken = Vec::new();
        for _ in 0..9 {
            pool.give(&mut woken);
        }
        let mut sorted = woken.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (1..10).collect::<Vec<_>>(), "each gets in once");
        places[woken.iter().position(|who| *who == 9).unwrap()] += 1;
    }
    // 500 each; standard deviation sqrt(4500 * 1/9 * 8/9) = 21. Five of them.
    assert!(places.iter().all(|count| count.abs_diff(500) < 105), "{places:?}");
}

//! The pool of tokens against a list of those who wait.

use iopath_simulation::core::Pool;
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn tokens_go_to_those_who_wait_in_the_order_in_which_they_came(
        tokens in 1..20u64,
        steps in vec(prop_oneof![(1..30u64).prop_map(Some), Just(None)], 0..200),
    ) {
        let mut pool = Pool::new(tokens);
        let (mut holders, mut waiters) = (Vec::<(u32, u64)>::new(), Vec::<(u32, u64)>::new());
        for (who, step) in (0..).zip(steps) {
            let mut woken = Vec::new();
            match step {
                Some(wanted) if pool.take(wanted, who) => holders.push((who, wanted)),
                Some(wanted) => waiters.push((who, wanted)),
                None if holders.is_empty() => {}
                None => pool.give(holders.remove(0).1, &mut woken),
            }
            for who in woken {
                prop_assert_eq!(waiters[0].0, who, "nobody overtakes");
                holders.push(waiters.remove(0));
            }
            let held: u64 = holders.iter().map(|(_, wanted)| tokens.min(*wanted)).sum();
            prop_assert_eq!(pool.free(), tokens - held);
            prop_assert_eq!(pool.waiting(), waiters.len());
            let first = waiters.first().map(|(_, wanted)| tokens.min(*wanted));
            prop_assert!(first.is_none_or(|wanted| wanted > pool.free()), "nobody waits in vain");
        }
    }
}

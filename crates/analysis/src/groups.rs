//! Things that are equal within a tolerance, as groups.
//!
//! Such equality is not transitive, so the order decides: a thing joins the latest group whose
//! first member it equals. It leaves out grouping by a key, for which a map is enough.

/// Groups of things in their order. Each is compared with the latest groups only, so that
/// thousands that all differ take no quadratic time.
pub(crate) fn groups<T>(
    ordered: impl IntoIterator<Item = T>,
    latest: usize,
    is_equal: impl Fn(&T, &T) -> bool,
) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for one in ordered {
        let mut open = groups.iter_mut().rev().take(latest);
        match open.find(|group| is_equal(&group[0], &one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn within_ten(one: &u32, other: &u32) -> bool {
        one.abs_diff(*other) <= 10
    }

    #[test]
    fn a_group_does_not_drift_from_its_first_member() {
        assert_eq!(groups([30, 25, 20, 15, 10], 1, within_ten), [vec![30, 25, 20], vec![15, 10]]);
    }

    #[test]
    fn an_older_group_is_found_while_it_is_among_the_latest() {
        let turns = [1, 50, 2, 51];
        assert_eq!(groups(turns, 2, within_ten), [vec![1, 2], vec![50, 51]]);
        assert_eq!(groups(turns, 1, within_ten).len(), 4);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_members_equal_the_first(
            all in prop::collection::vec(0_u32..200, 0..50),
            latest in 1_usize..9,
        ) {
            let groups = groups(all.clone(), latest, within_ten);
            for group in &groups {
                prop_assert!(group.iter().all(|one| within_ten(&group[0], one)));
            }
            let (mut found, mut given) = (groups.concat(), all);
            found.sort_unstable();
            given.sort_unstable();
            prop_assert_eq!(found, given);
        }
    }
}

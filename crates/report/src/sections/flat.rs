//! Values that read the same: a sentence says so, and a chart of them would be level.

/// What all values read as; none where they differ, one is not known, or there are fewer than two.
pub(super) fn same(values: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let mut values = values.into_iter();
    let (first, second) = (values.next()??, values.next()?);
    std::iter::once(second)
        .chain(values)
        .all(|value| value.as_ref() == Some(&first))
        .then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_same_where_all_are_known_and_read_alike() {
        let of = |values: &[&str]| same(values.iter().map(|one| Some((*one).to_owned())));
        assert_eq!(of(&["5 MB/s", "5 MB/s"]).as_deref(), Some("5 MB/s"));
        assert_eq!(of(&["5 MB/s", "5 MB/s", "6 MB/s"]), None);
        assert_eq!(of(&["5 MB/s"]), None);
        assert_eq!(same([Some("1".to_owned()), None]), None);
    }
}

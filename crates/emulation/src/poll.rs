//! Waiting with a bound: a number of looks, with a pause between two of them.
//!
//! No clock is read; on a busy machine a wait becomes longer, never shorter.

use std::thread::sleep;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(5);

/// Looks until there is something, at least for the given time; `None` when there never was.
pub(crate) fn until<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let looks = time.as_millis() / PAUSE.as_millis();
    for _ in 0..looks {
        if let Some(found) = look() {
            return Some(found);
        }
        sleep(PAUSE);
    }
    look()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_with_what_it_finds_or_with_nothing() {
        let mut looks = 0;
        let third = until(Duration::from_secs(9), || {
            looks += 1;
            (looks == 3).then_some(looks)
        });
        assert_eq!(third, Some(3));
        let never = until(Duration::from_millis(10), || {
            looks += 1;
            None::<()>
        });
        assert_eq!((never, looks), (None, 6));
    }
}

//! Work on several threads with its results in the order of what was asked: which thread does
//! what, and when, changes nothing.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// As many threads as were asked for, else as there are processors.
pub(crate) fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    asked.unwrap_or_else(all)
}

/// What `work` makes of each item, in their order; `done` is told after each how many are done.
pub(crate) fn in_order<T: Sync, R: Send>(
    threads: NonZeroUsize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    done: &mut dyn FnMut(usize),
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.get().min(items.len()) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                while let Some((at, item)) = taken(next, items) {
                    // Nobody listens any more only where the program ends.
                    let _ = sender.send((at, work(item)));
                }
            });
        }
        drop(sender);
        for (count, (at, result)) in receiver.iter().enumerate() {
            results[at] = Some(result);
            done(count + 1);
        }
    });
    results.into_iter().flatten().collect()
}

/// The next item that nobody works on.
fn taken<'a, T>(next: &AtomicUsize, items: &'a [T]) -> Option<(usize, &'a T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, items.get(at)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_what_was_asked() {
        let items: Vec<u64> = (0..100).collect();
        let square = |number: &u64| {
            // The first take longest, so that the last are done before them.
            (0..(100 - number) * 1000).fold(0, |sum: u64, one| std::hint::black_box(sum ^ one));
            number * number
        };
        let expected: Vec<u64> = items.iter().map(|number| number * number).collect();
        for threads in [1, 2, 7, 200] {
            let mut told = Vec::new();
            let threads = NonZeroUsize::new(threads).unwrap();
            let found = in_order(threads, &items, square, &mut |done| told.push(done));
            assert_eq!(found, expected);
            assert_eq!(told, (1..=100).collect::<Vec<_>>());
        }
        assert!(in_order(NonZeroUsize::MIN, &[], square, &mut |_| ()).is_empty());
    }
}

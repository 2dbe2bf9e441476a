//! Work on several threads with its results in the order of what was asked: which thread does
//! what, and when, changes nothing.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::Builder;
use std::time::Duration;

use crate::exit_status::ExitStatus;

/// As many threads as were asked for, else as there are processors.
pub(crate) fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    asked.unwrap_or_else(all)
}

/// How often a wish to end is looked for while items take long: chosen, no one notices it.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// What `work` makes of each item, in their order; after each `done` gets how many are done.
pub(crate) fn in_order<T: Sync, R: Send>(
    threads: NonZeroUsize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    done: &mut dyn FnMut(usize),
) -> Vec<R> {
    let each = vec![(); threads.get()];
    let hands = Hands { each: &each, look: LOOK, meanwhile: &mut || () };
    in_order_with(hands, items, |(), item| work(item), done)
}

/// The same by threads that each work with something.
pub(crate) fn in_order_with<H: Sync, T: Sync, R: Send>(
    hands: Hands<'_, H>,
    items: &[T],
    work: impl Fn(&H, &T) -> R + Sync,
    done: &mut dyn FnMut(usize),
) -> Vec<R> {
    collect(hands, items, &work, &mut |news| {
        if news.at.is_some() {
            done(news.count);
        }
    })
}

/// What each thread works with.
pub(crate) struct Hands<'a, H> {
    /// As many threads as there are; fewer where there are fewer items.
    pub each: &'a [H],
    /// How long the thread that waits for results does so at a time.
    pub look: Duration,
    /// What it does between.
    pub meanwhile: &'a mut dyn FnMut(),
}

/// Work that a signal may end.
pub(crate) struct Endable<'a, R> {
    pub interrupted: &'a AtomicBool,
    /// Gets each result, and how many there are.
    pub done: &'a mut dyn FnMut(usize, &R),
    /// What to do with the results so far.
    pub cut: &'a mut dyn FnMut(Vec<Option<R>>) -> ExitStatus,
}

/// The same until a signal comes: then what is done is kept by `cut`, and the program ends. What a
/// thread works on cannot be stopped and may take minutes, so no one waits for it.
pub(crate) fn until<H: Sync, T: Sync, R: Send>(
    hands: Hands<'_, H>,
    items: &[T],
    work: impl Fn(&H, &T) -> R + Sync,
    endable: Endable<'_, R>,
) -> Vec<R> {
    let Endable { interrupted, done, cut } = endable;
    collect(hands, items, &work, &mut |news| {
        if let Some(result) = news.at.and_then(|at| news.results[at].as_ref()) {
            done(news.count, result);
        }
        if news.count < items.len() && interrupted.load(Ordering::Relaxed) {
            let status = cut(std::mem::take(news.results));
            std::process::exit(status as i32);
        }
    })
}

/// What is there so far.
struct News<'a, R> {
    /// The place of the result that came now; none where it was only time to look.
    at: Option<usize>,
    /// How many results there are.
    count: usize,
    results: &'a mut Vec<Option<R>>,
}

/// Calls `look` with each result as it comes, and now and then without one.
fn collect<H: Sync, T: Sync, R: Send>(
    hands: Hands<'_, H>,
    items: &[T],
    work: &(impl Fn(&H, &T) -> R + Sync),
    look: &mut dyn FnMut(News<'_, R>),
) -> Vec<R> {
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let mut count = 0;
    spread(hands, items, work, &mut |news| {
        let at = news.map(|(at, result)| {
            results[at] = Some(result);
            at
        });
        count += usize::from(at.is_some());
        look(News { at, count, results: &mut results });
    });
    results.into_iter().flatten().collect()
}

/// Gives `news` each result with its place as it comes, and now and then nothing.
fn spread<H: Sync, T: Sync, R: Send>(
    hands: Hands<'_, H>,
    items: &[T],
    work: &(impl Fn(&H, &T) -> R + Sync),
    news: &mut dyn FnMut(Option<(usize, R)>),
) {
    let Hands { each, look, meanwhile } = hands;
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let with = |hand: &H, sender: &mpsc::Sender<(usize, R)>| {
        while let Some((at, item)) = taken(&next, items) {
            // No one listens any more only where the program ends.
            let _ = sender.send((at, work(hand, item)));
        }
    };
    std::thread::scope(|scope| {
        let started = each.iter().take(items.len()).map_while(|hand| {
            let (sender, with) = (sender.clone(), &with);
            Builder::new().spawn_scoped(scope, move || with(hand, &sender)).ok()
        });
        // Where there is no memory for more threads, fewer do it; without any, this one.
        if started.count() == 0
            && let Some(hand) = each.first()
        {
            with(hand, &sender);
        }
        drop(sender);
        loop {
            meanwhile();
            match receiver.recv_timeout(look) {
                Ok(result) => news(Some(result)),
                Err(RecvTimeoutError::Timeout) => news(None),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    });
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

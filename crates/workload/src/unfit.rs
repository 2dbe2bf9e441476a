//! Why a stream cannot work on its target.

use iopath_study::case::Stream;

/// What a stream wants that its target, its pattern or whom it follows does not permit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Unfit {
    /// Name of the stream.
    pub stream: String,
    what: String,
}

impl Unfit {
    pub(crate) fn of(stream: &Stream, what: &str) -> Self {
        Self { stream: stream.name.clone(), what: format!("stream {}: {what}", stream.name) }
    }

    /// Of a stream that follows another: what follows its name.
    pub(crate) fn behind(follower: &Stream, what: &str) -> Self {
        let stream = follower.name.clone();
        Self { what: format!("{stream} is behind {what}"), stream }
    }
}

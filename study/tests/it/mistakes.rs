//! Wrong studies: every mistake at its place, none twice, none hiding another.

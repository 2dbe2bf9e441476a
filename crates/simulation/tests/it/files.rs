//! What file systems make of what streams ask: small hosts with file systems of stated ways.

mod behind;
mod issue;
mod prefetch;
mod readahead;
mod study;

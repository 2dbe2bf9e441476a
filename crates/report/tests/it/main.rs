//! Texts and JSON of whole runs, from records to what a person or a program reads.

mod depths;
mod diagram;
mod json;
mod live;
mod load;
mod page;
mod path;
mod prediction;
mod texts;
mod watch;

//! Texts and JSON of whole runs, from records to what a person or a program reads.

mod check;
mod crash;
mod depths;
mod diagram;
mod import;
mod intensity;
mod json;
mod live;
mod load;
mod page;
mod path;
mod prediction;
mod probe;
mod texts;
mod validation;
mod watch;

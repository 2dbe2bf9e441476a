//! The entities of a record, as a model gets them.

mod carriers;
mod relations;
mod sound;
mod streams;
mod studies;
mod table;
mod text;

//! What tools really printed, and what is made of it.

mod damage;
mod fio;
mod fixtures;
mod iostat;
mod others;
mod together;

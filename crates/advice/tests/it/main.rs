//! The cheapest builds against asking for every one, and how many are asked.

mod exhaustive;
mod templates;

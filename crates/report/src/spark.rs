//! A course as a line of bars, one character each.

/// Levels of a bar: an eighth of the greatest value each.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A value as a bar whose full height is the greatest; 0 is the lowest bar.
pub(crate) fn bar(value: f64, greatest: f64) -> char {
    let level = if greatest > 0.0 { (value / greatest * 8.0).ceil() as usize } else { 0 };
    LEVELS[level.clamp(1, 8) - 1]
}

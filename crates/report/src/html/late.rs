//! Folds that are made when they are opened, so that a page with thousands of rows is there at
//! once.

use maud::{Markup, html};

/// Rows of a fold from which on it is made late: chosen, a screen.
const ROWS: usize = 40;

/// The same of folds of which there are many: chosen.
const ROWS_OF_MANY: usize = 8;

/// A fold with so many rows. Without scripts a long one stays empty and says so.
pub(super) fn fold(title: &str, rows: usize, inside: &Markup) -> Markup {
    of(title, rows, inside, ROWS)
}

/// One of many folds.
pub(super) fn one_of_many(title: &str, rows: usize, inside: &Markup) -> Markup {
    of(title, rows, inside, ROWS_OF_MANY)
}

fn of(title: &str, rows: usize, inside: &Markup, most: usize) -> Markup {
    html! {
        details {
            summary { (title) }
            @if rows < most {
                (inside)
            } @else {
                template { (inside) }
                noscript {
                    p.hint { (rows) " rows, which only a browser with scripts shows." }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_fold_is_a_template_with_a_note_for_browsers_without_scripts() {
        let inside = html! { table {} };
        let short = fold("a", ROWS - 1, &inside).into_string();
        assert_eq!(short, "<details><summary>a</summary><table></table></details>");
        let long = fold("a", ROWS, &inside).into_string();
        assert!(long.contains("<template><table></table></template><noscript>"), "{long}");
        assert!(one_of_many("a", ROWS_OF_MANY, &inside).into_string().contains("<template>"));
    }
}

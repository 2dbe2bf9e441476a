//! What a search for the highest load came to, as text or JSON.

use iopath_report::{Detail, RunView, compose, find_max_json};

use crate::arguments::ShowOptions;
use crate::exit_status::Problem;
use crate::output;

pub(crate) fn show(view: &RunView, options: &ShowOptions) -> Result<(), Problem> {
    if options.json {
        return output::print_json(&find_max_json(view));
    }
    let system = options.system();
    output::print_document(&compose::find_max(view, system), Detail::Brief, system)
}

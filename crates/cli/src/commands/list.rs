//! `iopath list`: the runs in the store, newest last, or sorted by a column.

use iopath_report::{Detail, RunOrder, compose, list_json};
use iopath_server::listing::{Listing, Verdicts};
use iopath_store::Search;

use crate::arguments::List;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::place;

pub(crate) fn run(arguments: &List) -> Result<ExitStatus, Problem> {
    let system = arguments.show.system();
    let search = Search {
        text: arguments.words.join(" "),
        limit: (!arguments.all).then_some(arguments.last),
        ..Search::default()
    };
    let mut listing = match place::store_if_any(&arguments.store)? {
        Some(store) => {
            let (order, mut verdicts) = (RunOrder::default(), Verdicts::default());
            Listing::read(&store, &search, order, system, &mut verdicts).map_err(place::problem)?
        }
        None => Listing { runs: Vec::new(), count: 0 },
    };
    // The newest stands last, where a terminal's reader looks.
    listing.runs.reverse();
    if let Some(by) = arguments.sort {
        let order = RunOrder { by, descends: false };
        listing.runs.sort_by(|a, b| order.compare(a, b));
    }
    let Listing { runs, count } = listing;
    if arguments.show.json {
        output::print_json(&list_json(&runs, count))?;
    } else if runs.is_empty() && !arguments.words.is_empty() {
        let words = &search.text;
        output::print(&format!("no run matches \"{words}\" in study, command or host name"))?;
    } else {
        output::print_document(&compose::list(&runs, count, system), Detail::Brief, system)?;
    }
    Ok(ExitStatus::Done)
}

//! What an address shows: a question of the reader, the store, and what `report` makes of both.

mod question;

use iopath_report::html::{self, Listed, SortedBy};
use iopath_report::{
    Following, RunColumn, RunFacts, RunOrder, RunView, comparison_json, compose, list_json,
    render_json,
};
use iopath_store::{RunId, Store, StoreError};

use crate::answer::{Answer, Trouble};
use crate::listing::Listing;
use crate::site::Shared;
use question::{Question, Runs};

/// Rows of a page (chosen: each needs the records of a trial, and some screens of them are enough).
const ROWS: u64 = 50;

/// Runs on one page of comparison (chosen: bars of more are not told apart).
const COMPARED: usize = 12;

/// The list of runs.
pub(crate) fn list(shared: &Shared, query: &str, nonce: &str) -> Result<Answer, Trouble> {
    let question = Question::of(query)?;
    let listing = listing(shared, &question)?;
    let first = question.skipped();
    let shown = Listed {
        asked: question.asked.clone(),
        order: question.order,
        columns: columns(&question),
        system: shared.site.system,
        first,
        count: listing.count,
        newer: (question.page > 1).then(|| question.address(question.page - 1)),
        older: (first + ROWS < listing.count).then(|| question.address(question.page + 1)),
        runs: listing.runs,
    };
    Ok(Answer::Page(html::list(&shown, nonce)))
}

/// Each column with the address of the list sorted by it: the one by which it is, the other way
/// round.
fn columns(question: &Question) -> Vec<SortedBy> {
    let sorted = |column| {
        let order = match question.order.by == column {
            true => question.order.reversed(),
            false => RunOrder::by(column),
        };
        SortedBy { column, to: question.sorted(order) }
    };
    RunColumn::ALL.into_iter().map(sorted).collect()
}

/// The report of a run: the page of `iopath report`.
pub(crate) fn run(shared: &Shared, name: &str, nonce: &str) -> Result<Answer, Trouble> {
    let store = open(shared)?;
    let id = store.resolve(name)?;
    let run = (shared.site.read)(&store, id).map_err(Trouble::unexpected)?;
    let page = compose::whole(&run, shared.site.system);
    let mut links = vec![("../".to_owned(), "all runs"), (format!("../api/runs/{id}"), "JSON")];
    if store.run(id)?.end.is_none() {
        links.push((format!("{id}/live"), "follow it"));
    }
    Ok(Answer::Page(html::served(&page, &links, nonce)))
}

/// A run under way; the way to its report where it has ended.
pub(crate) fn live(shared: &Shared, name: &str, nonce: &str) -> Result<Answer, Trouble> {
    let store = open(shared)?;
    let id = store.resolve(name)?;
    if store.run(id)?.end.is_some() {
        return Ok(Answer::Elsewhere(format!("../{id}")));
    }
    let told = store.live(id)?.into_iter().map(|told| (told.age_ns, told.live));
    let told: Vec<_> = told.collect();
    let system = shared.site.system;
    let following = Following::of(&id.to_string(), &told, system);
    Ok(Answer::Page(html::live(&following, system, nonce)))
}

/// The runs that were chosen, against the first, and each of them.
pub(crate) fn compare(shared: &Shared, query: &str, nonce: &str) -> Result<Answer, Trouble> {
    let store = open(shared)?;
    let ids = chosen(&store, query)?;
    let read = |id: &RunId| (shared.site.read)(&store, *id).map_err(Trouble::unexpected);
    let runs = ids.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let page = compose::several(&runs, shared.site.system);
    let mut links = vec![("./".to_owned(), "all runs")];
    if let [a, b] = ids[..] {
        links.push((format!("compare?runs={b},{a}"), "the other way round"));
        links.push((format!("api/compare?runs={a},{b}"), "JSON"));
    }
    Ok(Answer::Page(html::served(&page, &links, nonce)))
}

/// What `iopath compare A B --json` prints.
pub(crate) fn api_compare(shared: &Shared, query: &str) -> Result<Answer, Trouble> {
    let store = open(shared)?;
    let [a, b] = chosen(&store, query)?[..] else {
        return Err(Trouble::question("name two runs: ?runs=1,2"));
    };
    let (first, second) = (store.records(a)?, store.records(b)?);
    for (id, records) in [(a, &first), (b, &second)] {
        if records.is_empty() {
            let text = format!("run {id}: no pass completed, so there is nothing to compare");
            return Err(Trouble::question(text));
        }
    }
    let comparison = iopath_analysis::compare(&first, &second);
    Ok(Answer::Json(comparison_json(&comparison.map_err(Trouble::question)?)))
}

/// The runs that are named, two or more. Those that were ticked are put in the order in which they
/// began: the older one is what a newer one is compared with.
fn chosen(store: &Store, query: &str) -> Result<Vec<RunId>, Trouble> {
    let Runs { names, are_ticked } = Runs::of(query);
    if !(2..=COMPARED).contains(&names.len()) {
        let text = format!("select two to {COMPARED} runs of the list: ?runs=1,2");
        return Err(Trouble::question(text));
    }
    let mut ids: Vec<RunId> =
        names.iter().map(|name| store.resolve(name)).collect::<Result<_, _>>()?;
    if are_ticked {
        let began = |id: &RunId| Ok((store.run(*id)?.begin.started_unix_ns, *id));
        let mut by_age = ids.iter().map(began).collect::<Result<Vec<_>, StoreError>>()?;
        by_age.sort_unstable_by_key(|(began, id)| (*began, id.0));
        ids = by_age.into_iter().map(|(_, id)| id).collect();
    }
    Ok(ids)
}

/// What `iopath list --json` prints.
pub(crate) fn api_list(shared: &Shared, query: &str) -> Result<Answer, Trouble> {
    let mut listing = listing(shared, &Question::of(query)?)?;
    listing.runs.reverse();
    Ok(Answer::Json(list_json(&listing.runs, listing.count)))
}

/// What `iopath show RUN --json` prints.
pub(crate) fn api_run(shared: &Shared, name: &str) -> Result<Answer, Trouble> {
    let store = open(shared)?;
    let id = store.resolve(name)?;
    let records = store.records(id)?;
    let view = RunView::of(RunFacts::of_id(&id), records).map_err(Trouble::unexpected)?;
    Ok(Answer::Json(render_json(&view)))
}

fn listing(shared: &Shared, question: &Question) -> Result<Listing, Trouble> {
    let store = open(shared)?;
    let search = question.search();
    let system = shared.site.system;
    let mut verdicts = shared.verdicts.lock().map_err(Trouble::unexpected)?;
    Ok(Listing::read(&store, &search, question.order, system, &mut verdicts)?)
}

/// The store as it is now: it may have been replaced by another file since the last answer.
fn open(shared: &Shared) -> Result<Store, Trouble> {
    Ok(Store::open_existing(&shared.site.store)?)
}

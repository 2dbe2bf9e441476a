//! Which address shows what. Every answer is made by a thread that may wait for the store.

use std::sync::Arc;

use axum::extract::{Extension, Path, RawQuery, State};
use axum::http::Uri;
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use axum::{Router, middleware};

use crate::answer::{Answer, Form, Trouble, respond};
use crate::guard::{Guard, Nonce, guard};
use crate::pages;
use crate::site::Shared;

type Site = State<Arc<Shared>>;
type Nonced = Extension<Nonce>;
type OfRun = Path<(String, String)>;

/// All addresses, behind the guard. The first part of each is the token.
pub(crate) fn routes(shared: Arc<Shared>, guarded: Arc<Guard>) -> Router {
    Router::new()
        .route("/{token}", get(top))
        .route("/{token}/", by_query("./", pages::list))
        .route("/{token}/runs/{run}", of_run("../", pages::run))
        .route("/{token}/runs/{run}/live", of_run("../../", pages::live))
        .route("/{token}/compare", by_query("./", pages::compare))
        .route("/{token}/api/compare", get(api_compare))
        .route("/{token}/api/runs", get(api_list))
        .route("/{token}/api/runs/{run}", get(api_run))
        .fallback(nothing)
        .layer(middleware::from_fn_with_state(guarded, guard))
        .with_state(shared)
}

async fn top(Path(token): Path<String>) -> Response {
    respond(Ok(Answer::Elsewhere(format!("/{token}/"))), &Form::Json)
}

/// A page, from what its address names and the nonce of its scripts.
type Make = fn(&Shared, &str, &str) -> Result<Answer, Trouble>;

fn by_query(top: &'static str, make: Make) -> MethodRouter<Arc<Shared>> {
    get(move |State(site): Site, Extension(Nonce(nonce)): Nonced, RawQuery(query): RawQuery| {
        let form = Form::Page { nonce: nonce.clone(), top: top.to_owned() };
        answer(form, move || make(&site, &query.unwrap_or_default(), &nonce))
    })
}

fn of_run(top: &'static str, make: Make) -> MethodRouter<Arc<Shared>> {
    get(move |State(site): Site, Extension(Nonce(nonce)): Nonced, Path((_, run)): OfRun| {
        let form = Form::Page { nonce: nonce.clone(), top: top.to_owned() };
        answer(form, move || make(&site, &run, &nonce))
    })
}

async fn api_compare(State(site): Site, RawQuery(query): RawQuery) -> Response {
    answer(Form::Json, move || pages::api_compare(&site, &query.unwrap_or_default())).await
}

async fn api_list(State(site): Site, RawQuery(query): RawQuery) -> Response {
    answer(Form::Json, move || pages::api_list(&site, &query.unwrap_or_default())).await
}

async fn api_run(State(site): Site, Path((_, run)): OfRun) -> Response {
    answer(Form::Json, move || pages::api_run(&site, &run)).await
}

async fn nothing(Extension(Nonce(nonce)): Nonced, uri: Uri) -> Response {
    let token = uri.path().split('/').nth(1).unwrap_or_default();
    let form = Form::Page { nonce, top: format!("/{token}/") };
    respond(Err(Trouble::nothing("there is no such page")), &form)
}

async fn answer(
    form: Form,
    make: impl FnOnce() -> Result<Answer, Trouble> + Send + 'static,
) -> Response {
    let made = tokio::task::spawn_blocking(make).await;
    respond(made.unwrap_or_else(|error| Err(Trouble::unexpected(error))), &form)
}

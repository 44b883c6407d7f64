use axum::{
    extract::Path,
    http::{StatusCode, header},
    response::{Html, IntoResponse as _, Response},
};

use super::reply::Refusal;
use crate::page::{assets, shell, views::Which};

pub(super) async fn fleet() -> Html<String> {
    Html(shell::served(Which::Fleet.name(), Which::Fleet.title()))
}

pub(super) async fn view(Path(name): Path<String>) -> Result<Html<String>, Refusal> {
    if name == "metric" {
        return Ok(Html(shell::served("metric", "Metrics")));
    }
    let which = Which::named(&name).ok_or_else(|| Refusal::Unknown("there is no such page".to_owned()))?;
    Ok(Html(shell::served(which.name(), which.title())))
}

pub(super) async fn asset(Path(name): Path<String>) -> Result<Response, Refusal> {
    let asset = assets::named(&name).ok_or_else(|| Refusal::Unknown("there is no such file".to_owned()))?;
    Ok(([(header::CONTENT_TYPE, asset.content_type)], asset.text).into_response())
}

pub(super) async fn healthy() -> &'static str {
    "ok\n"
}

pub(super) async fn nothing() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "there is nothing here\n")
}

use std::collections::BTreeMap;

use axum::{
    extract::{Path, RawQuery, State},
    response::{IntoResponse as _, Response},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    reply::{Refusal, SINCE, aside, json_of},
    router::Shared,
};
use crate::{
    history::{Answer, History, ProcessState, QueryError},
    page::{
        ask::{Question, Scene, words},
        findings::all,
        panel::View,
        text::shown,
        views::{Which, make, make_metric},
    },
};

/// What a view is to be made of.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    Which(Which, Question),
    Metric(Question),
}

impl Wanted {
    /// What the name of a view and the part of the address behind it ask for.
    pub(super) fn parse(name: &str, query: Option<&str>) -> Result<Self, Refusal> {
        let question = question(query)?;
        match Which::named(name) {
            Some(which) => Ok(Self::Which(which, question)),
            None if name == "metric" => Ok(Self::Metric(question)),
            None => Err(Refusal::Unknown("there is no such view".to_owned())),
        }
    }

    /// Makes it.
    pub(super) fn make(self, history: &History) -> View {
        match self {
            Self::Which(which, question) => make(history, which, question.since),
            Self::Metric(question) => make_metric(history, question),
        }
    }
}

pub(super) async fn view(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    let wanted = Wanted::parse(&name, query.as_deref())?;
    json_of(move || wanted.make(&shared.source.history)).await
}

/// An answer as it is sent; labels are as processes sent them.
#[derive(Debug, Serialize)]
struct Sent {
    unit: String,
    times: Vec<u64>,
    lines: Vec<SentLine>,
}

#[derive(Debug, Serialize)]
struct SentLine {
    labels: BTreeMap<String, String>,
    values: Vec<Option<f64>>,
}

pub(super) async fn query(State(shared): State<Shared>, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let query = question(query.as_deref())?.query();
    let answer = aside(move || shared.source.history.query(&query)).await?;
    let Answer { unit, times, lines, .. } = answer.map_err(|error| Refusal::Bad(shown(&unanswered(&error))))?;
    let lines = lines.into_iter().map(|line| SentLine { labels: line.labels, values: line.values }).collect();
    json_of(move || Sent { unit: unit.to_string(), times, lines }).await
}

/// Why a query has no answer, in the words of queries.
fn unanswered(error: &QueryError) -> String {
    match error {
        QueryError::Unsuited { select, kind, .. } => {
            let (select, kind) = (words::of_select(*select), words::of_kind(*kind).replace('_', " "));
            format!("\"{select}\" is no value for \"select\" where the metric's kind is {kind}")
        }
        error => error.to_string(),
    }
}

pub(super) async fn all_metrics(State(shared): State<Shared>) -> Result<Response, Refusal> {
    json_of(move || metrics(&shared.source.history)).await
}

/// Every metric, as it is sent.
fn metrics(history: &History) -> Vec<Value> {
    let metric = |info: crate::history::MetricInfo| {
        json!({
            "name": &*info.name,
            "kind": words::of_kind(info.kind),
            "unit": &*info.unit,
            "description": shown(&info.description),
            "attributes": info.attributes,
            "series": info.series,
        })
    };
    history.metrics().into_iter().map(metric).collect()
}

pub(super) async fn processes(State(shared): State<Shared>) -> Result<Response, Refusal> {
    let processes = move || -> Vec<Value> {
        let scene = Scene::new(&shared.source.history, SINCE);
        let process = |process: &crate::history::Process| {
            let resource = process.resource.iter().map(|(key, value)| {
                let value = value.as_int().map_or_else(
                    || Value::from(value.as_str().map_or_else(|| format!("{value:?}"), str::to_owned)),
                    Value::from,
                );
                (key.to_owned(), value)
            });
            json!({
                "id": process.id.get(),
                "name": scene.names.get(&process.id.to_string()),
                "resource": resource.collect::<Map<_, _>>(),
                "first_seen": process.first_seen,
                "last_seen": process.last_seen,
                "reporting": process.state == ProcessState::Reporting,
            })
        };
        scene.processes.iter().map(process).collect()
    };
    json_of(processes).await
}

pub(super) async fn findings(State(shared): State<Shared>) -> Result<Response, Refusal> {
    json_of(move || all(&Scene::new(&shared.source.history, SINCE))).await
}

pub(super) async fn otlp(State(shared): State<Shared>) -> Result<Response, Refusal> {
    let text = aside(move || {
        let mut text = Vec::new();
        shared.source.state().write_json(&mut text).map(|()| text)
    });
    let text = text.await?.map_err(|_| Refusal::Failed)?;
    Ok(([("content-type", "application/json")], text).into_response())
}

fn question(query: Option<&str>) -> Result<Question, Refusal> {
    Question::parse(query.unwrap_or_default(), SINCE).map_err(|error| Refusal::Bad(shown(&error.to_string())))
}

use std::{collections::BTreeSet, io, time::Duration};

use serde_json::{Value, json};

use super::{
    Source,
    ask::Question,
    http::metrics,
    shell,
    views::{Which, make, make_metric},
};

/// Longer than any run; a view begins with the first export.
const WHOLE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The most questions whose answers a file holds.
const ANSWERS: usize = 600;

/// Writes the page as it is now into one HTML file, which needs no server and fetches nothing: every view over the time
/// since the first export, and the metric behind each of its numbers.
///
/// # Errors
///
/// When `writer` fails.
pub fn write_html(source: &Source, mut writer: impl io::Write) -> io::Result<()> {
    let history = &source.history;
    let since = WHOLE;
    let mut views = serde_json::Map::new();
    let mut queries = BTreeSet::new();
    for which in Which::ALL {
        let view = serde_json::to_value(make(history, which, since))?;
        collect_queries(&view, &mut queries);
        views.insert(which.name().to_owned(), view);
    }
    let directory = serde_json::to_value(make_metric(history, Question::new("", since)))?;
    collect_queries(&directory, &mut queries);
    let questions = queries.into_iter().take(ANSWERS).filter_map(|query| {
        let question = Question::parse(&query, since).ok()?;
        Some((query, question))
    });
    let mut answers = serde_json::Map::new();
    answers.insert(String::new(), directory);
    for (query, question) in questions {
        answers.insert(query, serde_json::to_value(make_metric(history, question))?);
    }
    let data = json!({ "views": views, "answers": answers, "metrics": metrics(history) });
    let nonce = uuid::Uuid::new_v4().simple().to_string();
    writer.write_all(shell::whole(&data.to_string(), &nonce).as_bytes())?;
    writer.flush()
}

/// Every query that a view links to.
fn collect_queries(value: &Value, queries: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(query)) = fields.get("query")
                && !query.is_empty()
            {
                queries.insert(query.clone());
            }
            fields.values().for_each(|value| collect_queries(value, queries));
        }
        Value::Array(values) => values.iter().for_each(|value| collect_queries(value, queries)),
        _ => {}
    }
}

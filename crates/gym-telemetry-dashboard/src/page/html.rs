use std::{collections::BTreeSet, io, time::Duration};

use serde_json::{Value, json};

use super::{
    Source,
    ask::Question,
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
    let mut links = BTreeSet::new();
    for which in Which::ALL {
        let view = serde_json::to_value(make(history, which, since))?;
        collect_queries(&view, &mut links);
        views.insert(which.name().to_owned(), view);
    }
    let directory = serde_json::to_value(make_metric(history, Question::new("", since)))?;
    let mut metrics = BTreeSet::new();
    collect_queries(&directory, &mut metrics);
    let mut answers = serde_json::Map::new();
    answers.insert(String::new(), directory);
    // Every metric comes first: it stands in for those of its answers that there is no room for.
    for query in metrics.iter().chain(links.difference(&metrics)).take(ANSWERS) {
        if let Ok(question) = Question::parse(query, since) {
            answers.insert(query.clone(), serde_json::to_value(make_metric(history, question))?);
        }
    }
    let data = json!({ "views": views, "answers": answers });
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

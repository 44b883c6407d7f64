use std::time::Duration;

use gym_telemetry_collector::Kind;

use super::words;
use crate::history::{Over, Query, Select};

/// The longest attribute value that becomes part of a link.
const LINKED: usize = 512;

/// The most values that a line may have.
const VALUES: u64 = 4_000;

/// A query that can be written as the part of an address behind the question mark, and read from it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::page) struct Question {
    pub(in crate::page) metric: String,
    /// Which of the metrics that share the name, by kind and by unit.
    pub(in crate::page) kind: Option<Kind>,
    pub(in crate::page) unit: Option<String>,
    pub(in crate::page) select: Select,
    pub(in crate::page) matching: Vec<(String, String)>,
    pub(in crate::page) by: Vec<String>,
    pub(in crate::page) over: Option<Over>,
    pub(in crate::page) since: Duration,
    pub(in crate::page) step: Option<Duration>,
}

/// Why a text is no question.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(in crate::page) enum ParseError {
    #[error("there is no parameter {key:?}")]
    Unknown { key: String },
    #[error("{value:?} is no value for {key:?}")]
    Value { key: &'static str, value: String },
    #[error("a line of more than {VALUES} values is too long: ask for a larger step")]
    TooLong,
}

impl Question {
    /// The value of a metric over some time.
    pub(in crate::page) fn new(metric: impl Into<String>, since: Duration) -> Self {
        Self {
            metric: metric.into(),
            kind: None,
            unit: None,
            select: Select::Value,
            matching: Vec::new(),
            by: Vec::new(),
            over: None,
            since,
            step: None,
        }
    }

    /// Reads `metric=..&kind=..&unit=..&select=..&where=key:value&by=key&over=..&since=5m&step=1s`, all but `where`
    /// and `by` once.
    pub(in crate::page) fn parse(text: &str, since: Duration) -> Result<Self, ParseError> {
        let mut question = Self::new("", since);
        for (key, value) in form_urlencoded::parse(text.as_bytes()) {
            let bad = |key| ParseError::Value { key, value: value.to_string() };
            let duration = |key| humantime::parse_duration(&value).map_err(|_| bad(key));
            match &*key {
                "metric" => question.metric = value.into_owned(),
                "kind" => question.kind = Some(words::kind(&value).ok_or_else(|| bad("kind"))?),
                "unit" => question.unit = Some(value.into_owned()),
                "select" => question.select = words::select(&value).ok_or_else(|| bad("select"))?,
                "where" => {
                    let (key, value) = value.split_once(':').ok_or_else(|| bad("where"))?;
                    question.matching.push((key.to_owned(), value.to_owned()));
                }
                "by" => question.by.push(value.into_owned()),
                "over" => question.over = Some(words::over(&value).ok_or_else(|| bad("over"))?),
                "since" => question.since = duration("since")?,
                "step" => question.step = Some(duration("step")?),
                _ => return Err(ParseError::Unknown { key: key.into_owned() }),
            }
        }
        let values = question.step.map(|step| question.since.as_millis().div_ceil(step.as_millis().max(1)));
        if values.is_some_and(|values| values > VALUES.into()) {
            return Err(ParseError::TooLong);
        }
        Ok(question)
    }

    /// What the history is asked.
    pub(in crate::page) fn query(&self) -> Query {
        let query = Query::new(&*self.metric).select(self.select).since(self.since);
        let query = self.kind.into_iter().fold(query, Query::kind);
        let query = self.unit.iter().fold(query, Query::unit);
        let query = self.matching.iter().fold(query, |query, (key, value)| query.matching(key, value));
        let query = self.by.iter().fold(query, |query, key| query.by(key));
        let query = self.over.into_iter().fold(query, Query::over);
        self.step.into_iter().fold(query, Query::step)
    }

    /// The text form. The time it is about is left to the page, which has one for all; values too long for an address
    /// are not filtered by.
    pub(in crate::page) fn link(&self) -> String {
        let mut link = form_urlencoded::Serializer::new(String::new());
        link.append_pair("metric", &self.metric);
        if let Some(kind) = self.kind {
            link.append_pair("kind", words::of_kind(kind));
        }
        if let Some(unit) = &self.unit {
            link.append_pair("unit", unit);
        }
        if self.select != Select::Value {
            link.append_pair("select", &words::of_select(self.select));
        }
        for (key, value) in self.matching.iter().filter(|(_, value)| value.len() <= LINKED) {
            link.append_pair("where", &format!("{key}:{value}"));
        }
        for key in &self.by {
            link.append_pair("by", key);
        }
        if let Some(over) = self.over {
            link.append_pair("over", words::of_over(over));
        }
        link.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn a_link_reads_back() {
        for select in [Select::Value, Select::Rate, Select::Buckets, Select::Quantile(0.07), Select::Quantile(0.999)] {
            let question = Question {
                select,
                matching: vec![("http.route".to_owned(), "/a:b&c=<d>".to_owned())],
                by: vec!["process".to_owned(), "cpu.mode".to_owned()],
                over: Some(Over::Median),
                kind: Some(Kind::UP_DOWN_COUNTER),
                unit: Some("{thing}/s".to_owned()),
                ..Question::new("process.cpu.time", MINUTE)
            };
            assert_eq!(Question::parse(&question.link(), MINUTE), Ok(question));
        }
    }

    #[test]
    fn what_is_no_question_is_refused() {
        let parse = |text| Question::parse(text, MINUTE);
        assert_eq!(parse("colour=red"), Err(ParseError::Unknown { key: "colour".to_owned() }));
        for text in ["select=p101", "select=mode", "kind=ratio", "where=x", "over=all", "since=soon", "step=-1s"] {
            let key = text.split('=').next().unwrap();
            assert!(matches!(parse(text), Err(ParseError::Value { key: said, .. }) if said == key), "{text}");
        }
        assert_eq!(parse("metric=a&since=1h&step=100ms"), Err(ParseError::TooLong));
        assert_eq!(parse("metric=a&since=1h&step=0s"), Err(ParseError::TooLong));
    }

    #[test]
    fn a_megabyte_is_no_part_of_a_link() {
        let mut question = Question::new("a", MINUTE);
        question.matching.push(("k".to_owned(), "v".repeat(1 << 20)));
        assert_eq!(question.link(), "metric=a");
    }
}

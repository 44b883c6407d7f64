//! The shape of a row's `ng_trajectory`, as far as checks read it.
//!
//! What is absent or null is empty; what is there and of another type makes the whole malformed.

use serde_json::Value;

use super::calls::CallIndex;

/// A value has not the shape that it should.
#[derive(Debug)]
pub(super) struct Malformed;

#[derive(Debug)]
pub(super) struct Trajectory<'a> {
    pub(super) turns: Vec<Turn<'a>>,
    /// The references of all invocations.
    pub(super) invocations: Vec<Reference<'a>>,
    pub(super) calls: Vec<Call<'a>>,
    pub(super) index: CallIndex<'a>,
    /// The codes of what is known to be missing.
    gaps: Vec<&'a str>,
}

#[derive(Debug)]
pub(super) struct Turn<'a> {
    pub(super) whole: &'a Value,
    pub(super) references: Vec<Reference<'a>>,
}

/// What a turn or an invocation knows of a model call: its id, or its model and response, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reference<'a> {
    pub(super) call_id: Option<&'a str>,
    pub(super) model: Option<Model<'a>>,
    pub(super) response_id: Option<&'a str>,
}

/// The type and the name of a model server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Model<'a>(Option<&'a str>, Option<&'a str>);

/// A captured model call.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) model: Option<Model<'a>>,
    pub(super) response_id: Option<&'a str>,
    pub(super) status: Option<i64>,
    pub(super) response_status: Option<&'a str>,
    pub(super) finish_reason: Option<&'a str>,
    pub(super) error_category: Option<&'a str>,
    pub(super) prompt_tokens: Option<u64>,
    pub(super) completion_tokens: Option<u64>,
    pub(super) response: &'a Value,
}

impl<'a> Trajectory<'a> {
    pub(super) fn parse(value: &'a Value) -> Result<Self, Malformed> {
        let whole = object(value)?;
        text(&whole["rollout_id"])?;
        list(&whole["tool_calls"], Ok)?;
        let calls = list(&whole["model_calls"], Call::parse)?;
        Ok(Self {
            turns: list(&whole["turns"], Turn::parse)?,
            invocations: list(&whole["invocations"], invocation)?.concat(),
            index: CallIndex::new(&calls),
            calls,
            gaps: list(&whole["gaps"], |gap| text(&object(gap)?["code"])?.ok_or(Malformed))?,
        })
    }

    /// Whether one of these is known to be missing.
    pub(super) fn has_gap(&self, codes: &[&str]) -> bool {
        self.gaps(codes) > 0
    }

    /// How many of these are known to be missing.
    pub(super) fn gaps(&self, codes: &[&str]) -> usize {
        self.gaps.iter().filter(|gap| codes.contains(gap)).count()
    }
}

impl<'a> Turn<'a> {
    fn parse(value: &'a Value) -> Result<Self, Malformed> {
        let whole = object(value)?;
        whole_number(&whole["turn_no"])?;
        Ok(Self { whole, references: list(&whole["model_calls"], Reference::parse)? })
    }
}

impl<'a> Reference<'a> {
    fn parse(value: &'a Value) -> Result<Self, Malformed> {
        let whole = object(value)?;
        let reference = Self {
            call_id: id(&whole["model_call_id"])?,
            model: Model::parse(&whole["model_ref"])?,
            response_id: id(&whole["response_id"])?,
        };
        let refers = reference.call_id.is_some() || (reference.model.is_some() && reference.response_id.is_some());
        refers.then_some(reference).ok_or(Malformed)
    }
}

impl<'a> Model<'a> {
    fn parse(value: &'a Value) -> Result<Option<Self>, Malformed> {
        let whole = object_or_null(value)?;
        let model = Self(text(&whole["type"])?, text(&whole["name"])?);
        Ok((!whole.is_null()).then_some(model))
    }
}

impl<'a> Call<'a> {
    fn parse(value: &'a Value) -> Result<Self, Malformed> {
        let whole = object(value)?;
        let metadata = object_or_null(&whole["response_metadata"])?;
        let tokens = object_or_null(&whole["token_stats"])?;
        Ok(Self {
            id: id(&whole["model_call_id"])?,
            model: Model::parse(&metadata["model_ref"])?,
            response_id: id(&metadata["response_id"])?,
            status: whole_number(&metadata["status_code"])?,
            response_status: text(&metadata["response_status"])?,
            finish_reason: text(&metadata["finish_reason"])?,
            error_category: text(&metadata["error_category"])?,
            // Any other number is no count.
            prompt_tokens: tokens["prompt_tokens"].as_u64(),
            completion_tokens: tokens["completion_tokens"].as_u64(),
            response: &whole["response"],
        })
    }
}

fn invocation(value: &Value) -> Result<Vec<Reference<'_>>, Malformed> {
    let whole = object(value)?;
    text(&whole["invocation_id"])?;
    list(&whole["conversation"], Ok)?;
    list(&whole["model_calls"], Reference::parse)
}

fn list<'a, T>(value: &'a Value, item: impl Fn(&'a Value) -> Result<T, Malformed>) -> Result<Vec<T>, Malformed> {
    match value {
        Value::Array(items) => items.iter().map(item).collect(),
        Value::Null => Ok(Vec::new()),
        _ => Err(Malformed),
    }
}

fn object(value: &Value) -> Result<&Value, Malformed> {
    value.is_object().then_some(value).ok_or(Malformed)
}

fn object_or_null(value: &Value) -> Result<&Value, Malformed> {
    if value.is_null() { Ok(value) } else { object(value) }
}

fn text(value: &Value) -> Result<Option<&str>, Malformed> {
    match value {
        Value::String(text) => Ok(Some(text)),
        Value::Null => Ok(None),
        _ => Err(Malformed),
    }
}

/// A text that identifies something; an empty one does not.
fn id(value: &Value) -> Result<Option<&str>, Malformed> {
    text(value).map(|text| text.filter(|text| !text.is_empty()))
}

fn whole_number(value: &Value) -> Result<Option<i64>, Malformed> {
    if value.is_null() { Ok(None) } else { value.as_i64().map(Some).ok_or(Malformed) }
}

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{arithmetic::evaluate, extract};

/// What a row asks its verifier to check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Task {
    /// The answer is the expected text.
    Text { place: Place, expected: String, case_sensitive: bool },
    /// The number in `\boxed{}` is the expression's value.
    Arithmetic { value: f64 },
}

/// Where in a text the answer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Place {
    /// In the last `\boxed{}`.
    Boxed,
    /// After the final-answer phrase.
    FinalAnswer,
    /// On the last line that is not blank.
    LastLine,
}

impl Task {
    /// Reads the task of a row; an error says which field is at fault.
    pub(crate) fn of(row: &Map<String, Value>) -> Result<Self, String> {
        let text = |field: &str| match row.get(field) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(format!("field `{field}` must be a string")),
            None => Err(format!("field `{field}` is missing: the verifier needs it")),
        };
        let place = match row.get("extraction_mode").and_then(Value::as_str).unwrap_or("boxed") {
            "boxed" => Place::Boxed,
            "final_answer" => Place::FinalAnswer,
            "last_line" => Place::LastLine,
            "arithmetic" => {
                let value = evaluate(&text("expression")?).ok_or("field `expression` is not arithmetic")?;
                return Ok(Self::Arithmetic { value });
            }
            other => {
                let known = "boxed, final_answer, last_line, arithmetic";
                return Err(format!("field `extraction_mode`: `{other}` is none of {known}"));
            }
        };
        let case_sensitive = row.get("case_sensitive").and_then(Value::as_bool).unwrap_or(false);
        Ok(Self::Text { place, expected: text("expected_answer")?, case_sensitive })
    }

    /// What a right answer would say, in the form that the task asks for.
    pub(crate) fn right_answer(&self) -> String {
        match self {
            Self::Text { place: Place::Boxed, expected, .. } => format!(r"The answer is \boxed{{{expected}}}."),
            Self::Text { place: Place::FinalAnswer, expected, .. } => format!("The final answer is {expected}."),
            Self::Text { place: Place::LastLine, expected, .. } => format!("That is easy.\n{expected}"),
            Self::Arithmetic { value } => format!(r"The result is \boxed{{{value}}}."),
        }
    }
}

/// The answer that the verifier found in a text, and the reward for it: 1 if it is right, else 0.
pub(crate) fn score<'a>(task: &Task, text: &'a str) -> (Option<&'a str>, f64) {
    let (answer, right) = match task {
        Task::Text { place, expected, case_sensitive } => {
            let answer = match place {
                Place::Boxed => extract::boxed(text),
                Place::FinalAnswer => extract::final_answer(text),
                Place::LastLine => extract::last_line(text),
            };
            (answer, answer.is_some_and(|answer| same(answer, expected, *case_sensitive)))
        }
        Task::Arithmetic { value } => {
            let answer = extract::boxed(text);
            (answer, answer.and_then(evaluate).is_some_and(|number| close(number, *value)))
        }
    };
    (answer, if right { 1.0 } else { 0.0 })
}

fn same(answer: &str, expected: &str, case_sensitive: bool) -> bool {
    let (answer, expected) = (answer.trim(), expected.trim());
    if case_sensitive { answer == expected } else { answer.to_lowercase() == expected.to_lowercase() }
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * right.abs().max(1.0)
}

//! What counts as an answer.

use serde_json::Value;

/// Where a message may keep its words.
const KEYS: [&str; 8] =
    ["text", "content", "output_text", "answer", "refusal", "reasoning", "reasoning_content", "summary"];

/// Whether a message says anything: some text in it is not blank.
pub(super) fn has_content(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => items.iter().any(has_content),
        Value::Object(_) => KEYS.iter().any(|key| has_content(&value[key])),
        _ => false,
    }
}

/// Whether the response of a model, in whichever dialect, says anything.
pub(super) fn response_has_content(response: &Value) -> bool {
    let choices = response["choices"].as_array().map_or(&[][..], Vec::as_slice);
    has_content(response)
        || has_content(&response["output"])
        || choices.iter().any(|choice| has_content(choice) || has_content(&choice["message"]))
}

/// Whether an item, or one of several, is the call of a tool.
pub(super) fn has_tool_call(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_tool_call),
        Value::Object(_) => {
            let kind = value["type"].as_str().unwrap_or_default();
            let calls = value["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
            calls || kind.ends_with("_call") || matches!(kind, "tool_use" | "mcp_list_tools" | "mcp_approval_request")
        }
        _ => false,
    }
}

//! The shapes of the responses API, as far as the fleet speaks it.

use serde_json::{Value, json};

/// A response with these output items.
pub(crate) fn response(id: &str, output: Vec<Value>, words_in: usize) -> Value {
    let words_out: usize = output.iter().map(|item| item.to_string().split_whitespace().count()).sum();
    json!({
        "id": format!("resp_{id}"),
        "object": "response",
        "status": "completed",
        "model": "rule",
        "output": output,
        "usage": {"input_tokens": words_in, "output_tokens": words_out, "total_tokens": words_in + words_out},
    })
}

/// An output item: something that the model says.
pub(crate) fn message(id: &str, text: &str) -> Value {
    json!({
        "id": format!("msg_{id}"),
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    })
}

/// An output item: a tool that the model wants to be called.
pub(crate) fn function_call(id: &str, name: &str, arguments: &Value) -> Value {
    json!({
        "type": "function_call",
        "call_id": format!("call_{id}"),
        "name": name,
        "arguments": arguments.to_string(),
    })
}

/// An input item: what a called tool gave back.
pub(crate) fn function_call_output(call_id: &Value, output: &Value) -> Value {
    json!({"type": "function_call_output", "call_id": call_id, "output": output.to_string()})
}

/// Whether an item is a call of a tool.
pub(crate) fn is_call(item: &Value) -> bool {
    item["type"] == "function_call"
}

/// The calls among some items that have no output yet.
pub(crate) fn pending_calls(items: &[Value]) -> impl Iterator<Item = &Value> {
    items.iter().filter(|item| is_call(item)).filter(|call| {
        let answers = |item: &&Value| item["type"] == "function_call_output" && item["call_id"] == call["call_id"];
        items.iter().find(answers).is_none()
    })
}

/// All that a response says in its messages.
pub(crate) fn output_text(response: &Value) -> String {
    let items = response["output"].as_array().map_or(&[][..], Vec::as_slice);
    let parts = items.iter().filter_map(|item| item["content"].as_array()).flatten();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// The server-sent events that stream a response.
pub(crate) fn events(response: &Value) -> Vec<Value> {
    let mut events = vec![json!({"type": "response.created", "response": {"id": response["id"]}})];
    for word in output_text(response).split_inclusive(' ') {
        events.push(json!({"type": "response.output_text.delta", "delta": word}));
    }
    events.push(json!({"type": "response.completed", "response": response}));
    events
}

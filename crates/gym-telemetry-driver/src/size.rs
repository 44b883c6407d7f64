use gym_telemetry_core::RolloutSize;
use serde_json::Value;

/// The size of one completed rollout, from its row as NeMo Gym writes it.
///
/// * Input items: `responses_create_params.input`, one if it is a string.
/// * Output items: `response.output`.
/// * Turns and tool calls: `ng_perf.turns` and `ng_perf.tool_calls`; without them, turns are unknown and tool calls
///   are the `function_call` items of the output.
#[must_use]
pub fn rollout_size(row: &Value) -> RolloutSize {
    let input = match &row["responses_create_params"]["input"] {
        Value::String(_) => 1,
        Value::Array(items) => items.len() as u64,
        _ => 0,
    };
    let output = row["response"]["output"].as_array().map_or(&[][..], Vec::as_slice);
    let calls = output.iter().filter(|item| item["type"] == "function_call").count() as u64;
    let perf = &row["ng_perf"];
    let size = RolloutSize::new(input, output.len() as u64, perf["tool_calls"].as_u64().unwrap_or(calls));
    perf["turns"].as_u64().map_or(size, |turns| size.turns(turns))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_are_counted_where_the_row_has_them() {
        let row = json!({
            "responses_create_params": {"input": [{"role": "system"}, {"role": "user"}]},
            "response": {"output": [{"type": "function_call"}, {"type": "function_call_output"}, {"type": "message"}]},
        });
        assert_eq!(rollout_size(&row), RolloutSize::new(2, 3, 1));
        let one = json!({"responses_create_params": {"input": "What is 2 + 2?"}});
        assert_eq!(rollout_size(&one), RolloutSize::new(1, 0, 0));
        let told = json!({"ng_perf": {"turns": 4, "tool_calls": 9}});
        assert_eq!(rollout_size(&told), RolloutSize::new(0, 0, 9).turns(4));
    }

    #[test]
    fn odd_rows_have_a_size_too() {
        for row in [json!(null), json!([1]), json!({"response": 3, "ng_perf": "x", "responses_create_params": []})] {
            assert_eq!(rollout_size(&row), RolloutSize::new(0, 0, 0));
        }
    }
}

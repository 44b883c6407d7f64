use gym_telemetry_core::RolloutSize;
use serde_json::Value;

/// The size of one completed rollout, from its row as NeMo Gym writes it.
///
/// * Input items: `responses_create_params.input`, one if it is a string.
/// * Output items: `response.output`.
/// * Turns and tool calls: `ng_perf.num_turns` and `ng_perf.num_tool_calls`, or the same without `num_`; where there
///   are none, turns are unknown and tool calls are the `function_call` items of the output.
#[must_use]
pub fn rollout_size(row: &Value) -> RolloutSize {
    let input = match &row["responses_create_params"]["input"] {
        Value::String(_) => 1,
        Value::Array(items) => items.len() as u64,
        _ => 0,
    };
    let output = row["response"]["output"].as_array().map_or(&[][..], Vec::as_slice);
    let calls = output.iter().filter(|item| item["type"] == "function_call").count() as u64;
    let told = |long, short| row["ng_perf"][long].as_u64().or_else(|| row["ng_perf"][short].as_u64());
    let calls = told("num_tool_calls", "tool_calls").unwrap_or(calls);
    let size = RolloutSize::new(input, output.len() as u64, calls);
    told("num_turns", "turns").map_or(size, |turns| size.turns(turns))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

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
        for told in [json!({"turns": 4, "tool_calls": 9}), json!({"num_turns": 4, "num_tool_calls": 9})] {
            assert_eq!(rollout_size(&json!({"ng_perf": told})), RolloutSize::new(0, 0, 9).turns(4));
        }
    }

    #[test]
    fn odd_rows_have_a_size_too() {
        for row in [json!(null), json!([1]), json!({"response": 3, "ng_perf": "x", "responses_create_params": []})] {
            assert_eq!(rollout_size(&row), RolloutSize::new(0, 0, 0));
        }
    }

    #[test]
    fn real_rows_have_input_and_output() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        let Ok(files) = fs::read_dir(&folder) else {
            println!("skipped: there is no {}", folder.display());
            return;
        };
        for path in files.map(|file| file.unwrap().path()).filter(|path| path.to_string_lossy().contains(".rollouts."))
        {
            for row in fs::read_to_string(path).unwrap().lines() {
                let size = rollout_size(&serde_json::from_str(row).unwrap());
                assert!(
                    size.input_items > 0 && size.output_items > 0 && size.tool_calls < size.output_items,
                    "{size:?}"
                );
            }
        }
    }
}

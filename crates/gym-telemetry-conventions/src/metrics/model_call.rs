//! Calls of a model.

use super::macros::instruments;

instruments! { "Calls of a model", Beyond:
    /// How long a call of the model took, whether it succeeded or failed.
    MODEL_CALL_DURATION_MS = "gym.model_call.duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "model server",
        required: [SERVER_NAME, MODEL_CALL_DIALECT, MODEL_CALL_OUTCOME],
        boundaries: MODEL_CALL_MS,
    }

    /// How long a streamed response took to bring its first chunk.
    MODEL_CALL_TTFT_MS = "gym.model_call.ttft_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "model server",
        required: [SERVER_NAME, MODEL_CALL_DIALECT],
        boundaries: TTFT_MS,
    }

    /// Tokens of one model call, for each type that the provider tells.
    MODEL_CALL_TOKENS = "gym.model_call.tokens" {
        kind: HistogramU64,
        unit: "{token}",
        reporter: "model server",
        required: [SERVER_NAME, MODEL_CALL_DIALECT, MODEL_CALL_TOKEN_TYPE],
        boundaries: MODEL_TOKENS,
    }

    /// Responses of the model, by why they ended.
    MODEL_CALL_FINISH_TOTAL = "gym.model_call.finish_total" {
        kind: CounterU64,
        unit: "1",
        reporter: "model server",
        required: [SERVER_NAME, MODEL_CALL_DIALECT, MODEL_CALL_FINISH_REASON],
    }
}

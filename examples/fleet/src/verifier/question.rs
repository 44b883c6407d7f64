use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Task, score};
use crate::tasks::Row;

/// What a verifier is asked, wherever it runs.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Question {
    /// What this text is worth as an answer to a task.
    Score { task: Task, text: String },
    /// What the verifier said when the rollout was recorded.
    Recorded { reward: Option<Value> },
}

impl Question {
    /// What is added to a row by verifying it.
    pub(crate) fn answer(self) -> Row {
        match self {
            Self::Score { task, text } => {
                let (answer, reward) = score(&task, &text);
                let fields = [("reward", json!(reward)), ("extracted_answer", json!(answer))];
                fields.map(|(field, value)| (field.to_owned(), value)).into_iter().collect()
            }
            Self::Recorded { reward } => reward.map(|reward| ("reward".to_owned(), reward)).into_iter().collect(),
        }
    }
}

/// How large one completed rollout is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RolloutSize {
    /// Input items that it started with.
    pub input_items: u64,
    /// Output items of its final response.
    pub output_items: u64,
    /// Agent turns, where the rollout says how many there were.
    pub turns: Option<u64>,
    /// Tool calls.
    pub tool_calls: u64,
}

impl RolloutSize {
    /// The size of a rollout that began with `input_items` and whose final response has `output_items`, of which
    /// `tool_calls` are calls of tools.
    #[must_use]
    pub fn new(input_items: u64, output_items: u64, tool_calls: u64) -> Self {
        Self { input_items, output_items, turns: None, tool_calls }
    }

    /// With the number of agent turns, which only some rollouts tell.
    #[must_use]
    pub fn turns(mut self, turns: u64) -> Self {
        self.turns = Some(turns);
        self
    }
}

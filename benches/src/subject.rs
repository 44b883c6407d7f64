use std::hint::black_box;

/// One thing to be measured: work that can be done any number of times, by several threads at once.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// The subject that `added` figures are above, by name; none for the first.
    pub(crate) above: Option<&'static str>,
    /// With how many threads it is measured, one after the other.
    pub(crate) threads: &'static [usize],
    /// Whether the thread that runs it does all of its work.
    pub(crate) in_caller: bool,
    work: Box<dyn Fn(u64) + Send + Sync>,
}

impl Subject {
    /// `work` does one thing as often as it is told.
    pub(crate) fn new(name: &'static str, work: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Self { name, above: None, threads: &[1, 2], in_caller: false, work: Box::new(work) }
    }

    /// The same, compared with another subject.
    pub(crate) fn above(mut self, other: &'static str) -> Self {
        self.above = Some(other);
        self
    }

    /// The same, measured with one thread alone.
    pub(crate) fn alone(mut self) -> Self {
        self.threads = &[1];
        self
    }

    /// The same, which leaves no work to other threads: its instructions are counted in the calling one alone.
    pub(crate) fn in_caller(mut self) -> Self {
        self.in_caller = true;
        self
    }

    /// Does it `events` times.
    // The instruction counter looks for its name, and for its end, which a call in the last place would hide.
    #[inline(never)]
    pub(crate) fn run(&self, events: u64) {
        (self.work)(events);
        black_box(events);
    }
}

impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject").field("name", &self.name).finish_non_exhaustive()
    }
}

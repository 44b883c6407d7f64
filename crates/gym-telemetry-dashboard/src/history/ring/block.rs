//! Consecutive points, written one after another.

use super::sample::Sample;

/// So many slots a block spans. Blocks begin at multiples of it.
pub(super) const SPAN: u64 = 60;

/// The points of one span of slots.
#[derive(Debug)]
pub(super) struct Block<S: Sample> {
    /// Which span it is.
    pub(super) span: u64,
    /// The slot that would be written without a gap.
    next: u64,
    memory: S::Memory,
    bytes: Vec<u8>,
}

impl<S: Sample> Block<S> {
    pub(super) fn new(span: u64) -> Self {
        Self { span, next: span * SPAN, memory: S::Memory::default(), bytes: Vec::new() }
    }

    /// Appends a point. Slots only rise.
    pub(super) fn write(&mut self, slot: u64, sample: &S) {
        sample.write(slot - self.next, &mut self.memory, &mut self.bytes);
        self.next = slot + 1;
    }

    /// Gives back the room that no point will need.
    pub(super) fn close(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Every point with its slot.
    pub(super) fn read(&self) -> impl Iterator<Item = (u64, S)> {
        let mut slot = self.span * SPAN;
        let mut memory = S::Memory::default();
        let mut bytes = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let (skipped, sample) = S::read(&mut memory, &mut bytes)?;
            let at = slot + skipped;
            slot = at + 1;
            Some((at, sample))
        })
    }

    /// Bytes that it occupies.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.bytes.len()
    }
}

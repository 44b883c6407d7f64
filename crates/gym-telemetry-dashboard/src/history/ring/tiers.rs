//! The two tiers and what moves between them.

use super::block::{Block, SPAN};
use super::sample::Sample;

/// So many slots are folded into one.
pub(super) const COARSE: u64 = 30;

/// So many blocks stay as they are, beside the one that is being written.
const FINE_BLOCKS: u64 = 4;

/// The past of one series.
#[derive(Debug)]
pub(crate) struct Ring<S: Sample> {
    newest: Option<(u64, S)>,
    fine: Vec<Block<S>>,
    coarse: Vec<Block<S>>,
    bytes: usize,
}

impl<S: Sample> Ring<S> {
    pub(crate) fn new() -> Self {
        Self { newest: None, fine: Vec::new(), coarse: Vec::new(), bytes: 0 }
    }

    /// Takes in a point. One that is not later than the newest joins it. What is more than `retention` slots older is
    /// forgotten, a block at a time.
    pub(crate) fn push(&mut self, slot: u64, sample: S, retention: u64) {
        match &mut self.newest {
            Some((newest, held)) if slot <= *newest => held.fold(sample),
            newest => {
                if let Some((before, held)) = newest.replace((slot, sample)) {
                    let opened = write(&mut self.fine, &mut self.bytes, before, &held);
                    if opened {
                        self.age(before, retention);
                    }
                }
            }
        }
    }

    /// The newest slot with a point.
    pub(crate) fn newest(&self) -> Option<u64> {
        self.newest.as_ref().map(|(slot, _)| *slot)
    }

    /// Forgets its oldest block, if there is one beside those that are being written.
    pub(crate) fn shed(&mut self) -> bool {
        let tier = if self.coarse.is_empty() { &mut self.fine } else { &mut self.coarse };
        let oldest = (!tier.is_empty()).then(|| tier.remove(0));
        self.bytes -= oldest.as_ref().map_or(0, Block::bytes);
        oldest.is_some()
    }

    /// Bytes that its blocks occupy.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Shows the points from `from` on, and at least one before it if there is one: the slot that each ends with, how
    /// many slots it may stand for, and itself.
    pub(crate) fn read(&self, from: u64, mut see: impl FnMut(u64, u64, &S)) {
        let fine_suffices = self.fine.get(1).is_some_and(|block| block.span * SPAN <= from);
        if !fine_suffices {
            for block in since(&self.coarse, from / COARSE) {
                block.read().for_each(|(slot, sample)| see((slot + 1) * COARSE - 1, COARSE, &sample));
            }
        }
        for block in since(&self.fine, from) {
            block.read().for_each(|(slot, sample)| see(slot, 1, &sample));
        }
        if let Some((slot, sample)) = &self.newest {
            see(*slot, 1, sample);
        }
    }

    /// Folds and forgets what has grown old at `now`.
    fn age(&mut self, now: u64, retention: u64) {
        let oldest = now.saturating_sub(retention);
        while let Some(block) = self.fine.first().filter(|block| block.span + FINE_BLOCKS < now / SPAN) {
            self.bytes -= block.bytes();
            let block = self.fine.remove(0);
            if (block.span + 1) * SPAN > oldest {
                self.fold(&block);
            }
        }
        while let Some(block) = self.coarse.first().filter(|block| (block.span + 1) * SPAN * COARSE <= oldest) {
            self.bytes -= block.bytes();
            self.coarse.remove(0);
        }
    }

    fn fold(&mut self, block: &Block<S>) {
        let mut open: Option<(u64, S)> = None;
        for (slot, sample) in block.read() {
            match &mut open {
                Some((held, folded)) if *held == slot / COARSE => folded.fold(sample),
                open => {
                    if let Some((slot, folded)) = open.replace((slot / COARSE, sample)) {
                        write(&mut self.coarse, &mut self.bytes, slot, &folded);
                    }
                }
            }
        }
        if let Some((slot, folded)) = open {
            write(&mut self.coarse, &mut self.bytes, slot, &folded);
        }
    }
}

/// Appends a point to the block that it belongs to; whether that is a new one.
fn write<S: Sample>(tier: &mut Vec<Block<S>>, bytes: &mut usize, slot: u64, sample: &S) -> bool {
    let span = slot / SPAN;
    let opens = tier.last().is_none_or(|block| block.span != span);
    if opens {
        if let Some(full) = tier.last_mut() {
            full.close();
        }
        tier.push(Block::new(span));
    }
    if let Some(block) = tier.last_mut() {
        let before = if opens { 0 } else { block.bytes() };
        block.write(slot, sample);
        *bytes += block.bytes() - before;
    }
    opens
}

/// The blocks from the one with `from` on, and the one before.
fn since<S: Sample>(tier: &[Block<S>], from: u64) -> &[Block<S>] {
    let first = tier.partition_point(|block| block.span * SPAN <= from).saturating_sub(2);
    tier.get(first..).unwrap_or_default()
}

//! Where things were the last time.
//!
//! A process says the same things in the same order with every export. So each of them is first looked for where the
//! one at the same position was found before; only if it is another is it read and looked up.

use std::sync::Arc;

use crate::model::{Attributes, Scope};
use crate::wire;

/// Where the parts of the last request of one process were.
#[derive(Debug)]
pub(super) struct Recall {
    /// The process.
    pub(super) resource: Attributes,
    scopes: Vec<(Box<[u8]>, Arc<Scope>)>,
    /// The place of the metric at each position.
    pub(super) metrics: Vec<usize>,
    /// For the metric at each place, where the series at each position is, and the bytes that its attributes were.
    series: Vec<Vec<(Box<[u8]>, usize)>>,
}

impl Recall {
    pub(super) fn new(resource: Attributes) -> Self {
        Self { resource, scopes: Vec::new(), metrics: Vec::new(), series: Vec::new() }
    }

    /// The scope at a position.
    pub(super) fn scope(&mut self, position: usize, message: &[u8], schema_url: &str) -> Arc<Scope> {
        match self.scopes.get(position) {
            Some((bytes, scope)) if **bytes == *message && scope.schema_url == schema_url => Arc::clone(scope),
            _ => {
                let scope = Arc::new(wire::scope(message, schema_url));
                put(&mut self.scopes, position, (message.into(), Arc::clone(&scope)));
                scope
            }
        }
    }

    /// Where the series at each position of a metric was.
    pub(super) fn series(&mut self, metric: usize) -> &mut Vec<(Box<[u8]>, usize)> {
        if self.series.len() <= metric {
            self.series.resize_with(metric + 1, Vec::new);
        }
        &mut self.series[metric]
    }
}

/// Puts `value` at a position that there is, or that comes next.
pub(super) fn put<T>(list: &mut Vec<T>, position: usize, value: T) {
    if position == list.len() {
        list.push(value);
    } else if let Some(held) = list.get_mut(position) {
        *held = value;
    }
}

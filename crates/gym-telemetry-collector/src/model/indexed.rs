//! A list with an index.

use std::collections::BTreeMap;

/// Values that are found by key, or by their place in the order in which they came, and read by key.
#[derive(Debug, Clone)]
pub(crate) struct Indexed<K, V> {
    places: BTreeMap<K, usize>,
    values: Vec<V>,
}

impl<K: Ord, V> Indexed<K, V> {
    /// Where the value of `key` is.
    pub(crate) fn place(&self, key: &K) -> Option<usize> {
        self.places.get(key).copied()
    }

    /// The value at a place.
    pub(crate) fn at(&mut self, place: usize) -> Option<&mut V> {
        self.values.get_mut(place)
    }

    /// Adds a value under a key that has none; where it is.
    pub(crate) fn push(&mut self, key: K, value: V) -> usize {
        let place = self.values.len();
        self.values.push(value);
        self.places.insert(key, place);
        place
    }

    /// Takes back what was added last, under this key.
    pub(crate) fn pop(&mut self, key: &K) {
        self.places.remove(key);
        self.values.pop();
    }

    /// Every value, by key.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&K, &V)> {
        self.places.iter().map(|(key, place)| (key, &self.values[*place]))
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<K, V> Default for Indexed<K, V> {
    fn default() -> Self {
        Self { places: BTreeMap::new(), values: Vec::new() }
    }
}

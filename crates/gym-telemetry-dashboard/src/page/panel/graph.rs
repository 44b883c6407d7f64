use serde::Serialize;

use super::Number;

/// Parts of a fleet and the calls between them.
#[derive(Debug, Serialize)]
pub(in crate::page) struct Graph {
    pub(in crate::page) nodes: Vec<Node>,
    pub(in crate::page) edges: Vec<Edge>,
}

/// One part: all processes of one server.
#[derive(Debug, Serialize)]
pub(in crate::page) struct Node {
    pub(in crate::page) name: String,
    /// How many calls lie between it and what nobody calls.
    pub(in crate::page) layer: usize,
    pub(in crate::page) numbers: Vec<Number>,
}

/// The calls from one part to another.
#[derive(Debug, Serialize)]
pub(in crate::page) struct Edge {
    /// Places in the list of nodes.
    pub(in crate::page) from: usize,
    pub(in crate::page) to: usize,
    pub(in crate::page) numbers: Vec<Number>,
}

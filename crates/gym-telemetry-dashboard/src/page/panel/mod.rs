//! What a view is made of, in the form in which it is sent.
//!
//! Every `query` is what `GET /api/v1/query?` and the page `/metric?` take.

mod chart;
mod graph;
mod number;
mod table;
mod timeline;
mod view;

pub(super) use chart::{Chart, Heat, HeatRow, Series, latest};
pub(super) use graph::{Edge, Graph, Node};
pub(super) use number::Number;
pub(super) use table::{Cell, Column, Row, Table};
pub(super) use timeline::{Span, Timeline, TimelineRow};
pub(super) use view::{Content, Panel, View};

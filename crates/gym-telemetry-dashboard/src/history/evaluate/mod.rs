//! From what is held to answers.
//!
//! A query looks at a *grid* of steps. Each series that it chooses is read onto the grid, into the *lane* that it
//! belongs to: one of its whole group, of its process, or of its own, as the query says what happens to several
//! processes. What the lanes of a group come to is its line.

mod counts;
mod gathering;
mod grid;
mod labels;
mod lanes;
mod levels;
mod select;

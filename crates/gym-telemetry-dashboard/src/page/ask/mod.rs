//! Asking the history: a question has a text form, which is the link behind each number.

mod asked;
mod names;
mod question;
mod scene;
pub(super) mod words;

pub(super) use asked::Asked;
pub(super) use names::{Names, server};
pub(super) use question::Question;
pub(super) use scene::{PROCESS, Scene};

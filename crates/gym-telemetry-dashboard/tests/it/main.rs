//! The command as its users run it: processes, sockets and files.
#![cfg(test)]

mod bodies;
mod command;
mod hostile;
mod support;

//! The command as its users run it: processes, sockets and files.

mod command;
mod hostile;
mod support;

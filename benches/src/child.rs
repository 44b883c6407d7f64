use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::SocketAddr,
    process::{self, Command, Stdio},
};

use anyhow::{Context as _, Result};

/// A server in a process of its own, which ends with this.
#[derive(Debug)]
pub(crate) struct Child {
    process: process::Child,
    address: SocketAddr,
}

impl Child {
    /// Starts this program once more, to be the server of that name.
    pub(crate) fn start(server: &str) -> Result<Self> {
        let program = std::env::current_exe().context("this program has no path")?;
        let mut command = Command::new(program);
        let command = command.args(["serve", server]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().context("a server cannot be started")?;
        let mut line = String::new();
        if let Some(stdout) = &mut process.stdout {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let address = line.trim().parse().with_context(|| format!("the server `{server}` said `{line}`"))?;
        Ok(Self { process, address })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Its standard input closes, which tells it to end.
        drop(self.process.stdin.take());
        drop(self.process.wait());
    }
}

/// Tells the parent where the server listens, and ends this process when the parent is done with it.
#[expect(clippy::print_stdout, reason = "the parent reads it")]
pub(crate) fn announce(address: SocketAddr) {
    println!("{address}");
    std::thread::spawn(|| {
        drop(std::io::stdin().read_to_end(&mut Vec::new()));
        process::exit(0);
    });
}

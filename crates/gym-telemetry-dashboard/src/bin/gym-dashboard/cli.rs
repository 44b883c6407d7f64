//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

/// Receives the metrics of any processes that export OTLP, and shows them live in a browser.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) receiver: Receiver,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows a recorded run
    Open {
        /// What `--record` wrote
        file: PathBuf,
        #[command(flatten)]
        shown: Shown,
    },
}

/// What is received, and from where.
#[derive(Debug, Args)]
pub(crate) struct Receiver {
    /// Where to receive OTLP over HTTP; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4318")]
    pub(crate) listen: SocketAddr,
    /// Where to receive OTLP over gRPC
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4317")]
    pub(crate) grpc: SocketAddr,
    /// Record what is received to this new file; `gym-dashboard open` shows it again
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

/// What is shown, and to whom.
#[derive(Debug, Args)]
pub(crate) struct Shown {
    /// Where to serve the page
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8090")]
    pub(crate) page: SocketAddr,
    /// How far back it reaches, as in 90s, 20m or 1h
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = retention)]
    pub(crate) retention: Duration,
    /// Take in no more series than this
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub(crate) max_series: usize,
    /// Let addresses be listened on that other machines can reach; the token is then needed to look, and to send
    #[arg(long, requires = "token")]
    pub(crate) allow_remote: bool,
    /// What others have to know: `?token=..` behind the page's address, `authorization: Bearer ..` to send
    #[arg(long, value_name = "TOKEN", env = "GYM_DASHBOARD_TOKEN", requires = "allow_remote", hide_env_values = true)]
    pub(crate) token: Option<String>,
}

fn retention(text: &str) -> Result<Duration, String> {
    let retention = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if retention < Duration::from_secs(1) { Err("it is less than a second".to_owned()) } else { Ok(retention) }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn retentions_are_durations() {
        assert_eq!(retention("90s"), Ok(Duration::from_secs(90)));
        assert!(retention("0s").is_err() && retention("soon").is_err());
    }

    #[test]
    fn nothing_is_reachable_from_elsewhere_without_a_token() {
        assert!(Cli::try_parse_from(["gym-dashboard", "--allow-remote"]).is_err());
        assert!(Cli::try_parse_from(["gym-dashboard", "--allow-remote", "--token", "x"]).is_ok());
    }
}

use std::{collections::HashSet, net::SocketAddr, path::PathBuf, str::FromStr};

use clap::{Args, Parser, Subcommand};
use http::{Uri, uri::Scheme};

use crate::servers::Role;

/// Runs a rollout fleet on real input and shows what its telemetry saw.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) options: Options,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs one server of the fleet; the supervisor starts these.
    #[command(hide = true)]
    Serve(Serve),
    /// Verifies what comes on standard input, confined; the resources server starts these.
    #[command(hide = true)]
    Sandbox,
}

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Input rows in NeMo Gym's format (JSON lines) [default: the bundled tasks]
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(crate) input: Option<PathBuf>,
    /// Finished rollouts to play again: the model answers as recorded, the verifier rewards as recorded
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Where the results go; what it holds already is not run again. Beside NAME.jsonl come NAME_failures.jsonl,
    /// NAME.materialized.jsonl (the rows that are run), NAME.html (the page) and NAME.tasks.jsonl (the bundled tasks)
    /// [default: rollouts.jsonl in a new folder of fleet-output]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How often each row is run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) repeats: u64,
    /// Use no more than this many rows of the input
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// How many rollouts run at a time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = some)]
    pub(crate) concurrency: usize,
    /// How many verifications run at a time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = some)]
    pub(crate) verifiers: usize,
    /// Verify within the resources server instead of in sandboxes, which are processes with limits
    #[arg(long)]
    pub(crate) no_sandbox: bool,
    /// Let the number of rollouts at a time find its own value: at least 1, at most this, at first --concurrency
    #[arg(long, value_name = "MAX", value_parser = some)]
    pub(crate) adaptive: Option<usize>,
    /// How many connections each process holds to each server; 0 means no limit
    #[arg(long, value_name = "N", default_value_t = 512)]
    pub(crate) connections: usize,
    /// Sample the memory of the servers
    #[arg(long)]
    pub(crate) memory: bool,
    /// A YAML file with a `telemetry:` block
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Export to this collector instead of the built-in one [env: OTEL_EXPORTER_OTLP_ENDPOINT]
    #[arg(long, value_name = "URL")]
    pub(crate) otlp_endpoint: Option<String>,
    /// Write the final state of every series as OTLP JSON
    #[arg(long, value_name = "FILE", conflicts_with = "otlp_endpoint")]
    pub(crate) metrics_json: Option<PathBuf>,
    /// Where the live page of the run is served [default: a free port of 127.0.0.1]
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:0", hide_default_value = true, value_parser = loopback)]
    pub(crate) page: SocketAddr,
    /// Serve no page, and write none beside the output
    #[arg(long, conflicts_with_all = ["page", "keep"])]
    pub(crate) no_page: bool,
    /// Keep the page up when the run is over, until Ctrl-C, instead of writing it beside the output
    #[arg(long)]
    pub(crate) keep: bool,
    /// A real model to ask instead of the built-in one: the base URL of a responses API
    #[arg(long, value_name = "URL", conflicts_with = "replay", value_parser = http_url)]
    pub(crate) model_url: Option<String>,
    /// Let this share of requests go wrong: cancel=P,panic=P,fail=P,slow=P,block=P
    #[arg(long, value_name = "SPEC", default_value = "")]
    pub(crate) chaos: Chaos,
    /// How many seconds running rollouts get to end after the first Ctrl-C
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) grace: u64,
    /// Show no progress and no summary
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// What one server process is told when it is started.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    pub(crate) role: Role,
    #[arg(long)]
    pub(crate) name: String,
    #[arg(long)]
    pub(crate) chaos: Chaos,
    #[arg(long)]
    pub(crate) rows: Option<PathBuf>,
    #[arg(long)]
    pub(crate) replay: bool,
    #[arg(long, default_value_t = 4)]
    pub(crate) verifiers: usize,
    #[arg(long)]
    pub(crate) sandbox: bool,
    #[arg(long, default_value_t = 0)]
    pub(crate) connections: usize,
    #[arg(long)]
    pub(crate) model_url: Option<String>,
    #[arg(long)]
    pub(crate) resources_url: Option<String>,
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
}

/// Which shares of requests go wrong, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Chaos {
    /// The driver hangs up on `/run`.
    pub(crate) cancel: f64,
    /// A handler panics.
    pub(crate) panic: f64,
    /// A handler answers 500.
    pub(crate) fail: f64,
    /// A handler takes a while longer.
    pub(crate) slow: f64,
    /// A handler blocks the event loop for a while.
    pub(crate) block: f64,
}

impl Chaos {
    /// Whether anything goes wrong on purpose.
    pub(crate) fn is_some(self) -> bool {
        self != Self::default()
    }
}

impl FromStr for Chaos {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut chaos = Self::default();
        let mut named = HashSet::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (name, share) = part.split_once('=').ok_or_else(|| format!("`{part}` is not NAME=SHARE"))?;
            let share = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
            let share = share.ok_or_else(|| format!("`{part}`: a share is a number from 0 to 1"))?;
            if !named.insert(name) {
                return Err(format!("`{name}` is there twice"));
            }
            match name {
                "cancel" => chaos.cancel = share,
                "panic" => chaos.panic = share,
                "fail" => chaos.fail = share,
                "slow" => chaos.slow = share,
                "block" => chaos.block = share,
                _ => return Err(format!("`{name}` is none of cancel, panic, fail, slow, block")),
            }
        }
        Ok(chaos)
    }
}

impl std::fmt::Display for Chaos {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cancel, panic, fail, slow, block } = self;
        write!(f, "cancel={cancel},panic={panic},fail={fail},slow={slow},block={block}")
    }
}

/// More at a time than any machine runs.
const MOST: usize = 1_000_000;

fn some(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("must be a whole number from 1 to {MOST}"))
}

fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text.parse().map_err(|_| "must be IP:PORT, such as 127.0.0.1:8080".to_owned())?;
    let is_here = address.ip().to_canonical().is_loopback();
    is_here.then_some(address).ok_or_else(|| {
        "the page is for this machine alone: take a loopback address such as 127.0.0.1, and forward its port".to_owned()
    })
}

fn http_url(text: &str) -> Result<String, String> {
    let url: Option<Uri> = text.parse().ok();
    let fits =
        url.is_some_and(|url| url.scheme() == Some(&Scheme::HTTP) && url.host().is_some_and(|it| !it.is_empty()));
    fits.then(|| text.to_owned()).ok_or_else(|| "must be an http:// URL with a host; https is not spoken".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_for_this_machine() {
        assert!(loopback("127.0.0.1:0").is_ok() && loopback("[::1]:80").is_ok());
        assert!(loopback("8080").unwrap_err().contains("IP:PORT"));
        assert!(loopback("0.0.0.0:80").unwrap_err().contains("loopback"));
    }

    #[test]
    fn a_model_is_where_a_url_says() {
        assert!(http_url("http://127.0.0.1:8000/base").is_ok());
        for bad in ["", "127.0.0.1:8000", "model", "ftp://model", "http://", "/v1", "https://model"] {
            assert!(http_url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_have_a_range() {
        assert_eq!(some("1000000"), Ok(MOST));
        for bad in ["0", "1000001", "18446744073709551616", "-1", "x"] {
            assert_eq!(some(bad), Err("must be a whole number from 1 to 1000000".to_owned()), "{bad}");
        }
    }

    #[test]
    fn chaos_says_each_share_once() {
        assert_eq!("cancel=.1,fail=.2".parse(), Ok(Chaos { cancel: 0.1, fail: 0.2, ..Chaos::default() }));
        assert_eq!("cancel=.1,cancel=.2".parse::<Chaos>(), Err("`cancel` is there twice".to_owned()));
    }
}

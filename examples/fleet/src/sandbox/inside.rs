use std::io::{self, BufRead as _, Write as _};

use anyhow::{Context as _, Result};

use super::process::READY;
use crate::verifier::Question;

/// Answers questions for as long as standard input has any: a line of JSON each, and a line of JSON back.
pub(crate) fn answer_questions() -> Result<()> {
    limits::confine()?;
    let mut output = io::stdout().lock();
    output.write_all(READY)?;
    for question in io::stdin().lock().lines() {
        let question: Question = serde_json::from_str(&question?).context("this is no question")?;
        limits::grant_time()?;
        let mut answer = serde_json::to_vec(&question.answer())?;
        answer.push(b'\n');
        output.write_all(&answer)?;
    }
    Ok(())
}

#[cfg(unix)]
mod limits {
    use nix::sys::{
        resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit},
        time::TimeValLike as _,
    };

    /// Address space in bytes: much more than a verification takes.
    const MEMORY: u64 = 512 << 20;

    /// Open files: the three that every process has, and a few that libraries open by themselves.
    const FILES: u64 = 8;

    /// Seconds of processor time that one verification may take.
    const SECONDS: u64 = 10;

    /// Gives up, for good, what no verification needs: writing files, leaving a core dump, memory without end.
    pub(super) fn confine() -> nix::Result<()> {
        let limits = [
            (Resource::RLIMIT_AS, MEMORY),
            (Resource::RLIMIT_NOFILE, FILES),
            (Resource::RLIMIT_FSIZE, 0),
            (Resource::RLIMIT_CORE, 0),
        ];
        limits.into_iter().try_for_each(|(resource, limit)| setrlimit(resource, limit, limit))
    }

    /// Lets the next verification take its time, beyond which the kernel ends the process.
    pub(super) fn grant_time() -> nix::Result<()> {
        let used = getrusage(UsageWho::RUSAGE_SELF)?;
        let used = (used.user_time() + used.system_time()).num_seconds().unsigned_abs();
        let (_, hard) = getrlimit(Resource::RLIMIT_CPU)?;
        setrlimit(Resource::RLIMIT_CPU, hard.min(used + SECONDS), hard)
    }
}

#[cfg(not(unix))]
mod limits {
    pub(super) fn confine() -> std::io::Result<()> {
        Ok(())
    }

    pub(super) fn grant_time() -> std::io::Result<()> {
        Ok(())
    }
}

use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

use gym_telemetry_core::{MemoryMetrics, MemorySample};

use super::{
    newcomers::Newcomers,
    server::{KeptPeaks, Server},
    target::Target,
};
use crate::{
    container::Container,
    host::Host,
    proc::ProcFs,
    pss::{Budget, PssBudget},
    tree::Parents,
};

/// All that one sample reads and remembers.
#[derive(Debug)]
pub(super) struct Sampler {
    metrics: MemoryMetrics,
    proc: ProcFs,
    host: Host,
    container: Container,
    parents: Parents,
    budget: Budget,
    servers: Vec<Server>,
    /// The server whose turn it is to use what is left of the budget.
    turn: usize,
    /// Where the peaks of servers that ended are kept, if they are.
    kept: Option<KeptPeaks>,
    newcomers: Newcomers,
    /// When the last sample began.
    last: Option<Instant>,
    /// Whether the last sample ran past the next.
    late: bool,
}

impl Sampler {
    /// A sampler below a root folder, which watches nothing yet.
    pub(super) fn new(
        metrics: MemoryMetrics,
        root: &Path,
        interval: Duration,
        budget: PssBudget,
        keep_peaks: bool,
    ) -> io::Result<Self> {
        let mut proc = ProcFs::open(root.join("proc"))?;
        Ok(Self {
            metrics,
            host: Host::default(),
            container: Container::new(root, &mut proc),
            budget: Budget::new(budget, interval, &mut proc),
            proc,
            parents: Parents::default(),
            servers: Vec::new(),
            turn: 0,
            kept: keep_peaks.then(KeptPeaks::new),
            newcomers: Newcomers::new(root),
            last: None,
            late: false,
        })
    }

    /// Watches one more server, in the place of one with the same name.
    pub(super) fn add(&mut self, target: &Target) {
        self.remove(&target.name);
        let mut server = Server::new(target);
        if let Some(peaks) = self.kept.as_ref().and_then(|kept| kept.get(&*target.name)) {
            server.inherit(peaks);
        }
        self.servers.push(server);
    }

    /// Watches a server no more.
    pub(super) fn remove(&mut self, name: &str) {
        let Self { servers, kept, .. } = self;
        servers.retain(|server| {
            let stays = &**server.name() != name;
            if !stays {
                keep(kept, server);
            }
            stays
        });
    }

    /// Takes one sample and hands it over.
    pub(super) fn sample(&mut self) {
        let now = Instant::now();
        self.budget.pass(self.last.replace(now).map_or(Duration::ZERO, |last| now.saturating_duration_since(last)));
        self.look_at_servers(now);
        self.read_pss(now);
        let mut sample = MemorySample::default();
        sample.servers = self.servers.iter().map(|server| server.seen().clone()).collect();
        sample.host = self.host.look(&mut self.proc);
        sample.container = self.container.look(&mut self.proc, sample.host.total);
        self.metrics.record(sample);
        self.metrics.sampled(now.elapsed());
    }

    /// So many samples are left out because the last one took longer than the interval. It is said once in a row.
    pub(super) fn skip(&mut self, samples: u32) {
        let was_late = std::mem::replace(&mut self.late, samples > 0);
        if self.late {
            self.metrics.skipped(u64::from(samples));
            if !was_late {
                tracing::warn!(target: "gym_telemetry", samples, "a sample of memory took too long: samples are skipped");
            }
        }
    }

    /// Finds out which servers still run, who belongs to them, and what is resident.
    fn look_at_servers(&mut self, now: Instant) {
        let Self { servers, proc, parents, newcomers, kept, .. } = self;
        parents.forget();
        newcomers.look(proc, servers.iter().map(Server::processes).sum());
        servers.retain_mut(|server| {
            let runs = server.look(proc, parents, newcomers, now);
            if !runs {
                keep(kept, server);
            }
            runs
        });
    }

    /// Spends the budget on one server after the other. Whoever comes after the one that used it up begins next time.
    fn read_pss(&mut self, now: Instant) {
        let count = self.servers.len();
        let first = self.turn.checked_rem(count).unwrap_or(0);
        for index in (first..count).chain(0..first) {
            let had_any = self.budget.open();
            self.servers[index].read_pss(&mut self.proc, &mut self.budget, now);
            if had_any && !self.budget.open() {
                self.turn = index + 1;
            }
        }
    }
}

/// Keeps the peaks of a server that is watched no more, if they are to be kept.
fn keep(kept: &mut Option<KeptPeaks>, server: &Server) {
    if let Some(kept) = kept {
        kept.insert(server.name().clone(), server.peaks());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use opentelemetry::metrics::MeterProvider as _;
    use opentelemetry_sdk::metrics::SdkMeterProvider;
    use tempfile::TempDir;

    use super::*;

    /// A made-up root with single processes in it.
    struct Root(TempDir);

    impl Root {
        fn new(processes: u32) -> Self {
            let root = Self(tempfile::tempdir().unwrap());
            for pid in 1..=processes {
                root.write(&format!("{pid}/stat"), &format!("{pid} (a) S 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9 0"));
                root.write(&format!("{pid}/statm"), "9 9 0");
                root.write(&format!("{pid}/task/{pid}/children"), "");
                root.write(&format!("{pid}/smaps_rollup"), "Rss: 9 kB\nPss: 1 kB\n");
            }
            root
        }

        fn write(&self, path: &str, content: &str) {
            let path = self.0.path().join("proc").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }

        /// A sampler that watches servers, each of one process.
        fn sampler(&self, budget: PssBudget, servers: u32) -> Sampler {
            let metrics = MemoryMetrics::new(&SdkMeterProvider::builder().build().meter("test"));
            let mut sampler = Sampler::new(metrics, self.0.path(), Duration::from_secs(1), budget, false).unwrap();
            for pid in 1..=servers {
                let (name, server_type) = (pid.to_string(), "resources_servers".to_owned());
                sampler.add(&Target { name, server_type, pid, started: 9 });
            }
            sampler
        }
    }

    #[test]
    fn every_server_has_its_turn_at_the_budget() {
        let root = Root::new(3);
        // So small a share that one reading overdraws it.
        let mut sampler = root.sampler(PssBudget::default().duty(1e-9), 3);
        for sample in 1..=6 {
            // All have changed, so that each wants to be read.
            (1..=3).for_each(|pid| root.write(&format!("{pid}/statm"), &format!("9 {sample} 0")));
            sampler.budget.pass(Duration::MAX);
            sampler.sample();
            let read = sampler.metrics.latest().servers.iter().filter(|server| server.pss.current.is_some()).count();
            assert_eq!(read, sample.min(3), "one more with each sample");
        }
    }

    #[test]
    fn nobody_is_looked_for_while_nobody_has_come() {
        let root = Root::new(3);
        let counted = |last: u32| root.write("sys/kernel/ns_last_pid", &last.to_string());
        std::os::unix::fs::symlink(std::process::id().to_string(), root.0.path().join("proc/self")).unwrap();
        counted(2);
        let mut sampler = root.sampler(PssBudget::default(), 1);
        let mut processes = || {
            sampler.sample();
            sampler.metrics.latest().servers[0].processes
        };
        assert_eq!(processes(), 1);
        root.write("1/task/1/children", "2 3");
        assert_eq!(processes(), 1, "no list of children is read");
        counted(3);
        assert_eq!(processes(), 3, "3 has come, and is a child");
    }

    #[test]
    fn a_sample_of_many_processes_allocates_no_more_than_one_of_few() {
        let allocations = |children: u32| {
            let root = Root::new(1 + children);
            root.write("1/task/1/children", &(2..2 + children).map(|pid| format!("{pid} ")).collect::<String>());
            let mut sampler = root.sampler(PssBudget::default().duty(1.0).max_age(Duration::ZERO), 1);
            (0..3).for_each(|_| sampler.sample());
            let allocated = allocation_counter::measure(|| sampler.sample()).count_total;
            assert_eq!(sampler.metrics.latest().servers[0].processes, u64::from(1 + children));
            assert!(sampler.metrics.latest().servers[0].pss.current.is_some());
            allocated
        };
        assert_eq!(allocations(1), allocations(200));
    }
}

use std::time::Duration;

use super::*;
use crate::testing::{Collected, Reader};

fn server(name: &str, pid: u32, rss: u64) -> ServerMemory {
    let mut server = ServerMemory::new(name, "resources_servers", pid);
    server.processes = 3;
    server.rss.see(Some(rss));
    server
}

fn sample(servers: impl IntoIterator<Item = ServerMemory>) -> MemorySample {
    MemorySample { servers: servers.into_iter().collect(), ..MemorySample::default() }
}

fn value(seen: &Collected, metric: &str, name: &str, pid: &str, kind: Option<&str>) -> Option<f64> {
    let mut attributes =
        vec![("nemo.gym.server.name", name), ("nemo.gym.server.type", "resources_servers"), ("process.pid", pid)];
    attributes.extend(kind.map(|kind| ("memory.type", kind)));
    seen.value(metric, &attributes)
}

#[test]
fn a_server_is_reported_by_name_type_process_and_kind_of_memory() {
    let reader = Reader::new();
    let memory = MemoryMetrics::new(&reader.meter());
    let mut policy = server("policy", 7, 500);
    policy.pss.see(Some(400));
    policy.pss_age = Some(Duration::from_millis(1_500));
    memory.record(sample([policy, server("judge", 8, 90)]));

    let seen = reader.collect();
    assert_eq!(value(&seen, "gym.server.memory.usage", "policy", "7", Some("rss")), Some(500.0));
    assert_eq!(value(&seen, "gym.server.memory.usage", "policy", "7", Some("pss")), Some(400.0));
    assert_eq!(value(&seen, "gym.server.memory.sampled_peak", "policy", "7", Some("pss")), Some(400.0));
    assert_eq!(value(&seen, "gym.server.processes", "policy", "7", None), Some(3.0));
    assert_eq!(value(&seen, "gym.telemetry.memory.pss_age_ms", "policy", "7", None), Some(1_500.0));
    assert_eq!(value(&seen, "gym.server.memory.usage", "judge", "8", Some("rss")), Some(90.0));
    assert_eq!(seen.series("gym.server.memory.usage"), 3, "no PSS of a server whose PSS is not known");
}

#[test]
fn a_server_that_ended_has_no_point_in_the_next_export() {
    let reader = Reader::new();
    let memory = MemoryMetrics::new(&reader.meter());
    for pid in 1..10_000 {
        memory.record(sample([server("short", pid, 1)]));
        if pid % 1_000 == 0 {
            assert_eq!(reader.collect().series("gym.server.processes"), 1);
        }
    }
    memory.record(sample([]));
    assert_eq!(reader.collect().series("gym.server.processes"), 0);
}

#[test]
fn a_peak_stays_when_the_amount_falls_or_is_not_known() {
    let mut usage = MemoryUsage::default();
    let seen = [Some(3), Some(9), None, Some(4)].map(|current| {
        usage.see(current);
        (usage.current, usage.peak)
    });
    assert_eq!(seen, [(Some(3), Some(3)), (Some(9), Some(9)), (None, Some(9)), (Some(4), Some(9))]);
}

#[test]
fn the_sum_of_pss_is_known_when_each_is() {
    let known = |pss| {
        let mut server = server("a", 1, 10);
        server.pss.see(pss);
        server
    };
    assert_eq!(sample([known(Some(2)), known(Some(3))]).pss(), Some(5));
    assert_eq!(sample([known(Some(2)), known(None)]).pss(), None);
}

#[test]
fn the_host_and_the_container_report_what_is_known_of_them() {
    let reader = Reader::new();
    let memory = MemoryMetrics::new(&reader.meter());
    let mut seen = MemorySample::default();
    memory.record(seen.clone());
    let nothing = reader.collect();
    assert_eq!((nothing.series("gym.host.memory.total"), nothing.series("container.memory.usage")), (0, 0));

    seen.host.total = Some(100);
    seen.host.available = Some(40);
    seen.host.used.see(Some(60));
    seen.host.pressure.some = Some(Stall::new(0.5, 0.25, 0.125));
    seen.container.limit = Some(80);
    seen.container.oom_kills = Some(2);
    memory.record(seen);
    let some = reader.collect();
    let host =
        ["usage", "available", "total", "sampled_peak"].map(|what| some.value(&format!("gym.host.memory.{what}"), &[]));
    assert_eq!(host, [Some(60.0), Some(40.0), Some(100.0), Some(60.0)]);
    let minute = [("memory.pressure.share", "some"), ("memory.pressure.window", "60s")];
    assert_eq!(some.value("gym.telemetry.host.memory.pressure", &minute), Some(0.25));
    assert_eq!((some.series("gym.telemetry.host.memory.pressure"), some.series("container.memory.pressure")), (3, 0));
    assert_eq!(some.value("container.memory.limit", &[]), Some(80.0));
    assert_eq!(some.value("container.memory.oom_kills_total", &[]), Some(2.0));
    assert_eq!(some.series("container.memory.peak"), 0);
}

#[test]
fn sampling_shows_its_cost() {
    let reader = Reader::new();
    let memory = MemoryMetrics::new(&reader.meter());
    memory.sampled(Duration::from_millis(2));
    memory.skipped(3);
    let seen = reader.collect();
    assert_eq!(seen.histogram("gym.telemetry.memory.sample_duration_ms", &[]), Some((1, 2.0)));
    assert_eq!(seen.value("gym.telemetry.memory.samples_skipped_total", &[]), Some(3.0));
}

#[test]
fn an_export_shows_one_sample() {
    let reader = Reader::new();
    let memory = MemoryMetrics::new(&reader.meter());
    std::thread::scope(|scope| {
        let sampler = scope.spawn(|| (1..20_000).for_each(|rss| memory.record(sample([server("policy", 1, rss)]))));
        while !sampler.is_finished() {
            let seen = reader.collect();
            let usage = value(&seen, "gym.server.memory.usage", "policy", "1", Some("rss"));
            assert_eq!(usage, value(&seen, "gym.server.memory.sampled_peak", "policy", "1", Some("rss")));
        }
    });
}

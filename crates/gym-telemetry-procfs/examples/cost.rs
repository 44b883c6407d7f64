use gym_telemetry_procfs::{ProcFs, ProcessTree};
use std::{
    fs::File,
    io::Read as _,
    process::{Command, Stdio},
    time::Instant,
};
fn bench(name: &str, per: u32, mut f: impl FnMut()) {
    for _ in 0..3 {
        f();
    }
    let mut best = f64::MAX;
    for _ in 0..15 {
        let n = (20000 / per).max(1);
        let t = Instant::now();
        for _ in 0..n {
            f();
        }
        best = best.min(t.elapsed().as_nanos() as f64 / f64::from(n) / f64::from(per));
    }
    eprintln!("{name}: {best:.0} ns");
}
fn rd(p: &str, b: &mut [u8]) -> usize {
    let mut f = File::open(p).unwrap();
    f.read(b).unwrap()
}
fn main() {
    let mut c = Command::new("sleep").arg("1000").spawn().unwrap();
    let p = c.id();
    let mut b = vec![0u8; 4096];
    let mut proc = ProcFs::open("/proc").unwrap();
    let (a, e) = (format!("/proc/{p}/statm"), format!("/proc/{p}/smaps_rollup"));
    bench("floor statm", 1, || {
        rd(&a, &mut b);
    });
    bench("rss", 1, || {
        proc.rss(p).unwrap();
    });
    bench("floor rollup", 1, || {
        rd(&e, &mut b);
    });
    bench("shares", 1, || {
        proc.shares(p).unwrap();
    });
    c.kill().unwrap();
    c.wait().unwrap();
    let mut cs: Vec<_> =
        (0..1000).map(|_| Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap()).collect();
    let paths: Vec<String> = cs
        .iter()
        .map(|c| {
            let p = c.id();
            format!("/proc/{p}/task/{p}/children")
        })
        .collect();
    let statms: Vec<String> = cs
        .iter()
        .map(|c| {
            let p = c.id();
            format!("/proc/{p}/statm")
        })
        .collect();
    let mut tree = ProcessTree::new(&mut proc, std::process::id()).unwrap();
    bench("floor children", 1000, || {
        for p in &paths {
            rd(p, &mut b);
        }
    });
    bench("tree refresh", 1000, || {
        tree.refresh(&mut proc).unwrap();
    });
    eprintln!("{}", tree.pids().len());
    bench("floor statm", 1000, || {
        for p in &statms {
            rd(p, &mut b);
        }
    });
    bench("tree measure", 1000, || {
        tree.measure(&mut proc);
    });
    let r = allocation_counter::measure(|| {
        tree.refresh(&mut proc).unwrap();
        tree.measure(&mut proc);
    });
    eprintln!("{r:?}");
    for c in &mut cs {
        c.kill().unwrap();
        c.wait().unwrap();
    }
}

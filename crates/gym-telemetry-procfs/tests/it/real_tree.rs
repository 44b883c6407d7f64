//! Trees of real processes.

use std::{fs, process::Command, time::Duration};

use gym_telemetry_procfs::{MemoryWatch, ProcFs, ProcessTree};
use rustix::process::Signal;

use crate::support::{
    metrics,
    real::{Program, kill, sorted},
    skip, until,
};

/// What the scripts begin with. A forked child runs `child`, and sleeps after it.
const PRELUDE: &str = "
import os, random, sys, threading, time
def sleep():
    while True: time.sleep(1000)
def fork(child=sleep):
    pid = os.fork()
    if pid == 0:
        child()
        sleep()
    return pid
def say(*words): os.write(1, (' '.join(map(str, words)) + '\\n').encode())
def wait(): sys.stdin.readline()
";

fn python(script: &str) -> Option<Program> {
    Program::python(&format!("{PRELUDE}{script}"))
}

fn tree(program: &Program) -> (ProcFs, ProcessTree) {
    let mut proc = ProcFs::open("/proc").unwrap();
    let tree = ProcessTree::new(&mut proc, program.pid()).unwrap();
    (proc, tree)
}

/// The processes of a program, sorted.
fn look(program: &Program) -> Vec<u32> {
    let (mut proc, mut tree) = tree(program);
    tree.refresh(&mut proc).unwrap();
    sorted(tree.pids())
}

/// A process and its descendants, as `ps` tells them.
fn descendants(root: u32) -> Vec<u32> {
    let output = Command::new("ps").args(["-e", "-o", "pid=,ppid="]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<(u32, u32)> = text
        .lines()
        .map(|line| {
            let mut numbers = line.split_whitespace().map(|number| number.parse().unwrap());
            (numbers.next().unwrap(), numbers.next().unwrap())
        })
        .collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(rows.iter().filter(|row| row.1 == parent).map(|row| row.0));
        next += 1;
    }
    sorted(&found)
}

#[test]
fn a_tree_three_deep_is_exact_after_forks_and_exits_at_random() {
    if let Err(error) = Command::new("ps").arg("--version").output() {
        return skip(format_args!("ps: {error}"));
    }
    let script = "
def churn(depth):
    random.seed()
    children = []
    while True:
        if len(children) < 4 and random.random() < 0.6:
            children.append(fork(lambda: depth < 3 and churn(depth + 1)))
        elif children:
            pid = children.pop(random.randrange(len(children)))
            os.kill(pid, 9)
            os.waitpid(pid, 0)
        time.sleep(random.random() * 0.004)
say('ready')
churn(1)
";
    let Some(mut program) = python(script) else { return };
    program.line();
    let (mut proc, mut tree) = tree(&program);
    let mut sizes = Vec::new();
    for _ in 0..200 {
        tree.refresh(&mut proc).unwrap();
        let pids = sorted(tree.pids());
        assert!(pids.windows(2).all(|pair| pair[0] != pair[1]), "each process is counted at most once: {pids:?}");
        tree.measure(&mut proc);
        sizes.push(pids.len());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(sizes.iter().any(|size| *size > 4), "the tree has grown: {sizes:?}");

    program.signal_all(Signal::STOP);
    until("ours and that of ps are the same tree", || {
        tree.refresh(&mut proc).unwrap();
        (sorted(tree.pids()) == descendants(program.pid())).then_some(())
    });
}

#[test]
fn m4_a_process_with_64_threads_is_one() {
    let script = "
child = fork(lambda: ([threading.Thread(target=sleep, daemon=True).start() for _ in range(64)], say('ready')))
say(os.getpid(), child)
sleep()
";
    let Some(mut program) = python(script) else { return };
    // The two lines may come in either order.
    let lines = [program.line(), program.line()];
    let pids = lines.iter().find(|line| *line != "ready").unwrap();
    let child: u32 = pids.split_whitespace().last().unwrap().parse().unwrap();
    assert_eq!(look(&program), sorted(&[program.pid(), child]));

    let (mut proc, mut tree) = tree(&program);
    tree.refresh(&mut proc).unwrap();
    let each: u64 = [program.pid(), child].map(|pid| proc.rss(pid).unwrap()).iter().sum();
    assert_eq!(tree.measure(&mut proc), each, "the memory of its process counts once");
}

/// M7: the first thread has ended, so the process looks like a zombie, and its `smaps_rollup` fails.
#[test]
fn m7_a_process_of_other_threads_alone_has_its_memory() {
    const HELD: u64 = 64 << 20;
    let script = format!(
        "
import ctypes, platform
memory = b'x' * {HELD}
threading.Thread(target=sleep).start()
exit = 60 if platform.machine() == 'x86_64' else 93
ctypes.CDLL(None).syscall(exit, 0)
"
    );
    let Some(program) = python(&script) else { return };
    let pid = program.pid();
    let statm = || fs::read_to_string(format!("/proc/{pid}/statm")).unwrap();
    until("its first thread has ended", || statm().starts_with("0 0 ").then_some(()));

    let mut proc = ProcFs::open("/proc").unwrap();
    assert!(proc.rss(pid).unwrap() > HELD);
    assert!(proc.shares(pid).unwrap().unwrap().pss > HELD);
    let watch = MemoryWatch::builder(metrics()).watch("headless", "resources_servers", pid).start().unwrap();
    until("there is a sample", || watch.latest().servers.first().map(|_| ()));
    let server = watch.stop().servers[0].clone();
    assert_eq!(server.processes, 1);
    assert!(server.rss.current > Some(HELD) && server.pss.current > Some(HELD), "{server:?}");
}

#[test]
fn m5_the_child_of_a_thread_is_found() {
    let script = "
def thread():
    say(os.getpid(), fork())
    sleep()
threading.Thread(target=thread, daemon=True).start()
sleep()
";
    let Some(mut program) = python(script) else { return };
    let pids = program.pids();
    assert_eq!(look(&program), pids);
}

#[test]
fn m5_the_child_of_a_thread_that_comes_later_is_found() {
    let script = "
def thread():
    say(os.getpid(), fork())
    sleep()
say('alone')
wait()
threading.Thread(target=thread, daemon=True).start()
sleep()
";
    let Some(mut program) = python(script) else { return };
    program.line();
    let (mut proc, mut tree) = tree(&program);
    for _ in 0..2 {
        tree.refresh(&mut proc).unwrap();
        assert_eq!(tree.pids(), [program.pid()]);
    }
    program.go();
    let pids = program.pids();
    tree.refresh(&mut proc).unwrap();
    assert_eq!(sorted(tree.pids()), pids);
}

#[test]
fn a_child_that_becomes_another_program_stays_one_process() {
    let script = "
say(os.getpid(), fork(lambda: (wait(), os.execvp('sleep', ['sleep', '1000']))))
sleep()
";
    let Some(mut program) = python(script) else { return };
    let pids = program.pids();
    let (mut proc, mut tree) = tree(&program);
    tree.refresh(&mut proc).unwrap();
    let before = tree.measure(&mut proc);
    program.go();
    until("the child has become a smaller program", || {
        tree.refresh(&mut proc).unwrap();
        assert_eq!(sorted(tree.pids()), pids);
        (tree.measure(&mut proc) < before).then_some(())
    });
}

#[test]
fn a_zombie_is_a_process_without_memory() {
    let Some(mut program) = python("say(os.getpid(), fork(lambda: os._exit(0)))\nsleep()") else { return };
    let pids = program.pids();
    let zombie = pids.iter().copied().find(|pid| *pid != program.pid()).unwrap();
    let mut proc = ProcFs::open("/proc").unwrap();
    until("the child is a zombie", || (proc.rss(zombie).unwrap() == 0).then_some(()));
    assert_eq!(look(&program), pids);

    let watch = MemoryWatch::builder(metrics()).watch("zombie", "resources_servers", program.pid()).start().unwrap();
    let server = watch.stop().servers[0].clone();
    assert_eq!((server.processes, server.rss.current), (2, Some(proc.rss(program.pid()).unwrap())));
    assert!(server.pss.current > Some(0), "it has a share of nothing, and hides nobody else's");
}

#[test]
fn when_the_root_dies_the_server_is_gone_though_its_children_live() {
    let Some(mut program) = python("say(os.getpid(), fork())\nsleep()") else { return };
    assert_eq!(program.pids().len(), 2);
    let watch = MemoryWatch::builder(metrics()).interval(Duration::from_millis(1));
    let watch = watch.watch("dying", "resources_servers", program.pid()).start().unwrap();
    until("it is seen", || (watch.latest().servers.first()?.processes == 2).then_some(()));
    program.kill();
    until("it is gone", || watch.latest().servers.is_empty().then_some(()));
}

/// A watch that samples often, of a program that has not changed for a while.
fn watch_closely(program: &Program) -> MemoryWatch {
    let watch = MemoryWatch::builder(metrics()).interval(Duration::from_millis(1));
    watch.watch("quiet", "resources_servers", program.pid()).start().unwrap()
}

/// Waits until a watch shows so many processes, and returns what they have.
///
/// It gives up long before a watch looks again without a reason.
fn wait_for(watch: &MemoryWatch, processes: u64) -> Option<u64> {
    until("the processes are as many", || {
        let sample = watch.latest();
        let server = sample.servers.first()?;
        (server.processes == processes).then_some(server.rss.current)
    })
}

#[test]
fn a_quiet_fleet_shows_who_leaves_and_who_comes() {
    let script = "
children = [fork() for _ in range(3)]
say(*children)
wait()
say(fork())
sleep()
";
    let Some(mut program) = python(script) else { return };
    let children = program.pids();
    let watch = watch_closely(&program);
    let four = wait_for(&watch, 4);
    // Nobody waits for it: it becomes a zombie.
    kill(children[1]);
    until("its memory is gone", || (watch.latest().servers[0].rss.current < four).then_some(()));
    wait_for(&watch, 4);
    program.go();
    wait_for(&watch, 5);
}

#[test]
fn the_children_of_a_zombie_leave_with_it() {
    let script = "
say(fork(lambda: say(fork())))
sleep()
";
    let Some(mut program) = python(script) else { return };
    let pids = [program.pids(), program.pids()].concat();
    let watch = watch_closely(&program);
    wait_for(&watch, 3);
    let (mut proc, mut tree) = tree(&program);
    tree.refresh(&mut proc).unwrap();
    assert_eq!(sorted(&tree.pids()[1..]), sorted(&pids));
    // Parents come first. Nobody waits for it, and its child goes to the init process.
    kill(tree.pids()[1]);
    wait_for(&watch, 2);
}

//! What takes namespaces and other users: each test starts this program again, as somebody else or somewhere else, to
//! run one function of this module alone.

use std::{
    env, fs,
    process::{Command, Stdio},
    time::Duration,
};

use gym_telemetry_procfs::{MemoryWatch, ProcFs, ProcessTree, PssBudget};

use crate::support::{logs, metrics, real::Program, skip};

/// Set where this program was started again; holds what it is to look at.
const INSIDE: &str = "GYM_TELEMETRY_PROCFS_INSIDE";

/// Says that the other side cannot run here.
const CANNOT: &str = "cannot:";

/// Runs one of the tests below in this program started through `command`. Returns whether it ran.
fn run_inside(mut command: Command, test: &str, target: &str) -> bool {
    let this = env::current_exe().unwrap();
    command.arg(this).args(["--exact", test, "--nocapture"]).env(INSIDE, target).stdin(Stdio::null());
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            skip(format_args!("{}: {error}", command.get_program().display()));
            return false;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if let Some((_, why)) = said.split_once(CANNOT) {
        skip(why.lines().next().unwrap_or_default());
        return false;
    }
    if !said.contains("running 1 test") {
        skip(said);
        return false;
    }
    assert!(output.status.success(), "{said}");
    true
}

fn inside() -> Option<String> {
    env::var(INSIDE).ok()
}

/// This program as an ordinary user.
fn as_nobody() -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--"]);
    command
}

#[test]
fn m3_a_process_of_another_user_shows_resident_memory_alone() {
    if inside().is_some() {
        return;
    }
    let Some(mut program) = Program::python("print('ready', flush=True); import sys; sys.stdin.readline()") else {
        return;
    };
    program.line();
    run_inside(as_nobody(), "hostile::inside_as_nobody", &program.pid().to_string());
}

#[test]
fn inside_as_nobody() {
    let Some(target) = inside() else { return };
    let pid: u32 = target.parse().unwrap();
    let mut proc = ProcFs::open("/proc").unwrap();
    if proc.shares(pid).is_ok() {
        return println!("{CANNOT} become somebody who may not look");
    }
    logs::listen();
    let budget = PssBudget::default().max_age(Duration::from_nanos(1));
    let watch = MemoryWatch::builder(metrics()).pss(budget).interval(Duration::from_millis(1));
    let watch = watch.watch("strange", "resources_servers", pid).start().unwrap();
    crate::support::wait_for_samples(&watch, 5);
    let server = watch.stop().servers[0].clone();
    assert_eq!(server.rss.current, Some(proc.rss(pid).unwrap()));
    assert_eq!((server.processes, server.pss.current), (1, None));
    assert_eq!(logs::lines_with(&["no PSS", "strange", "Permission denied"]), 1);
}

#[test]
fn what_hidepid_hides_is_not_there() {
    if inside().is_some() {
        return;
    }
    let script = format!(
        "mount -t proc -o hidepid=2 proc /proc || exit
         sleep 1000 &
         export {INSIDE}=$!
         exec setpriv --reuid=65534 --regid=65534 --clear-groups -- \"$@\""
    );
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "sh", "-c", &script, "sh"]);
    run_inside(command, "hostile::inside_hidepid", "");
}

#[test]
fn inside_hidepid() {
    let Some(target) = inside() else { return };
    let hidden: u32 = target.parse().unwrap();
    let watch = MemoryWatch::builder(metrics()).watch("hidden", "resources_servers", hidden);
    let watch = watch.watch("mine", "resources_servers", std::process::id()).start().unwrap();
    let names: Vec<_> = watch.stop().servers.iter().map(|server| server.name.to_string()).collect();
    assert_eq!(names, ["mine"]);
}

#[test]
fn m6_a_pid_reused_on_purpose_is_another_process() {
    if inside().is_some() {
        return;
    }
    let mut command = Command::new("unshare");
    command.args(["--mount-proc", "--pid", "--fork"]);
    run_inside(command, "hostile::inside_reuse", "reuse");
}

#[test]
fn inside_reuse() {
    if inside().is_none() {
        return;
    }
    let sleep = || Command::new("sleep").arg("1000").spawn().unwrap();
    let mut first = sleep();
    let pid = first.id();
    let mut proc = ProcFs::open("/proc").unwrap();
    let mut tree = ProcessTree::new(&mut proc, pid).unwrap();
    let watch = MemoryWatch::builder(metrics()).interval(Duration::from_millis(1));
    let watch = watch.watch("reused", "resources_servers", pid).start().unwrap();
    crate::support::wait_for_samples(&watch, 1);
    assert_eq!(watch.latest().servers.len(), 1);

    // A start is told to 10 ms, and the next process must not start within the same.
    std::thread::sleep(Duration::from_millis(20));
    first.kill().unwrap();
    first.wait().unwrap();
    // The kernel gives out the number after this one next.
    if let Err(error) = fs::write("/proc/sys/kernel/ns_last_pid", (pid - 1).to_string()) {
        return println!("{CANNOT} choose the id of a process: {error}");
    }
    let mut second = sleep();
    assert_eq!(second.id(), pid);
    assert!(tree.refresh(&mut proc).is_err(), "it is not the same process");
    crate::support::wait_for_samples(&watch, 2);
    assert!(watch.latest().servers.is_empty());
    second.kill().unwrap();
    second.wait().unwrap();
}

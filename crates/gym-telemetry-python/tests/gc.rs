//! The hook against the interpreter's own figures. They belong to the whole process: one test at a time.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    ffi::CStr,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
};

use gym_telemetry_core::{GcGeneration, GcMetrics};
use gym_telemetry_python::GcHook;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
use pyo3::{
    prelude::*,
    types::{PyCFunction, PyDict},
};

/// Collections, objects freed, objects found and not freed: by generation, as `gc.get_stats()` has them.
type Stats = [[u64; 3]; 3];

fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    Python::initialize();
    one
}

fn recorder() -> (GcMetrics, SdkMeterProvider) {
    let provider = SdkMeterProvider::builder()
        .with_reader(PeriodicReader::builder(InMemoryMetricExporter::default()).build())
        .build();
    (GcMetrics::new(&provider.meter("test")), provider)
}

fn run(py: Python<'_>, code: &CStr) {
    py.run(code, Some(&PyDict::new(py)), None).unwrap();
}

fn stats(py: Python<'_>) -> Stats {
    let all = py.import("gc").unwrap().call_method0("get_stats").unwrap();
    [0, 1, 2].map(|generation| {
        let one = all.get_item(generation).unwrap();
        ["collections", "collected", "uncollectable"].map(|name| one.get_item(name).unwrap().extract().unwrap())
    })
}

fn counted(gc: &GcMetrics) -> Stats {
    gc.snapshot()
        .generations
        .map(|GcGeneration { collections, collected, uncollectable, .. }| [collections, collected, uncollectable])
}

/// What `work` adds to the interpreter's own figures, and to those of a hook that is there meanwhile.
fn compare(work: impl FnOnce(Python<'_>)) -> (Stats, Stats, GcMetrics) {
    let (gc, _provider) = recorder();
    Python::attach(|py| {
        // Nothing is collected between looking and hooking.
        run(py, c"import gc; gc.disable(); gc.collect()");
        let before = stats(py);
        let hook = GcHook::install(py, gc.clone()).unwrap();
        run(py, c"import gc; gc.enable()");
        work(py);
        run(py, c"import gc; gc.disable()");
        let after = stats(py);
        hook.remove(py).unwrap();
        let mut added = after;
        added.iter_mut().flatten().zip(before.iter().flatten()).for_each(|(after, before)| *after -= before);
        (added, counted(&gc), gc)
    })
}

#[test]
fn every_collection_of_every_generation_is_counted_to_the_object() {
    let _one = alone();
    let (added, counted, gc) = compare(|py| {
        run(
            py,
            c"
import gc
kept = []
for turn in range(20_000):
    cycle = [turn]
    cycle.append(cycle)
    if turn % 5 == 0:
        kept.append([cycle])
gc.collect(0); gc.collect(1); gc.collect(2)
del kept, cycle
gc.collect()
",
        );
    });
    assert_eq!(counted, added);
    assert!(added.iter().all(|generation| generation[0] > 0), "{added:?}");
    assert!(added.iter().map(|generation| generation[1]).sum::<u64>() >= 20_000, "{added:?}");
    let paused = gc.snapshot().generations.map(|generation| generation.paused);
    assert!(paused.iter().all(|paused| !paused.is_zero()), "{paused:?}");
}

#[test]
fn collections_on_many_threads_are_counted() {
    let _one = alone();
    let (added, counted, _) = compare(|py| {
        run(
            py,
            c"
import threading
def work():
    for turn in range(5_000):
        cycle = []
        cycle.append(cycle)
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
",
        );
    });
    assert_eq!(counted, added);
    assert!(added[0][0] > 0, "{added:?}");
}

/// Such objects take an old kind of finalizer, which CPython has for its own tests only.
#[test]
fn objects_that_cannot_be_freed_are_counted() {
    let _one = alone();
    let mut stubborn = 0;
    let (added, counted, _) = compare(|py| {
        let Ok(tests) = py.import("_testcapi") else {
            return println!("skipped: this Python comes without its tests");
        };
        let globals = PyDict::new(py);
        globals.set_item("with_tp_del", tests.getattr("with_tp_del").unwrap()).unwrap();
        let code = c"
import gc
@with_tp_del
class Stubborn:
    def __tp_del__(self): pass
for _ in range(7):
    one = Stubborn()
    one.self = one
del one
gc.collect()
";
        py.run(code, Some(&globals), None).unwrap();
        stubborn = 7;
    });
    assert_eq!(counted, added);
    assert_eq!(added.iter().map(|generation| generation[2]).sum::<u64>(), stubborn);
}

/// An export may come at any time, also while a collection holds the interpreter.
#[test]
fn an_export_in_the_middle_of_a_collection_waits_for_nothing() {
    let _one = alone();
    let (gc, provider) = recorder();
    Python::attach(|py| {
        let hook = GcHook::install(py, gc.clone()).unwrap();
        let exports = Mutex::new(0);
        let export = PyCFunction::new_closure(py, None, None, {
            let provider = provider.clone();
            move |_, _| {
                // The collection goes on when the export is over, on the exporter's thread.
                let flushed = thread::scope(|scope| scope.spawn(|| provider.force_flush()).join().unwrap());
                *exports.lock().unwrap() += u32::from(flushed.is_ok());
                *exports.lock().unwrap()
            }
        })
        .unwrap();
        let callbacks = py.import("gc").unwrap().getattr("callbacks").unwrap();
        callbacks.call_method1("append", (&export,)).unwrap();
        run(py, c"import gc; gc.collect()");
        callbacks.call_method1("remove", (&export,)).unwrap();
        hook.remove(py).unwrap();
        assert_eq!(export.call0().unwrap().extract::<u32>().unwrap(), 3, "one before, one after, one now");
    });
    assert_eq!(gc.snapshot().generations[2].collections, 1);
}

#[test]
fn a_hook_that_is_removed_or_dropped_counts_no_more() {
    let _one = alone();
    let (gc, _provider) = recorder();
    Python::attach(|py| {
        run(py, c"import gc; gc.disable()");
        let entries = || py.import("gc").unwrap().getattr("callbacks").unwrap().len().unwrap();
        let before = entries();
        let hook = GcHook::install(py, gc.clone()).unwrap();
        assert_eq!(entries(), before + 1);
        run(py, c"import gc; gc.collect()");
        hook.remove(py).unwrap();
        assert_eq!(entries(), before);
        let hook = GcHook::install(py, gc.clone()).unwrap();
        py.detach(|| drop(hook));
        run(py, c"import gc; gc.collect()");
        assert_eq!(gc.snapshot().generations[2].collections, 1);
    });
}

#[test]
fn allocations_toward_the_next_collection_are_the_interpreters() {
    let _one = alone();
    let (gc, _provider) = recorder();
    let seen = || gc.snapshot().generations.map(|generation| generation.allocated);
    Python::attach(|py| {
        run(py, c"import gc; gc.disable(); gc.collect()");
        let hook = GcHook::install(py, gc.clone()).unwrap();
        assert_eq!(seen(), [None; 3]);
        run(py, c"import sys; sys.kept = [[] for _ in range(100_000)]; import gc; gc.collect(0)");
        run(py, c"import sys; del sys.kept; sys.kept = [[] for _ in range(100_000)]");
        hook.sample(py).unwrap();
        let counts: [u64; 3] =
            py.import("gc").unwrap().call_method0("get_count").unwrap().extract::<(u64, u64, u64)>().unwrap().into();
        run(py, c"import sys; del sys.kept");
        hook.remove(py).unwrap();
        let [youngest, middle, oldest] = seen().map(Option::unwrap);
        assert_eq!([middle, oldest], counts[1..]);
        // Asking allocates, too.
        assert!(youngest.abs_diff(counts[0]) < 100 && counts[0] > 1_000, "{youngest} {counts:?}");
    });
}

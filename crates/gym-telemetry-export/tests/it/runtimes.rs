//! Exporting beside every kind of runtime, and on none of them.

use std::thread;

use gym_telemetry_export::Telemetry;
use tokio::runtime::{Builder, Handle};

use crate::support::{Form, LONG, Receiver, every, telemetry};

/// Counts to three, and shuts down where it stands.
fn count_and_shut_down(telemetry: &Telemetry) {
    telemetry.meter("test").u64_counter("counted").build().add(3, &[]);
    telemetry.shutdown(LONG).unwrap();
}

#[test]
fn x1_the_last_export_is_made_on_a_current_thread_runtime() {
    for form in Form::ALL {
        let receiver = Receiver::start(form);
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { count_and_shut_down(&telemetry(&receiver)) });
        assert_eq!(receiver.latest("counted"), Some(3), "{form:?}");
    }
}

#[test]
fn x1_the_last_export_is_made_on_worker_threads() {
    for workers in [1, 2] {
        for form in Form::ALL {
            let receiver = Receiver::start(form);
            let runtime = Builder::new_multi_thread().worker_threads(workers).enable_all().build().unwrap();
            let telemetry = runtime.block_on(async { telemetry(&receiver) });
            let task = runtime.spawn(async move { count_and_shut_down(&telemetry) });
            runtime.block_on(task).unwrap();
            assert_eq!(receiver.latest("counted"), Some(3), "{workers} workers, {form:?}");
        }
    }
}

#[test]
fn x1_the_last_export_is_made_without_any_runtime() {
    for form in Form::ALL {
        let receiver = Receiver::start(form);
        count_and_shut_down(&telemetry(&receiver));
        assert_eq!(receiver.latest("counted"), Some(3), "{form:?}");
    }
}

#[test]
fn x2_x6_exports_arrive_while_the_applications_runtime_is_stuck() {
    for form in Form::ALL {
        let receiver = Receiver::start(form);
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let telemetry = every(&receiver, 1);
            telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
            // Nothing on this runtime can run while its only thread waits here.
            receiver.wait_for(3);
            assert_eq!(Handle::current().metrics().num_alive_tasks(), 0, "{form:?}");
            telemetry.shutdown(LONG).unwrap();
        });
    }
}

#[test]
fn telemetry_ends_inside_and_outside_of_runtimes() {
    let receiver = Receiver::start(Form::Grpc);
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { drop(telemetry(&receiver)) });
    let telemetry = runtime.block_on(async { telemetry(&receiver) });
    drop(runtime);
    thread::spawn(move || count_and_shut_down(&telemetry)).join().unwrap();
    assert_eq!(receiver.latest("counted"), Some(3));
}

#[test]
fn the_last_export_is_made_when_the_last_handle_is_dropped() {
    let receiver = Receiver::start(Form::Grpc);
    let telemetry = telemetry(&receiver);
    telemetry.meter("test").u64_counter("counted").build().add(3, &[]);
    let other = telemetry.clone();
    drop(telemetry);
    other.flush(LONG).unwrap();
    drop(other);
    receiver.wait_for(2);
    assert_eq!(receiver.latest("counted"), Some(3));
}

//! Every parser of ours reads whatever comes: `cargo +nightly fuzz run parse`, in `crates/gym-telemetry-procfs`.
#![no_main]

use std::hint::black_box;

use gym_telemetry_procfs::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    black_box((parse::number(text), parse::statm(text), parse::stat(text), parse::shares(text)));
    black_box((parse::meminfo(text), parse::pressure(text), parse::membership(text), parse::oom_kills(text)));
    black_box((parse::children(text).count(), parse::mounts(text).count()));
});

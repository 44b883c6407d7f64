use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::{parse, proc::ProcFs};

/// The least that a page is taken to cost, however little readings of others took: 5 ms for a gibibyte of small pages.
pub(super) const LEAST: Duration = Duration::from_nanos(20);

/// How often this process is read. The best counts: what others do to the machine only makes it worse.
const TRIES: u32 = 3;

/// What a page costs on this host, as reading this process itself shows: by tens of microseconds, it shows what a large
/// process would by tens of milliseconds.
pub(super) fn of_page(proc: &mut ProcFs) -> Duration {
    let shown = (0..TRIES).filter_map(|_| {
        let (shares, cost) = timed(|| proc.content(format_args!("self/smaps_rollup")).ok().and_then(parse::shares));
        let pages = proc.pages(shares?.rss);
        Some(cost / u32::try_from(pages).unwrap_or(u32::MAX).max(1))
    });
    shown.min().unwrap_or_default().max(LEAST)
}

/// Does something, and tells what of a processor it took this thread.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = processor_time();
    let result = work();
    (result, processor_time().saturating_sub(before))
}

fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

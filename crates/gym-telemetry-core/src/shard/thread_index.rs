use std::{cell::Cell, sync::atomic::Ordering};

#[cfg(not(loom))]
use std::{sync::atomic::AtomicUsize, thread_local};

#[cfg(loom)]
use loom::{lazy_static, sync::atomic::AtomicUsize, thread_local};

/// A small number that tells the running threads apart, handed out in the order of their first call.
#[inline]
pub(super) fn thread_index() -> usize {
    #[cfg(not(loom))]
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    #[cfg(loom)]
    lazy_static! {
        static ref NEXT: AtomicUsize = AtomicUsize::new(0);
    }

    #[cfg(not(loom))]
    thread_local!(static INDEX: Cell<usize> = const { Cell::new(usize::MAX) });
    #[cfg(loom)]
    thread_local!(static INDEX: Cell<usize> = Cell::new(usize::MAX));

    INDEX.with(|index| {
        if index.get() == usize::MAX {
            index.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        index.get()
    })
}

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use gym_telemetry_core::GcMetrics;
use pyo3::{
    intern,
    prelude::*,
    types::{PyCFunction, PyModule},
};

use crate::callback;

/// Counts every collection of this interpreter: an entry in Python's `gc.callbacks`.
///
/// Dropping it ends the counting, without a need for the interpreter; the entry then stays behind and does nothing.
/// [`remove`](Self::remove) takes it out as well.
#[must_use = "dropping it ends the counting"]
pub struct GcHook {
    gc: GcMetrics,
    module: Py<PyModule>,
    callback: Py<PyCFunction>,
    on: Arc<AtomicBool>,
}

impl GcHook {
    /// Counts from now on.
    ///
    /// # Errors
    ///
    /// Python's, if its `gc` module is not what it should be.
    pub fn install(py: Python<'_>, gc: GcMetrics) -> PyResult<Self> {
        let module = py.import("gc")?;
        let on = Arc::new(AtomicBool::new(true));
        let callback = PyCFunction::new_closure(py, None, None, {
            let (gc, on) = (gc.clone(), Arc::clone(&on));
            move |arguments, _| if on.load(Ordering::Relaxed) { callback::call(&gc, arguments) } else { Ok(()) }
        })?;
        module.getattr(intern!(py, "callbacks"))?.call_method1(intern!(py, "append"), (&callback,))?;
        Ok(Self { gc, module: module.unbind(), callback: callback.unbind(), on })
    }

    /// Takes down how many allocations count toward the next collection of each generation (`gym.gc.count`).
    ///
    /// Call it now and then where the interpreter is held anyway. Exports show the last numbers: reading them anew
    /// would make the exporter wait for the interpreter.
    ///
    /// # Errors
    ///
    /// Python's, if its `gc` module is not what it should be.
    pub fn sample(&self, py: Python<'_>) -> PyResult<()> {
        let counts: (u64, u64, u64) = self.module.bind(py).call_method0(intern!(py, "get_count"))?.extract()?;
        self.gc.set_allocated(counts.into());
        Ok(())
    }

    /// Ends the counting, and takes the entry out of `gc.callbacks`.
    ///
    /// # Errors
    ///
    /// Python's, if someone else took it out before.
    pub fn remove(self, py: Python<'_>) -> PyResult<()> {
        let callbacks = self.module.bind(py).getattr(intern!(py, "callbacks"))?;
        callbacks.call_method1(intern!(py, "remove"), (&self.callback,))?;
        Ok(())
    }
}

impl Drop for GcHook {
    fn drop(&mut self) {
        self.on.store(false, Ordering::Relaxed);
    }
}

impl fmt::Debug for GcHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GcHook").field("gc", &self.gc).field("on", &self.on).finish_non_exhaustive()
    }
}

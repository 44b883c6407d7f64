use gym_telemetry_core::GcMetrics;
use pyo3::{
    intern,
    prelude::*,
    types::{PyDict, PyTuple},
};

/// What `gc.callbacks` calls, before and after each collection, with a phase and a dictionary.
///
/// It runs in the middle of a collection, on whichever thread set that off, and holds the interpreter up: it reads
/// three numbers and stores them.
pub(crate) fn call(gc: &GcMetrics, arguments: &Bound<'_, PyTuple>) -> PyResult<()> {
    let py = arguments.py();
    let (phase, info): (Bound<'_, PyAny>, Bound<'_, PyDict>) = arguments.extract()?;
    let number = |name| info.as_any().get_item(name);
    let generation = number(intern!(py, "generation"))?.extract()?;
    if phase.eq(intern!(py, "start"))? {
        gc.start(generation);
    } else {
        let collected = number(intern!(py, "collected"))?.extract()?;
        gc.stop(generation, collected, number(intern!(py, "uncollectable"))?.extract()?);
    }
    Ok(())
}

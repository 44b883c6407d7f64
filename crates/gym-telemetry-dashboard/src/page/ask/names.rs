use std::collections::BTreeMap;

use gym_telemetry_conventions::resource;

use crate::{history::Process, page::text::shown};

/// What the history calls processes that it has forgotten.
const FORGOTTEN: &str = "forgotten";

/// What processes are called.
#[derive(Debug, Default)]
pub(in crate::page) struct Names(BTreeMap<String, String>);

impl Names {
    /// The names of all processes. Those that would share one have their process id behind it.
    pub(in crate::page) fn of(processes: &[Process]) -> Self {
        let mut count = BTreeMap::<String, usize>::new();
        processes.iter().for_each(|process| *count.entry(server(process)).or_default() += 1);
        let name = |process: &Process| {
            let server = server(process);
            if count.get(&server).is_some_and(|count| *count > 1) {
                let pid = process.resource.int(resource::PROCESS_PID);
                let told_apart = pid.map_or_else(|| format!("#{}", process.id), |pid| pid.to_string());
                return (process.id.to_string(), format!("{server} ({told_apart})"));
            }
            (process.id.to_string(), server)
        };
        Self(processes.iter().map(name).collect())
    }

    /// The name of the process with this id.
    pub(in crate::page) fn get(&self, id: &str) -> String {
        self.0.get(id).cloned().unwrap_or_else(|| match id {
            FORGOTTEN => "forgotten processes".to_owned(),
            _ => format!("process {id}"),
        })
    }
}

/// What the server of a process is called, or failing that the process itself.
pub(in crate::page) fn server(process: &Process) -> String {
    let said = [resource::SERVER_NAME, resource::SERVICE_NAME].into_iter().find_map(|key| process.resource.str(key));
    said.map_or_else(|| format!("process {}", process.id), shown)
}

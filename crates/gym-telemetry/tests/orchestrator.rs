//! A binary of its own, because the right that it claims belongs to the process.
#![cfg(test)]

use gym_telemetry::{Settings, Supervisor, Telemetry, conventions::ServerType};

#[test]
fn an_orchestrator_speaks_for_the_fleet_even_with_a_server_beside_it() {
    let start = |server_type: ServerType| {
        Telemetry::builder(Settings::default()).server("driver", server_type.as_str()).start().unwrap()
    };
    let telemetry = start(ServerType::Orchestrator);
    let servers = telemetry.servers(Supervisor::claim().unwrap());
    let _server = start(ServerType::Agent);
    servers.set_active(1);
    assert!(Supervisor::claim().is_none());
}

//! What a collector is sent, and where.

use gym_telemetry_export::{Exporter, Settings, StartError};

use crate::support::{Form, LONG, Logs, Receiver, builder, settings, telemetry, to};

/// Exports once with these variables.
fn export(settings: Settings, variables: &[(&str, &str)]) {
    let telemetry = builder(settings, variables).start().unwrap();
    telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
    telemetry.shutdown(LONG).unwrap();
}

#[test]
fn a_shared_endpoint_gets_the_path_and_one_for_metrics_is_used_as_it_is() {
    let receiver = Receiver::start(Form::Http);
    let http = ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
    let base = format!("{}/base/", receiver.url);
    let own = format!("{}/own", receiver.url);
    export(settings(Exporter::Otlp), &[http, ("OTEL_EXPORTER_OTLP_ENDPOINT", &receiver.url)]);
    export(settings(Exporter::Otlp), &[http, ("OTEL_EXPORTER_OTLP_ENDPOINT", &base)]);
    let both = [http, ("OTEL_EXPORTER_OTLP_ENDPOINT", &base), ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", &own)];
    export(settings(Exporter::Otlp), &both);
    let mut block = settings(Exporter::Otlp);
    block.otlp_endpoint = Some(receiver.url.clone());
    export(block, &[http]);
    let paths: Vec<_> = receiver.arrivals().into_iter().map(|arrival| arrival.path).collect();
    assert_eq!(paths, ["/v1/metrics", "/base/v1/metrics", "/own", "/v1/metrics"]);
}

#[test]
fn the_protocol_for_metrics_wins() {
    let receiver = Receiver::start(Form::Http);
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url.as_str()),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "HTTP/Protobuf"),
    ];
    export(settings(Exporter::Otlp), &variables);
    let arrivals = receiver.arrivals();
    assert_eq!(arrivals.len(), 1);
    assert_eq!(arrivals[0].headers["content-type"], "application/x-protobuf");
}

#[test]
fn headers_are_decoded_and_sent_and_those_for_metrics_win() {
    for form in Form::ALL {
        let receiver = Receiver::start(form);
        let shared = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url.as_str()),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", form.protocol().as_str()),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20a%2541,x-team = b "),
        ];
        export(settings(Exporter::Otlp), &shared);
        let headers = receiver.arrivals()[0].headers.clone();
        assert_eq!(
            (&headers["authorization"], &headers["x-team"]),
            (&"Bearer a%41".parse().unwrap(), &"b".parse().unwrap())
        );

        let own = ("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "x-own=c");
        export(settings(Exporter::Otlp), &[shared.as_slice(), &[own]].concat());
        let headers = receiver.arrivals()[1].headers.clone();
        assert_eq!((headers.get("authorization"), &headers["x-own"]), (None, &"c".parse().unwrap()), "{form:?}");
    }
}

#[test]
fn an_endpoint_that_cannot_be_reached_this_way_is_refused() {
    for endpoint in ["https://there:4317", "there:4317", "http://", "ftp://there"] {
        let mut block = settings(Exporter::Otlp);
        block.otlp_endpoint = Some(endpoint.to_owned());
        let error = builder(block, &[]).start().unwrap_err();
        assert!(
            matches!(&error, StartError::Settings(error) if error.name() == "otlp_endpoint"),
            "{endpoint}: {error:?}"
        );
    }
    let variable = "OTEL_EXPORTER_OTLP_ENDPOINT";
    let error = builder(settings(Exporter::Otlp), &[(variable, "https://there")]).start().unwrap_err();
    assert!(error.to_string().contains(variable) && error.to_string().contains("TLS"), "{error}");
    assert!(builder(settings(Exporter::Console), &[(variable, "https://there")]).start().is_ok());
}

#[test]
fn the_time_for_an_export_is_a_setting() {
    let mute = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", mute.local_addr().unwrap());
    for name in ["OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT"] {
        let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()), (name, "50")];
        let telemetry = builder(settings(Exporter::Otlp), &variables).start().unwrap();
        telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
        telemetry.flush(LONG).unwrap_err();
        assert_eq!(telemetry.status().failures, 1, "{name}: the exporter itself gave up");
    }
    let error = builder(settings(Exporter::Otlp), &[("OTEL_EXPORTER_OTLP_TIMEOUT", "0")]).start().unwrap_err();
    assert!(error.to_string().contains("OTEL_EXPORTER_OTLP_TIMEOUT"), "{error}");
}

#[test]
fn what_a_collector_refuses_is_in_the_log() {
    let logs = Logs::keep();
    for (told, form) in Form::ALL.into_iter().enumerate() {
        let receiver = Receiver::start(form);
        let telemetry = telemetry(&receiver);
        telemetry.meter("test").u64_counter("refused").build().add(1, &[]);
        telemetry.shutdown(LONG).unwrap();
        assert_eq!(logs.with("the receiver has no room").len(), told + 1, "{form:?}");
    }
}

#[test]
fn the_interval_is_kept() {
    let receiver = Receiver::start(Form::Grpc);
    let telemetry = to(&receiver.url, Form::Grpc, 1);
    telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
    receiver.wait_for(3);
    telemetry.shutdown(LONG).unwrap();
}

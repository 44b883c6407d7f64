"""Exports what a verifier would, through the OpenTelemetry SDK. Argument: where to send OTLP over HTTP."""

import sys

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource

resource = Resource.create({"service.name": "python_verifier", "nemo.gym.server.name": "python_verifier"})
exporter = OTLPMetricExporter(endpoint=f"{sys.argv[1]}/v1/metrics")
provider = MeterProvider(resource=resource, metric_readers=[PeriodicExportingMetricReader(exporter)])
meter = provider.get_meter("tests")
meter.create_counter("gym.server.responses_total", unit="{response}").add(7, {"http.response.status_code": 200})
meter.create_up_down_counter("gym.server.requests.in_flight", unit="{request}").add(3)
provider.shutdown()

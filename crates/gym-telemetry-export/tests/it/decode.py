"""Decodes an OTLP metrics request with the Python SDK's classes: one line a metric, sorted.

The request comes on standard input, as protobuf or as JSON; the argument says which.
"""

import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest


def number(value):
    return format(value, "f").rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def text(value):
    kept = getattr(value, value.WhichOneof("value"))
    return str(kept).lower() if isinstance(kept, bool) else str(kept)


def line(metric):
    kind = metric.WhichOneof("data")
    data = getattr(metric, kind)
    (point,) = data.data_points
    if kind == "histogram":
        kind = "histogram " + " ".join(map(number, point.explicit_bounds))
        value = f"{point.count} {number(point.sum)}"
    else:
        value = number(getattr(point, point.WhichOneof("value")))
    if kind == "sum" and data.is_monotonic:
        kind = "sum grows"
    attributes = " ".join(sorted(f"{one.key}={text(one.value)}" for one in point.attributes))
    return "|".join((metric.name, metric.unit, metric.description, kind, attributes, value))


raw = sys.stdin.buffer.read()
if sys.argv[1] == "json":
    request = json_format.Parse(raw, ExportMetricsServiceRequest())
else:
    request = ExportMetricsServiceRequest.FromString(raw)
for found in sorted(line(m) for r in request.resource_metrics for s in r.scope_metrics for m in s.metrics):
    print(found)

"""Decodes OTLP metrics requests with the Python SDK's classes, and writes them as one JSON array.

Each argument is a file: a request as protobuf (.pb), or an array of requests as JSON.
"""

import json
import pathlib
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest


def requests(path):
    content = path.read_bytes()
    if path.suffix == ".pb":
        yield ExportMetricsServiceRequest.FromString(content)
    else:
        for request in json.loads(content):
            yield json_format.ParseDict(request, ExportMetricsServiceRequest())


found = [request for path in sys.argv[1:] for request in requests(pathlib.Path(path))]
json.dump([json_format.MessageToDict(request, use_integers_for_enums=True) for request in found], sys.stdout)

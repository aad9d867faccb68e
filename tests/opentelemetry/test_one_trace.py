"""One trace through several languages, as an OTLP receiver sees it: a submit in Python, an attempt in TypeScript, whose
handler submits another task, an attempt of that task in Python, and the wait for its end.

`scripts/clients` runs this after the tests of the clients for Python and TypeScript.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from blueque_client import Client
from blueque_client.testing import Server

HERE = Path(__file__).parent
TRACED = HERE.parents[1] / "clients/typescript/build/traced.js"
PATIENCE = 60


class Span(NamedTuple):
    trace: str
    id: str
    parent: str
    language: str
    links: tuple[str, ...]


class Receiver(BaseHTTPRequestHandler):
    """A receiver of OTLP over HTTP, as protobuf and as JSON."""

    spans: dict[str, Span] = {}  # noqa: RUF012

    def do_POST(self) -> None:
        body = self.body()
        is_json = "json" in self.headers["Content-Type"]
        found = list(of_json(json.loads(body)) if is_json else of_protobuf(ExportTraceServiceRequest.FromString(body)))
        self.spans.update(found)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}" if is_json else b"")

    def body(self) -> bytes:
        if "Content-Length" in self.headers:
            return self.rfile.read(int(self.headers["Content-Length"]))
        found = b""  # in chunks, as Node.js sends it
        while size := int(self.rfile.readline(), 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    def log_message(self, *_: object) -> None:
        pass


def of_protobuf(request: Any) -> Iterator[tuple[str, Span]]:
    for resource in request.resource_spans:
        language = next(each.value.string_value for each in resource.resource.attributes if "language" in each.key)
        for span in (span for scope in resource.scope_spans for span in scope.spans):
            links = tuple(link.span_id.hex() for link in span.links)
            ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
            yield span.name, Span(*ids, language, links)


def of_json(request: Any) -> Iterator[tuple[str, Span]]:
    for resource in request["resourceSpans"]:
        attributes = resource["resource"]["attributes"]
        language = next(each["value"]["stringValue"] for each in attributes if "language" in each["key"])
        for span in (span for scope in resource["scopeSpans"] for span in scope["spans"]):
            links = tuple(link["spanId"] for link in span.get("links", ()))
            yield span["name"], Span(span["traceId"], span["spanId"], span.get("parentSpanId", ""), language, links)


@pytest.fixture
def receiver() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_one_trace_goes_through_several_languages(receiver: str) -> None:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{receiver}/v1/traces")))
    trace.set_tracer_provider(provider)
    with Server() as server, Client(server.url, tracing=True) as client:
        env = {**os.environ, "BLUEQUE_URL": server.url, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver}
        python = [sys.executable, "-m", "blueque_client", "worker", "publishing", "--tracing"]
        workers = [subprocess.Popen(command, cwd=HERE, env=env) for command in (["node", str(TRACED)], python)]
        try:
            with trace.get_tracer("shop").start_as_current_span("order"):
                client.queue("encode").submit(["alien"], method="encode").result(PATIENCE)
                (published,) = client.queue("published").tasks()
                assert published.result(PATIENCE) == "alien"
        finally:
            for worker in workers:
                worker.terminate()
            codes = [worker.wait(PATIENCE) for worker in workers]
    assert codes == [0, 0]
    spans = Receiver.spans
    languages = {name: (span.language, parent_of(spans, span)) for name, span in spans.items()}
    assert languages == {
        "order": ("python", None),
        "submit encode": ("python", "order"),
        "wait encode": ("nodejs", "submit encode"),
        "run encode": ("nodejs", "submit encode"),
        "within": ("nodejs", "run encode"),
        "checkpoint encode": ("nodejs", "within"),
        "submit published": ("nodejs", "within"),
        "wait published": ("python", "submit published"),
        "run published": ("python", "submit published"),
        "index": ("python", "run published"),
        "checkpoint published": ("python", "index"),
        "wait for task": ("python", "order"),
    }
    assert len({span.trace for span in spans.values()}) == 1
    assert spans["wait for task"].links == (spans["run published"].id,)


def parent_of(spans: dict[str, Span], span: Span) -> str | None:
    """The name of the parent of a span."""
    return next((name for name, each in spans.items() if each.id == span.parent), None)

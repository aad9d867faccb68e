"""Spans of submits and attempts, by OpenTelemetry."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tasks_for_tests as app
from conftest import until
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from blueque_client import Client, Graph, InvalidCall, TaskFailed
from blueque_client.testing import Server

PATIENCE = 60
HERE = Path(__file__).parent
#: A tracer separate from that of `traced_tasks`, which is for workers.
TRACER = TracerProvider().get_tracer("test")


@pytest.fixture
def traced(server: Server, namespace: str) -> Iterator[Client]:
    with Client(server.url, namespace, tracing=True) as client:
        client.link.tracing._tracer = TRACER  # type: ignore[union-attr]
        yield client


def tag_of(span: trace.Span) -> str:
    """The start of the trace of its tasks."""
    return f"traceparent:00-{span.get_span_context().trace_id:032x}-"


def test_the_context_goes_with_the_task(traced: Client) -> None:
    with TRACER.start_as_current_span("order") as span:
        one = traced.submit(app.add.call(1), tags="a,b")
        two, three = traced.queue("q").submit_many([1, 2], method="add")
        graph = Graph()
        four = graph.add(app.add, 1, tags=["c"])
        traced.submit_graph(graph)
    for job in (one, two, three, traced.task(four.id)):
        tags = (job.info().tags or "").split(",")
        assert tags[-1].startswith(tag_of(span))
        assert int(tags[-1][-2:], 16) & 1  # sampled
    assert (one.info().tags or "").startswith("a,b,traceparent:")
    assert (traced.task(four.id).info().tags or "").startswith("c,")


def test_what_nobody_samples_has_no_tag(traced: Client) -> None:
    unsampled = trace.NonRecordingSpan(trace.SpanContext(1, 1, is_remote=False))
    with trace.use_span(unsampled):
        assert traced.submit(app.add.call(1)).info().tags is None
    full = [f"t{n}" for n in range(16)]
    assert sorted((traced.submit(app.add.call(1), tags=full).info().tags or "").split(",")) == sorted(full)


def test_without_the_package_it_says_what_to_install(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(InvalidCall, match=r"blueque-client\[opentelemetry\]"):
        Client(server.url, tracing=True)


@pytest.mark.parametrize("mode", ["process", "thread", "asyncio"])
def test_attempts_are_spans_of_the_same_trace(
    traced: Client, server: Server, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    path = tmp_path / "spans"
    monkeypatch.setenv("SPANS", str(path))
    command = [sys.executable, "-m", "blueque_client", "worker", "traced_tasks", "--url", server.url, "--tracing"]
    worker = subprocess.Popen([*command, "--namespace", namespace, "--mode", mode], cwd=HERE)
    try:
        with TRACER.start_as_current_span("order") as order:
            traced.queue("t").submit(["no"], method="inner").result(PATIENCE)
            with pytest.raises(TaskFailed, match="no such film"):
                traced.queue("t").submit(["fail"], method="inner").result(PATIENCE)
            until(lambda: path.exists() and path.read_text().count('"within"') == 2)
            with pytest.raises(TaskFailed, match="SIGKILL"):
                traced.queue("t").submit(["kill"], method="inner").result(PATIENCE)
    finally:
        worker.terminate()
        assert worker.wait(PATIENCE) == 0
    spans: list[dict[str, Any]] = [json.loads(line) for line in path.read_text().splitlines()]
    runs = {span["span"]: span for span in spans if span["name"] == "run inner"}
    within = [span for span in spans if span["name"] == "within"]
    trace_id = format(order.get_span_context().trace_id, "x")
    assert {span["trace"] for span in [*runs.values(), *within]} == {trace_id}
    errors = sorted(span["error"] or "" for span in runs.values())
    assert errors[:2] == ["", "ValueError: no such film"]
    assert "SIGKILL" in errors[2]
    # The span inside the killed function is lost. The remaining inner spans belong to their attempts.
    assert len(within) == 2
    assert {span["parent"] for span in within} <= set(runs)

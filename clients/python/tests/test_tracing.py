"""Spans of submits and attempts, by OpenTelemetry."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tasks_for_tests as app
from conftest import until
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from blueque_client import BluequeError, Client, Graph, InvalidCall, TaskFailed, TimedOut, context, task
from blueque_client.testing import Clock, Server, run_until_idle

PATIENCE = 60
HERE = Path(__file__).parent
FOREIGN = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
SENT = "messaging.client.sent.messages"


@task(queue="linked", max_failures=3, delay=60)
def fails_once(_: str) -> int:
    if context.attempt == 1:
        raise ConnectionError("later")
    return 1


@task(queue="linked")
def adds(one: int, other: int) -> int:
    return one + other


@task(queue="saving")
def saves(times: int) -> int:
    if times < 0:
        raise ValueError("a negative number")
    for each in range(times):
        context.checkpoint(each)
    return times


class Recorded:
    """The spans and metrics of this process."""

    def __init__(self) -> None:
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracers, self.meters = TracerProvider(), MeterProvider([self.reader])
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = self.tracers.get_tracer("test")

    def spans(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.exporter.get_finished_spans() if span.name == name]

    def metrics(self) -> dict[str, list[Any]]:
        """The points of each metric."""
        data = self.reader.get_metrics_data()
        scopes = [scope for each in data.resource_metrics for scope in each.scope_metrics] if data else []
        return {metric.name: list(metric.data.data_points) for scope in scopes for metric in scope.metrics}


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    found = Recorded()
    monkeypatch.setattr(trace, "get_tracer", found.tracers.get_tracer)
    monkeypatch.setattr(metrics, "get_meter", found.meters.get_meter)
    return found


@pytest.fixture
def traced(recorded: Recorded, server: Server, namespace: str) -> Iterator[Client]:  # noqa: ARG001
    with Client(server.url, namespace, tracing=True) as client:
        yield client


def ids(spans: Iterable[ReadableSpan]) -> list[int]:
    return [span.context.span_id for span in spans if span.context]


def links(span: ReadableSpan) -> dict[str, list[int]]:
    """The spans to which a span links, by the kind of the link."""
    found: dict[str, list[int]] = {}
    for link in span.links:
        found.setdefault(str((link.attributes or {})["blueque.link"]), []).append(link.context.span_id)
    return found


def start_of(span: trace.Span) -> str:
    """The start of the option `trace` of the tasks of a trace."""
    return f"00-{span.get_span_context().trace_id:032x}-"


def test_the_context_goes_with_the_task(traced: Client, recorded: Recorded) -> None:
    state = trace.TraceState([("vendor", "a1")])
    far = trace.NonRecordingSpan(trace.SpanContext(7, 7, True, trace.TraceFlags(1), state))
    with trace.use_span(far), recorded.tracer.start_as_current_span("order") as span:
        one = traced.submit(app.add.call(1), tags="a,b")
        two, three = traced.queue("q").submit_many([1, 2], method="add")
        graph = Graph("sums", id="sums")
        four, five = graph.add(app.add, 1), graph.add(app.add, 2, trace=FOREIGN)
        traced.submit_graph(graph)
    traced.submit_graph(graph)  # a repeated submit belongs to another trace, and changes nothing
    found = [job.info().trace or "" for job in (one, two, three, traced.task(four.id))]
    assert {each[:36] for each in found} == {start_of(span)}
    assert {each[52:] for each in found} == {"-01 vendor=a1"}
    assert traced.task(five.id).info().trace == FOREIGN
    assert one.info().tags == "a,b"
    sent = recorded.spans("submit q")
    assert [f"{each:016x}" for each in ids(sent)] == [found[0][36:52], found[1][36:52]]
    assert sent[0].attributes == {
        "messaging.system": "blueque",
        "messaging.operation.name": "submit",
        "messaging.operation.type": "send",
        "messaging.destination.name": "q",
        "messaging.message.id": one.id,
    }
    points = recorded.metrics()
    counts = {point.attributes.get("messaging.destination.name"): point.value for point in points[SENT]}
    assert counts == {"q": 3, None: 4}
    assert sum(point.count for point in points["messaging.client.operation.duration"]) == 4


def test_an_unsampled_submit_stays_unsampled(traced: Client, recorded: Recorded) -> None:
    with trace.use_span(trace.NonRecordingSpan(trace.SpanContext(1, 1, is_remote=False))):
        assert (traced.submit(app.add.call(1)).info().trace or "")[-3:] == "-00"
    run_until_idle(traced, app)
    assert not recorded.exporter.get_finished_spans()


def test_waits_checkpoints_and_failures_are_spans(traced: Client, recorded: Recorded) -> None:
    good, bad = traced.submit(saves.call(3)), traced.submit(saves.call(-1))
    run_until_idle(traced, [saves])
    with recorded.tracer.start_as_current_span("page") as page:
        good.result()
        with pytest.raises(TaskFailed):
            bad.result()
        with pytest.raises(TimedOut):
            traced.submit(saves.call(1)).result(timeout=0)
    waits = recorded.spans("wait for task")
    submits, runs = recorded.spans("submit saving"), recorded.spans("run saving")
    assert [each.parent.span_id for each in waits if each.parent] == [page.get_span_context().span_id] * 3
    assert [links(each) for each in waits] == [{"awaited": ids(runs)[:1]}, {"awaited": ids(runs)[1:]}, {}]
    status = [(each.attributes or {}).get("blueque.status") for each in waits]
    assert status == ["complete", "failed", None]
    assert waits[2].status.status_code == trace.StatusCode.ERROR
    assert [each.parent.span_id for each in runs if each.parent] == ids(submits)[:2]
    assert [(each.attributes or {}).get("error.type") for each in runs] == [None, "failed"]
    checkpoints = recorded.spans("checkpoint saving")
    assert [each.parent.span_id for each in checkpoints if each.parent] == ids(runs)[:1] * 3
    points = recorded.metrics()
    assert [point.value for point in points["messaging.client.consumed.messages"]] == [2]
    assert sum(point.count for point in points["messaging.client.operation.duration"]) == 3
    durations = points["messaging.process.duration"]
    assert sorted((point.attributes.get("error.type", ""), point.count) for point in durations) == [
        ("", 1),
        ("ValueError", 1),
    ]


def test_attempts_link_to_previous_attempts_and_to_upstreams(
    server: Server, namespace: str, recorded: Recorded
) -> None:
    clock = Clock(time.time() - 3600)
    with Client(server.url, namespace, tracing=True, clock=clock) as client:
        graph = Graph()
        first = graph.add(fails_once, "linked")
        graph.add(adds, first, 1)
        client.submit_graph(graph)
        run_until_idle(client, [fails_once, adds])
        clock.advance(600)
        run_until_idle(client, [fails_once, adds])
    one, two, three = recorded.spans("run linked")
    assert [links(each) for each in (one, two, three)] == [{}, {"previous": ids([one])}, {"upstream": ids([two])}]
    assert [(each.attributes or {})["blueque.outcome"] for each in (one, two, three)] == [
        "retrying",
        "complete",
        "complete",
    ]
    assert len({each.context.trace_id for each in recorded.exporter.get_finished_spans() if each.context}) == 1
    # The retry has waited for its delay, and the dependent for its upstream.
    waits = [(each.start_time or 0) / 1e9 for each in recorded.spans("wait linked")]
    assert waits == pytest.approx([clock.now - 600, clock.now, clock.now], abs=1)


def test_a_refused_submit_is_an_error(traced: Client, recorded: Recorded) -> None:
    with pytest.raises(BluequeError):
        traced.queue("no queue").submit(1)
    (span,) = recorded.spans("submit no queue")
    assert (span.attributes or {})["error.type"] == "BADNAME"
    points = recorded.metrics()
    assert SENT not in points
    assert points["messaging.client.operation.duration"][0].attributes["error.type"] == "BADNAME"


def test_without_the_option_nothing_is_recorded(client: Client, recorded: Recorded) -> None:
    with recorded.tracer.start_as_current_span("order"):
        job = client.submit(saves.call(1))
        run_until_idle(client, [saves])
        assert (job.result(), job.info().trace) == (1, None)
    assert [span.name for span in recorded.exporter.get_finished_spans()] == ["order"]
    assert not recorded.metrics()


def test_without_the_package_it_says_what_to_install(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(InvalidCall, match=r"blueque-client\[opentelemetry\]"):
        Client(server.url, tracing=True)


@pytest.mark.parametrize("mode", ["process", "thread", "asyncio"])
def test_attempts_are_spans_of_the_same_trace(
    traced: Client,
    recorded: Recorded,
    server: Server,
    namespace: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
) -> None:
    path = tmp_path / "spans"
    monkeypatch.setenv("SPANS", str(path))
    command = [sys.executable, "-m", "blueque_client", "worker", "traced_tasks", "--url", server.url, "--tracing"]
    worker = subprocess.Popen([*command, "--namespace", namespace, "--mode", mode], cwd=HERE)
    try:
        with recorded.tracer.start_as_current_span("order") as order:
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
    runs = {span["span"]: span for span in spans if span["name"] == "run t"}
    within = [span for span in spans if span["name"] == "within"]
    trace_id = format(order.get_span_context().trace_id, "x")
    assert {span["trace"] for span in [*runs.values(), *within]} == {trace_id}
    errors = sorted(span["error"] or "" for span in runs.values())
    assert errors[:2] == ["", "ValueError: no such film"]
    assert "SIGKILL" in errors[2]
    # The span inside the killed function is lost. The remaining inner spans belong to their attempts.
    assert len(within) == 2
    assert {span["parent"] for span in within} <= set(runs)

"""OpenTelemetry: spans of submits, waits, attempts and checkpoints in one trace, and metrics of messaging.

The option `trace` of a task holds the context of its submit, as traceparent and tracestate of the W3C Trace Context, so
that workers in every language continue the trace. The field `span` holds the context of the last attempt: the next
attempt and dependents link to it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Union

from . import calls, contract
from .errors import BluequeError, InvalidCall
from .version import VERSION

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.context import Context
    from opentelemetry.metrics import Histogram
    from opentelemetry.trace import Link as SpanLink
    from opentelemetry.trace import Span, SpanKind

    from .calls import SubmitOptions
    from .records import RawRecord
    from .sync import Link

Attributes = dict[str, Union[str, int]]
#: Maximum number of milliseconds to send the spans of a function.
MOST_FLUSH = 5000
#: Maximum number of upstreams to which the span of an attempt links.
MOST_UPSTREAMS = 32
#: Maximum number of seconds of a call for a span, which must not delay the worker.
PATIENCE = 5
#: Bounds of the histograms in seconds. An attempt may take days.
BOUNDS = (0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1800, 3600, 21600, 86400)
#: The outcomes of attempts that are errors.
FAILED = ("failed", "retrying", "lost")


class Tracing:
    """The spans and metrics of a client and its workers."""

    def __init__(self) -> None:
        try:
            from opentelemetry import metrics, trace
        except ImportError:
            remedy = "Run `pip install 'blueque-client[opentelemetry]'`."
            raise InvalidCall("BADARG", "tracing needs the package opentelemetry-api.", remedy) from None
        self._trace = trace
        self._tracer = trace.get_tracer("blueque_client", VERSION)
        meter = metrics.get_meter("blueque_client", VERSION)

        def duration(name: str, about: str) -> Histogram:
            return meter.create_histogram(name, "s", about, explicit_bucket_boundaries_advisory=BOUNDS)

        self._operations = duration("messaging.client.operation.duration", "Duration of submits and checkpoints.")
        self._attempts = duration("messaging.process.duration", "Duration of attempts.")
        self._sent = meter.create_counter("messaging.client.sent.messages", "{message}", "Number of submitted tasks.")
        self._consumed = meter.create_counter("messaging.client.consumed.messages", "{message}", "Number of attempts.")

    @contextmanager
    def submit(self, queue: str | None, options: SubmitOptions, about: Mapping[str, Any]) -> Iterator[Submitted]:
        """A span around a submit. `queue`: None for a graph."""
        common = _about("submit", "send", queue)
        with self._operation(f"submit {queue or 'graph'}", self._trace.SpanKind.PRODUCER, common, about) as span:
            trace = carried(span)
            submitted = Submitted({"trace": trace, **options} if trace else options)
            yield submitted
            if "messaging.message.id" not in about:
                span.set_attribute("messaging.batch.message_count", submitted.tasks)
        self._sent.add(submitted.tasks, common)

    @contextmanager
    def _operation(self, name: str, kind: SpanKind, common: Attributes, about: Mapping[str, Any]) -> Iterator[Span]:
        """A span around a call, whose duration is measured."""
        began, error = time.monotonic(), Attributes()
        with self._tracer.start_as_current_span(name, kind=kind, attributes={**common, **about}) as span:
            try:
                yield span
            except BaseException as cause:
                error["error.type"] = _kind(cause)
                span.set_attributes(error)
                raise
            finally:
                self._operations.record(time.monotonic() - began, {**common, **error})

    @contextmanager
    def wait(self, id: str, what: str) -> Iterator[Waited]:
        """A span around a wait for the end of a task or a graph, with a link to the last attempt of the task."""
        waited, name = Waited(), "message.id" if what == "task" else "message.conversation_id"
        about = {"messaging.system": "blueque", f"messaging.{name}": id}
        kind = self._trace.SpanKind.INTERNAL
        with self._tracer.start_as_current_span(f"wait for {what}", kind=kind, attributes=about) as span:
            yield waited
            if record := waited.record:
                span.set_attribute("messaging.destination.name", record.queue or "")
                span.set_attribute("blueque.status", record.status or "")
                for link in self._links("awaited", id, record.span or record.trace):
                    span.add_link(link.context, link.attributes)

    def begin(self, link: Link, item: Any, id: Any, listener: str) -> Span:
        """Starts the span of an attempt, after the span of the time for which the task has waited. The caller must end
        the span."""
        record = None
        with suppress(BluequeError):
            record = link.run(calls.get(id), PATIENCE)
        parent, kind = _context(record.trace if record else None), self._trace.SpanKind
        about: Attributes = {"messaging.message.id": item.id}
        since = _available(record) if record else None
        if since and since < time.time():
            start, waits = int(since * 1e9), _about("wait", "receive", item.queue)
            self._tracer.start_span(f"wait {item.queue}", parent, kind.INTERNAL, {**waits, **about}, (), start).end()
        common = _about("run", "process", item.queue)
        about.update({"messaging.client.id": listener, "blueque.attempt": item.attempt})
        if record and record.method:
            about["blueque.method"] = record.method
        links = self._links("previous", item.id, record.span) + self._upstreams(link, record) if record else []
        span = self._tracer.start_span(f"run {item.queue}", parent, kind.CONSUMER, {**common, **about}, links)
        self._consumed.add(1, common)
        own = carried(span)
        if own and span.is_recording():
            # Without its span, the attempt is only missing among the links of later spans.
            with suppress(BluequeError):
                link.run(calls.start(id, item.token, os.getpid(), lease=item.lease / 1e6, span=own), PATIENCE)
        return span

    def _links(self, what: str, id: str, trace: str | None) -> list[SpanLink]:
        found = _context(trace)
        if found is None:
            return []
        about = {"blueque.link": what, "messaging.message.id": id}
        return [self._trace.Link(self._trace.get_current_span(found).get_span_context(), about)]

    def _upstreams(self, link: Link, record: RawRecord) -> list[SpanLink]:
        """Links to the last attempts of the tasks on which a task depends."""
        inputs = (entry.partition("=") for entry in (record.inputs or "").split() if not entry.startswith("value/"))
        ids = list(dict.fromkeys(id for _, _, id in inputs if id))[:MOST_UPSTREAMS]
        links: list[SpanLink] = []
        with suppress(BluequeError):
            for each in link.run(calls.get_many(ids), PATIENCE) if ids else ():
                trace = each.extra.get("span") or each.extra.get("trace") or b""
                links += self._links("upstream", each.id or "", trace.decode(errors="replace"))
        return links

    def end(self, span: Span, queue: str, verdict: str, error: str, group: str | None, seconds: float) -> None:
        """Ends the span of an attempt."""
        outcome, common = verdict.lower(), _about("run", "process", queue)
        span.set_attribute("blueque.outcome", outcome)
        if outcome in FAILED:
            span.set_attribute("error.type", outcome)
            span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, error or "the lease was lost"))
            common["error.type"] = group or outcome
        span.end()
        self._attempts.record(seconds, common)

    def saved(self, queue: str, seconds: float, error: str | None) -> None:
        """Measures a checkpoint. Its span belongs to the process of the function."""
        common = _about("checkpoint", "settle", queue)
        self._operations.record(seconds, {**common, "error.type": error} if error else common)


class Submitted:
    """A submit: its options with the context of its span, and the number of tasks that it has sent."""

    def __init__(self, options: SubmitOptions) -> None:
        self.options, self.tasks = options, 1


class Waited:
    """A wait, and the record of the task when it has ended."""

    record: RawRecord | None = None


def submitting(
    tracing: Tracing | None, queue: str | None, options: SubmitOptions, **about: Any
) -> AbstractContextManager[Submitted]:
    """The context of a submit, with or without tracing."""
    named = {f"messaging.message.{name}": value for name, value in about.items()}
    return tracing.submit(queue, options, named) if tracing else nullcontext(Submitted(options))


def waiting(tracing: Tracing | None, id: str, what: str = "task") -> AbstractContextManager[Waited]:
    """The context of a wait, with or without tracing."""
    return tracing.wait(id, what) if tracing else nullcontext(Waited())


def checkpoint(parent: str | None, id: str, queue: str) -> Span | None:
    """The span of a checkpoint, or None if the attempt has no span."""
    if not parent:
        return None
    from opentelemetry import trace

    about = {**_about("checkpoint", "settle", queue), "messaging.message.id": id}
    tracer = trace.get_tracer("blueque_client", VERSION)
    return tracer.start_span(f"checkpoint {queue}", kind=trace.SpanKind.CLIENT, attributes=about)


def ended(span: Span | None, error: BaseException | None) -> None:
    """Ends the span of a checkpoint."""
    if span is None:
        return
    if error:
        from opentelemetry.trace import Status, StatusCode

        span.set_attribute("error.type", _kind(error))
        span.set_status(Status(StatusCode.ERROR, str(error)))
    span.end()


def _about(name: str, kind: str, queue: str | None) -> Attributes:
    """The attributes that spans and metrics share, in the words of the semantic conventions for messaging."""
    about: Attributes = {"messaging.system": "blueque", "messaging.operation.name": name}
    about["messaging.operation.type"] = kind
    if queue:
        about["messaging.destination.name"] = queue
    return about


def _available(record: RawRecord) -> float | None:
    """Returns since when a task could run, if this is known: not for a retry without a delay."""
    known = record.attempt == 1 or (record.promoted and record.failures)
    return max(record.created or 0, record.readied or 0, record.promoted or 0) if known else None


def _kind(error: BaseException) -> str:
    return error.code if isinstance(error, BluequeError) else type(error).__name__


def carried(span: Span | None) -> str | None:
    """The context of a span in the form of the option `trace`."""
    if span is None or not span.get_span_context().is_valid:
        return None
    context = span.get_span_context()
    parent = f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags & 1:02x}"
    state = context.trace_state.to_header()
    return f"{parent} {state}" if state and len(state) <= contract.TRACE_STATE else parent


def _context(trace: str | None) -> Context | None:
    if not trace:
        return None
    from opentelemetry.context import Context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    parent, _, state = trace.partition(" ")
    headers = {"traceparent": parent, **({"tracestate": state} if state else {})}
    return TraceContextTextMapPropagator().extract(headers, Context())


def enter(trace: str | None) -> None:
    """Makes the attempt's span the parent of the spans of its function, in a process of tasks."""
    if found := _context(trace):
        from opentelemetry import context

        context.attach(found)


def flush() -> None:
    """Sends the spans and metrics of this process, which is about to end."""
    for name, provider in (("trace", "get_tracer_provider"), ("metrics", "get_meter_provider")):
        if api := sys.modules.get(f"opentelemetry.{name}"):
            send = getattr(getattr(api, provider)(), "force_flush", None)
            if send:
                send(MOST_FLUSH)

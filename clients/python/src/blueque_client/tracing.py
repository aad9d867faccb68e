"""OpenTelemetry: spans of submits, waits, attempts and checkpoints in one trace, and metrics of messaging.

The option `trace` of a task holds the context of its submit, as traceparent and tracestate of the W3C Trace Context, so
that workers in every language continue the trace.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from .errors import BluequeError, InvalidCall
from .version import VERSION

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.context import Context
    from opentelemetry.trace import Span

    from .calls import GetReply, SubmitOptions


#: Maximum number of milliseconds to send the spans of a function.
MOST_FLUSH = 5000
#: Maximum number of characters of a tracestate in the option `trace`.
MOST_STATE = 512
#: Limits of the histograms in seconds: those of the semantic conventions, and for attempts also those of long tasks.
CALLS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
ATTEMPTS = (*CALLS, 30, 60, 300, 900, 3600, 4 * 3600, 24 * 3600)
#: Verdicts of the server on attempts that have failed.
FAILED = ("failed", "retrying", "LOST")


class Tracing:
    """The spans and metrics of a client and its workers."""

    def __init__(self) -> None:
        try:
            from opentelemetry import metrics, trace
        except ImportError:
            raise InvalidCall(
                "BADARG", "tracing needs OpenTelemetry: pip install 'blueque-client[opentelemetry]'."
            ) from None
        self._trace = trace
        self._tracer = trace.get_tracer("blueque_client", VERSION)
        meter = metrics.get_meter("blueque_client", VERSION)
        self._calls = meter.create_histogram(
            "messaging.client.operation.duration",
            "s",
            "Duration of submits.",
            explicit_bucket_boundaries_advisory=CALLS,
        )
        self._attempts = meter.create_histogram(
            "messaging.process.duration", "s", "Duration of attempts.", explicit_bucket_boundaries_advisory=ATTEMPTS
        )
        self._sent = meter.create_counter("messaging.client.sent.messages", "{message}", "Number of submitted tasks.")
        self._consumed = meter.create_counter(
            "messaging.client.consumed.messages", "{message}", "Number of attempts that began."
        )

    @contextmanager
    def submit(self, queue: str, options: SubmitOptions, about: Mapping[str, Any]) -> Iterator[Submitted]:
        """A span around a submit."""
        common = _about("submit", "send", None if "blueque.graph" in about else queue)
        kind, began, error = self._trace.SpanKind.PRODUCER, time.monotonic(), dict[str, str]()
        with self._tracer.start_as_current_span(f"submit {queue}", kind=kind, attributes={**common, **about}) as span:
            trace = carried(span)
            submitted = Submitted({"trace": trace, **options} if trace else options)
            try:
                yield submitted
            except BaseException as cause:
                error["error.type"] = _kind(cause)
                span.set_attribute("error.type", _kind(cause))
                raise
            finally:
                self._calls.record(time.monotonic() - began, {**common, **error})
            if "messaging.message.id" not in about:
                span.set_attribute("messaging.batch.message_count", sum(submitted.tasks.values()))
        for name, number in submitted.tasks.items():
            self._sent.add(number, _about("submit", None, name))

    @contextmanager
    def wait(self, id: str, what: str = "task") -> Iterator[Waited]:
        """A span around a wait for the end of a task or a graph, with a link to the submit of the task."""
        name, waited = "messaging.message.id" if what == "task" else "blueque.graph", Waited()
        attributes = {"messaging.system": "blueque", name: id}
        with self._tracer.start_as_current_span(
            f"wait {what}", kind=self._trace.SpanKind.CLIENT, attributes=attributes
        ) as span:
            yield waited
            if record := waited.record:
                span.set_attributes(
                    {"messaging.destination.name": record.queue or "", "blueque.status": record.status or ""}
                )
                if submit := _context(record.trace):
                    span.add_link(self._trace.get_current_span(submit).get_span_context())

    def attempt(self, id: str, queue: str, method: str | None, number: int, parent: str | None) -> Span:
        """A span of an attempt, in the trace of its submit. The caller must end the span."""
        common = _about("run", "process", queue)
        attributes = {**common, "messaging.message.id": id, "blueque.attempt": number}
        if method:
            attributes["blueque.method"] = method
        self._consumed.add(1, _about("run", None, queue))
        kind = self._trace.SpanKind.CONSUMER
        return self._tracer.start_span(f"run {method or queue}", _context(parent), kind, attributes)

    def end(self, span: Span, queue: str, verdict: str, error: str, group: str | None, seconds: float) -> None:
        """Ends the span of an attempt."""
        span.set_attribute("blueque.verdict", verdict)
        attributes = _about("run", "process", queue)
        if error or verdict in FAILED:
            attributes["error.type"] = group or verdict
            span.set_attribute("error.type", group or verdict)
            span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, error or verdict))
        span.end()
        self._attempts.record(seconds, attributes)


class Submitted:
    """A submit: its options with the context of its span, and the number of tasks that it has sent to each queue."""

    def __init__(self, options: SubmitOptions) -> None:
        self.options = options
        self.tasks: dict[str, int] = {}


class Waited:
    """A wait, and the record of the task when it has ended."""

    record: GetReply | None = None


def submitting(
    tracing: Tracing | None, queue: str, options: SubmitOptions, **about: Any
) -> AbstractContextManager[Submitted]:
    """The context of a submit, with or without tracing."""
    named = {name.replace("_", "."): value for name, value in about.items()}
    return tracing.submit(queue, options, named) if tracing else nullcontext(Submitted(options))


def waiting(tracing: Tracing | None, id: str, what: str = "task") -> AbstractContextManager[Waited]:
    """The context of a wait, with or without tracing."""
    return tracing.wait(id, what) if tracing else nullcontext(Waited())


def checkpoint(parent: str | None, id: str, size: int) -> Span | None:
    """The span of a checkpoint, or None if the attempt has no span."""
    if not parent:
        return None
    from opentelemetry import trace

    attributes: dict[str, str | int] = {
        "messaging.system": "blueque",
        "messaging.message.id": id,
        "blueque.bytes": size,
    }
    tracer = trace.get_tracer("blueque_client", VERSION)
    return tracer.start_span("checkpoint", kind=trace.SpanKind.CLIENT, attributes=attributes)


def ended(span: Span | None, error: BaseException | None) -> None:
    """Ends the span of a checkpoint."""
    if span is None:
        return
    if error:
        from opentelemetry.trace import Status, StatusCode

        span.set_attribute("error.type", _kind(error))
        span.set_status(Status(StatusCode.ERROR, str(error)))
    span.end()


def _about(name: str, kind: str | None, queue: str | None) -> dict[str, str | int]:
    """The attributes of all spans and metrics, in the words of the semantic conventions for messaging."""
    about: dict[str, str | int] = {"messaging.system": "blueque", "messaging.operation.name": name}
    if kind:
        about["messaging.operation.type"] = kind
    if queue:
        about["messaging.destination.name"] = queue
    return about


def _kind(error: BaseException) -> str:
    return error.code if isinstance(error, BluequeError) else type(error).__name__


def carried(span: Span | None) -> str | None:
    """The context of a span in the form of the option `trace`."""
    if span is None or not span.get_span_context().is_valid:
        return None
    context = span.get_span_context()
    parent = f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags & 1:02x}"
    state = context.trace_state.to_header()
    return f"{parent} {state}" if state and len(state) <= MOST_STATE else parent


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

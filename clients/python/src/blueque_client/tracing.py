"""Spans of OpenTelemetry, in one trace: submits of the caller, and attempts in the worker.

A tag of the task, `traceparent:…`, holds the context: payloads stay unchanged, workers in every language can read the
tag, and `queue.search(tag=…)` finds a task by it. A submit that is not sampled adds no tag.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from .errors import InvalidCall
from .version import VERSION

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.context import Context
    from opentelemetry.trace import Span

    from .calls import SubmitOptions

PREFIX, MOST_TAGS = "traceparent:", 16
#: Maximum number of milliseconds to send the spans of a function.
MOST_FLUSH = 5000


class Tracing:
    """The spans of a client and its workers."""

    def __init__(self) -> None:
        try:
            from opentelemetry import trace
        except ImportError:
            raise InvalidCall(
                "BADARG", "tracing needs OpenTelemetry: pip install 'blueque-client[opentelemetry]'."
            ) from None
        self._trace = trace
        self._tracer = trace.get_tracer("blueque_client", VERSION)

    @contextmanager
    def submit(self, queue: str, options: SubmitOptions, about: Mapping[str, Any]) -> Iterator[SubmitOptions]:
        """A span around a submit. Returns the options of the submit, with the tag of the span."""
        attributes = {"messaging.system": "blueque", "messaging.destination.name": queue, **about}
        kind = self._trace.SpanKind.PRODUCER
        with self._tracer.start_as_current_span(f"submit {queue}", kind=kind, attributes=attributes) as span:
            yield self._tagged(options, span)

    def _tagged(self, options: SubmitOptions, span: Span) -> SubmitOptions:
        context, given = span.get_span_context(), options.get("tags") or ()
        tags = given.split(",") if isinstance(given, str) else list(given)
        if not context.trace_flags.sampled or len(tags) >= MOST_TAGS:
            return options
        return {**options, "tags": [*tags, f"{PREFIX}{carried(span)}"]}

    def attempt(self, id: str, queue: str, method: str | None, number: int, tags: Iterable[str]) -> Span:
        """A span of an attempt, in the trace of its submit. The caller must end the span."""
        parent = next((tag[len(PREFIX) :] for tag in tags if tag.startswith(PREFIX)), None)
        attributes: dict[str, str | int] = {
            "messaging.system": "blueque",
            "messaging.destination.name": queue,
            "messaging.message.id": id,
            "blueque.attempt": number,
        }
        kind = self._trace.SpanKind.CONSUMER
        return self._tracer.start_span(f"run {method or queue}", _context(parent), kind=kind, attributes=attributes)

    def end(self, span: Span, verdict: str, error: str) -> None:
        span.set_attribute("blueque.verdict", verdict)
        if error:
            span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, error))
        span.end()


def submitting(
    tracing: Tracing | None, queue: str, options: SubmitOptions, **about: Any
) -> AbstractContextManager[SubmitOptions]:
    """The context of a submit, with or without tracing."""
    named = {name.replace("_", "."): value for name, value in about.items()}
    return tracing.submit(queue, options, named) if tracing else nullcontext(options)


def carried(span: Span | None) -> str | None:
    """A span in the form of a header of W3C Trace Context."""
    if span is None:
        return None
    context = span.get_span_context()
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def _context(header: str | None) -> Context | None:
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({"traceparent": header}) if header else None


def enter(header: str | None) -> None:
    """Makes the attempt's span the parent of the spans of its function, in a process of tasks."""
    if header and (found := _context(header)):
        from opentelemetry import context

        context.attach(found)


def flush() -> None:
    """Sends the spans of this process, which is about to end."""
    if api := sys.modules.get("opentelemetry.trace"):
        send = getattr(api.get_tracer_provider(), "force_flush", None)
        if send:
            send(MOST_FLUSH)

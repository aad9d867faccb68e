"""Functions of a Python worker, which sends its spans by OTLP to OTEL_EXPORTER_OTLP_ENDPOINT."""

from __future__ import annotations

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from blueque_client import context, task

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(), schedule_delay_millis=100))
trace.set_tracer_provider(provider)


@task(queue="published")
def publish(film: str) -> str:
    with trace.get_tracer("publishing").start_as_current_span("index"):
        context.checkpoint(film)
    return film

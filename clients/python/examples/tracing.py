"""OpenTelemetry: the submit and the attempt are spans of one trace.

pip install 'blueque-client[opentelemetry]' opentelemetry-sdk
"""

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from blueque_client import Client, task
from blueque_client.testing import Server, run_until_idle


@task(queue="mails")
def send(to: str) -> str:
    with trace.get_tracer("mails").start_as_current_span("smtp"):
        return to


if __name__ == "__main__":
    spans = InMemorySpanExporter()  # in a program: OTLPSpanExporter() in a BatchSpanProcessor
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    with Server() as server, Client(server.url, tracing=True) as client:
        with trace.get_tracer("shop").start_as_current_span("order"):
            client.submit(send.call("a@example.org"))
        run_until_idle(client, send)
    found = spans.get_finished_spans()
    print(len({each.context.trace_id for each in found}), "trace:", ", ".join(sorted(each.name for each in found)))

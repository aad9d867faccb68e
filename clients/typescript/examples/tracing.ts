// OpenTelemetry: the submit and the attempt are spans of one trace. It needs `npm install @opentelemetry/api
// @opentelemetry/sdk-trace-node`.
import { Client } from "@blueque/client";
import { Server, runUntilIdle } from "@blueque/client/testing";
import { trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";

const spans = new InMemorySpanExporter(); // in a program: new OTLPTraceExporter() in a BatchSpanProcessor
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();

function send(to: string): string {
  return trace.getTracer("mails").startActiveSpan("smtp", (span) => {
    span.end();
    return to;
  });
}

await using server = new Server();
await using client = new Client(server.url, { tracing: true });
await trace.getTracer("shop").startActiveSpan("order", async (span) => {
  await client.queue("mails").submit("a@example.org");
  span.end();
});
await runUntilIdle(client, "mails", send);
const found = spans.getFinishedSpans();
const names = found.map(({ name }) => name).sort().join(", ");
console.log(`${new Set(found.map((span) => span.spanContext().traceId)).size} trace: ${names}`);

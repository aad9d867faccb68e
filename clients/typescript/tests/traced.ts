// Handlers with spans, in child processes; and a worker that sends its spans by OTLP, for tests/opentelemetry.
import { pathToFileURL } from "node:url";
import { Client, type Context, Worker } from "@blueque/client";
import { trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

// OTEL_EXPORTER_OTLP_ENDPOINT is the receiver.
const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(), { scheduledDelayMillis: 100 })] });
provider.register();

async function encode([film]: [string], context: Context): Promise<string> {
  return trace.getTracer("test").startActiveSpan("within", async (span) => {
    await context.checkpoint(1);
    await using client = new Client(process.env["BLUEQUE_URL"], { tracing: true, namespace: process.env["BLUEQUE_NAMESPACE"] ?? "blueque" });
    await client.queue("published").submit([film], { method: "publish" });
    span.end();
    await provider.forceFlush(); // this process is about to end
    return `${film}.mp4`;
  });
}

export default { encode };

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const client = new Client(undefined, { tracing: true });
  await new Worker(client, "encode", new URL(import.meta.url)).run();
  await client.close();
  await provider.shutdown();
}

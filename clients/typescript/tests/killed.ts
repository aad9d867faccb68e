// A worker with child processes, for worker.test, which kills and freezes it: killed.js URL NAMESPACE [json].
import { Client, Worker } from "@blueque/client";

const [, , url = "", namespace = "", format = "text"] = process.argv;
await using client = new Client(url, { namespace });
await using worker = new Worker(client, "q", new URL("./handlers.js", import.meta.url), { lease: 2, grace: 0.5, slots: 2, logFormat: format as "text" });
await worker.run();

// The events of a queue, across the absence of its server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Unavailable } from "@blueque/client";
import { Server } from "./server.js";

test("no event is missed across cuts", async () => {
  await using server = new Server("--appendfsync", "always");
  const namespace = "cuts";
  await using client = server.client({ limit: 0.2, namespace });
  await using patient = server.client({ namespace });
  const queue = client.queue("q");
  const [cuts, tasks] = [3, 20];
  const sent: string[] = [];
  const submit = async (): Promise<void> => {
    const jobs = await patient.queue("q").submitMany(Array.from({ length: tasks }, (_, at) => at));
    sent.push(...jobs.map((job) => job.id));
  };
  await submit();
  const seen: string[] = [];
  const follow = (async (): Promise<void> => {
    for await (const event of queue.events({ follow: true })) if (seen.push(event.id) === (cuts + 1) * tasks) return;
  })();
  for (let cut = 0; cut < cuts; cut += 1) {
    await server.kill();
    await assert.rejects(queue.counts(), Unavailable);
    server.restart();
    await submit();
  }
  await follow;
  assert.deepEqual(seen, sent);
  let after = "";
  for await (const event of queue.events()) if (event.id === sent[1]) after = event.event;
  for await (const event of queue.events({ after })) {
    assert.equal(event.id, sent[2]);
    break;
  }
});

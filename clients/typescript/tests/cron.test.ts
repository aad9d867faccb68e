// Schedules by cron expressions.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { Client, InvalidCall, type ScheduleOptions, Worker, calls } from "@blueque/client";
import { Clock, runUntilIdle } from "@blueque/client/testing";
import { Cron } from "../dist/cron.js";
import { Server, becomes } from "./server.js";

const server = new Server();
after(() => server[Symbol.asyncDispose]());

interface Case {
  readonly expression: string;
  readonly zone: string;
  readonly after: string;
  readonly count: number;
  readonly recurrence: string;
  readonly next: string[];
  readonly code?: string;
  readonly error?: string;
}

const CASES = JSON.parse(readFileSync(new URL("../../../tests/fixtures/cron.json", import.meta.url), "utf8")) as Case[];
const seconds = (text: string): number => Date.parse(text) / 1000;

test("expressions mean what they mean in the crate", () => {
  for (const { expression, zone, after: start, count, recurrence, next, code, error } of CASES) {
    if (error !== undefined) {
      const refused = (thrown: unknown): boolean => thrown instanceof InvalidCall && thrown.code === code && thrown.detail === error;
      assert.throws(() => new Cron(expression, zone), refused, error);
      continue;
    }
    const cron = new Cron(expression, zone);
    assert.equal(cron.toString(), recurrence);
    assert.deepEqual(cron.times(seconds(start), count), next.map(seconds), `${expression} in ${zone} after ${start}`);
  }
  for (const start of [2.6e11, 1e30, NaN]) assert.deepEqual(new Cron("0 0 * * *").times(start, 5), []);
});

/** The fire times that the server knows. */
async function known(client: Client, name: string): Promise<number[]> {
  const { slots } = await client.scheduleOf(name).info();
  return (slots ?? "").split(" ").map(Number);
}

/** A client of a namespace without other data. */
function alone(clock?: () => number): Client {
  return new Client(server.url, clock ? { namespace: `t${randomUUID()}`, clock } : { namespace: `t${randomUUID()}` });
}

test("a worker alone serves a schedule", async () => {
  const clock = new Clock(Date.now() / 1000);
  await using client = alone(clock.read);
  const schedule = await client.schedule("report", "q", 2, { cron: "*/5 * * * *", zone: "Europe/Berlin", overlap: "allow" });
  assert.equal((await schedule.info()).recurrence, "cron Europe/Berlin */5 * * * *");
  const first = await known(client, "report");
  assert.equal(first.length, 64);
  const passed = first[40] ?? 0;
  // The clock of this client and of its worker: 41 fire times have passed, and 23 are left.
  clock.now = passed;
  await client.queue("other").submit(1);
  const said: string[] = [];
  await client.run(calls.schedule("mars", "q", "cron Mars/Olympus 0 3 * * *", "1", [passed + 1000]));
  const worker = new Worker(client, "q", (n: number) => n + 1, { signals: false, log: (_, text) => said.push(text) });
  const ran = worker.run();
  await becomes(async () => (await schedule.info()).made === 1);
  assert.equal(await client.task(`report@${passed}`).result({ timeout: 60 }), 3);
  await becomes(async () => (await known(client, "report")).length === 64);
  assert.deepEqual(await known(client, "report"), Array.from({ length: 64 }, (_, n) => (first[41] ?? 0) + 300 * n));
  const text = "the schedule mars gets no fire times from this worker: BADARG: there is no time zone `Mars/Olympus`";
  await becomes(() => said.some((each) => each.startsWith(text)));
  assert.deepEqual(await known(client, "mars"), [passed + 1000]);
  worker.stop();
  await ran;
});

test("a schedule goes on past the fire times that were sent with it", async () => {
  const clock = new Clock();
  await using client = alone(clock.read);
  const schedule = await client.schedule("report", "q", 1, { cron: "@daily", overlap: "allow", missed: "all" });
  for (let day = 0; day < 100; day += 1) {
    clock.advance(86_400);
    assert.equal(await runUntilIdle(client, "q", () => undefined), 1);
  }
  const info = await schedule.info();
  assert.deepEqual([info.made, info.state], [100, "active"]);
});

test("a schedule is the same in every form of its expression", async () => {
  await using client = alone(new Clock().read);
  const schedule = await client.schedule("a", "q", 1, { cron: " 0 3 1,l  jan Mon-fri ", start: 1_900_000_000 });
  assert.equal((await schedule.info()).recurrence, "cron UTC 0 3 1,L JAN MON-FRI");
  assert.equal((await known(client, "a"))[0], seconds("2031-01-01T03:00:00Z"));
  await client.schedule("b", "q", 1, { cron: "0 3 * * *", start: new Date("2030-01-01T03:00:00Z") });
  assert.equal((await known(client, "b"))[0], seconds("2030-01-01T03:00:00Z"));
});

test("what cannot be a schedule is refused before anything is written", async () => {
  await using client = alone();
  const refused = async (detail: RegExp, options: unknown): Promise<void> => {
    await assert.rejects(client.schedule("odd", "q", 1, options as ScheduleOptions), { code: "BADARG", detail });
  };
  await refused(/it has 4/, { cron: "* * * *" });
  await refused(/invalid field `60`/, { cron: "60 * * * *" });
  await refused(/no date fits/, { cron: "0 0 30 2 *" });
  await refused(/no time zone `Europe\/Bonn`/, { cron: "0 0 * * *", zone: "Europe/Bonn" });
  await refused(/between start and end/, { cron: "0 0 1 1 *", start: 1_900_000_000, end: 1_900_000_060 });
  await refused(/are texts/, { cron: 5 });
  for (const wrong of [{}, { every: 60, cron: "@daily" }, { cron: "@daily", offset: 5 }, { every: 60, zone: "UTC" }]) {
    await refused(/takes `every` and its `offset`, or `cron` and its `zone`/, wrong);
  }
  assert.deepEqual(await client.schedules(), []);
});

// Webhooks of notices are verified, and reach the handlers.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { InvalidCall, Notices, Unverified } from "@blueque/client";

/** The example of the specification. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NOW = 1614265330;
const BODY = JSON.stringify({
  type: "task.failed",
  timestamp: "2026-11-28T09:20:11.512034Z",
  data: {
    namespace: "blueque", task: "film-17", queue: "encode", title: "Film 17", method: "x265", state: "failed", from: "started",
    cause: "fail", by: "gpu-1_4711", attempt: 3, error: "no space left on device", number: 1, try: 2,
  },
});

function signed(body: string, secret = SECRET, at = NOW): Record<string, string> {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : secret;
  const code = createHmac("sha256", key).update(`n1.${at}.${body}`).digest("base64");
  return { "webhook-id": "n1", "webhook-timestamp": String(at), "webhook-signature": `v1,${code}` };
}

const receiver = (...secrets: string[]): Notices => new Notices(secrets.length ? secrets : SECRET, () => NOW + 1);

test("the example of the specification is verified", () => {
  const headers = new Headers({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": String(NOW),
    "webhook-signature": "v1,bm90IHRoaXM= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
  assert.equal(receiver().verify(headers, '{"test": 2432232314}').id, "msg_p5jXN8AQM9LWM0D4loKWxJek");
  assert.throws(() => receiver().verify(headers, '{"test": 2432232315}'), /made with this secret/);
});

test("a notice has types and reaches its handlers", async () => {
  const seen: string[] = [];
  const notices = receiver()
    .onEnd(async ({ data }) => { await Promise.resolve(); seen.push(`every ${data.task ?? ""}`); })
    .onEnd(() => seen.push("bad"), "failed", "cancelled")
    .onEnd(() => seen.push("good"), "complete");
  const { id, type, data } = await notices.receive(signed(BODY), Buffer.from(BODY));
  assert.deepEqual(seen, ["every film-17", "bad"]);
  assert.deepEqual([id, type, data.graph, data.attempt, data.error, data.try], ["n1", "task.failed", undefined, 3, "no space left on device", 2]);
});

test("an event that is no end reaches only its own handlers", async () => {
  const seen: string[] = [];
  const notices = receiver().onEnd(() => seen.push("end"))
    .on(({ type, data }) => seen.push(`${type} ${data.state} ${data.time ?? ""}`), "no-progress", "failed");
  const data = { namespace: "blueque", task: "film-17", state: "started", time: "20m", number: 2, try: 1 };
  const body = JSON.stringify({ type: "task.no-progress", timestamp: "2026-11-28T09:20:11.512034Z", data });
  await notices.receive(signed(body), body);
  assert.deepEqual(seen, ["task.no-progress started 20m"]);
  await notices.receive(signed(BODY), BODY);
  assert.deepEqual(seen.slice(1), ["end", "task.failed failed "]);
  assert.throws(() => notices.on(() => undefined, "started" as "failed"), InvalidCall);
  assert.throws(() => notices.on(() => undefined, ...([] as unknown as ["failed"])), InvalidCall);
});

test("a secret is replaced without a gap", () => {
  for (const secrets of [[SECRET, "new"], ["new", SECRET]]) {
    for (const secret of [SECRET, "new"]) assert.equal(receiver(...secrets).verify(signed(BODY, secret), BODY).data.task, "film-17");
  }
});

test("what is not signed calls nobody", async () => {
  const notices = receiver().onEnd(() => assert.fail("called"));
  const cases: [Record<string, string>, RegExp][] = [
    [{ "webhook-signature": "v1,AAAA" }, /made with this secret/],
    [{ "webhook-signature": "v1,é" }, /made with this secret/],
    [{ "webhook-signature": "" }, /missing or wrong/],
    [{ "webhook-id": "n2" }, /made with this secret/],
    [{ "webhook-timestamp": String(NOW + 1) }, /made with this secret/],
    [{ "webhook-timestamp": "x" }, /missing or wrong/],
    [signed(BODY, SECRET, NOW - 400), /more than 300 s/],
    [signed(BODY, SECRET, NOW + 400), /more than 300 s/],
    [signed(BODY, "another"), /made with this secret/],
  ];
  for (const [change, text] of cases) {
    await assert.rejects(notices.receive({ ...signed(BODY), ...change }, BODY), (error) =>
      error instanceof Unverified && error.code === "SIGNATURE" && text.test(error.message));
  }
});

test("an error of a handler reaches the caller", async () => {
  const notices = receiver().onEnd(() => { throw new RangeError("the database is away"); });
  await assert.rejects(notices.receive(signed(BODY), BODY), RangeError);
});

test("wrong receivers are refused", () => {
  for (const secrets of [[], "", "whsec_%", 3 as unknown as string]) assert.throws(() => new Notices(secrets), InvalidCall);
  assert.throws(() => receiver().onEnd(() => undefined, "done" as "failed"), /no notice has the state/);
});

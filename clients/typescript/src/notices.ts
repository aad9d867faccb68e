// Notices: a receiver of the webhooks that workers call about a task or a graph (`docs/use/notify.md`).
import { createHmac, timingSafeEqual } from "node:crypto";
import { shown } from "./argument-checks.js";
import { InvalidCall, Unverified } from "./errors.js";

/** Maximum difference in seconds between the time of a delivery and this host's clock. */
const TOLERANCE = 300;
const ENDS = ["complete", "failed", "cancelled"] as const;
const EVENTS = [...ENDS, "pending", "no-progress", "deadline"] as const;

/** An end of a task or of a graph, and any event of a task. */
export type NoticeEnd = (typeof ENDS)[number];
export type NoticeEvent = (typeof EVENTS)[number];

/** An event of a task or of a graph. */
export interface Notice {
  /** Id of the notice, the same at every delivery: ignore a notice that you have seen. */
  readonly id: string;
  /** `task.failed`, `graph.complete`, … */
  readonly type: string;
  /** Time of the event, such as `2026-11-28T09:20:11.512034Z`. */
  readonly timestamp: string;
  /** What the worker knows. Fields that do not apply are left out. */
  readonly data: {
    /** The state of the task. At its end this is also the event. */
    readonly state: string;
    readonly namespace: string;
    /** Id of the task, or of the graph. */
    readonly task?: string;
    readonly graph?: string;
    readonly queue?: string;
    readonly method?: string;
    readonly title?: string;
    /** Name of the graph, and the numbers of its tasks. */
    readonly name?: string;
    readonly tasks?: string;
    /** The state before the end. */
    readonly from?: string;
    /** The command that ended the task, or `lost` or `deadline`. */
    readonly cause?: string;
    /** The author of the change. */
    readonly by?: string;
    readonly attempt?: number;
    /** The first KiB of the error. */
    readonly error?: string;
    /** The reason of a cancel. */
    readonly reason?: string;
    /** The time that was asked with the event, such as `20m`: for `pending`, `no-progress` and `deadline`. */
    readonly time?: string;
    /** Number of the notice of its task, and of this delivery, from 1. */
    readonly number: number;
    readonly try: number;
  };
}

/** Headers of a request: an object of Node.js, or `Headers`. */
export type NoticeHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

type Handler = (notice: Notice) => unknown;

function keyOf(secret: unknown): Buffer {
  const data = typeof secret === "string" || secret instanceof Uint8Array ? Buffer.from(secret as string) : undefined;
  if (!data?.length) throw new InvalidCall("BADARG", `a secret of notices is a text or bytes, not ${shown(secret)}.`);
  const text = data.toString("latin1");
  if (!text.startsWith("whsec_")) return data;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text.slice(6))) {
    throw new InvalidCall("BADARG", "the secret begins with `whsec_`, but the rest is no base64.");
  }
  return Buffer.from(text.slice(6), "base64");
}

/**
 * A receiver of notices. Any web framework passes it the headers and the unparsed body of a POST:
 *
 * ```ts
 * const notices = new Notices("whsec_…").onEnd(async (notice) => { … }, "failed");
 * app.post("/hooks/blueque", express.raw({ type: "*\/*" }), async (request, response) => {
 *   await notices.receive(request.headers, request.body);
 *   response.sendStatus(204);
 * });
 * ```
 */
export class Notices {
  readonly #keys: readonly Buffer[];
  readonly #clock: () => number;
  readonly #handlers: [Handler, readonly string[]][] = [];

  /**
   * @param secrets The content of the target's `secret_file`; several while it is replaced.
   * @param clock Seconds since 1970.
   */
  constructor(secrets: string | Uint8Array | readonly (string | Uint8Array)[], clock = (): number => Date.now() / 1000) {
    this.#keys = (Array.isArray(secrets) ? (secrets as readonly unknown[]) : [secrets]).map(keyOf);
    if (!this.#keys.length) throw new InvalidCall("BADARG", "notices without a secret could be anyone's: pass that of the target.");
    this.#clock = clock;
  }

  /** Calls a function for each end, or only for these. */
  onEnd(handler: (notice: Notice) => unknown, ...ends: NoticeEnd[]): this {
    const wrong = ends.find((end) => !ENDS.includes(end));
    if (wrong !== undefined) throw new InvalidCall("BADARG", `no notice has the state ${shown(wrong)}: complete, failed or cancelled.`);
    this.#handlers.push([handler, ends.length ? ends : ENDS]);
    return this;
  }

  /** Calls a function for each notice of these events, such as `no-progress`. */
  on(handler: (notice: Notice) => unknown, ...events: [NoticeEvent, ...NoticeEvent[]]): this {
    const wrong = events.find((event) => !EVENTS.includes(event));
    if (wrong !== undefined || !events.length) throw new InvalidCall("BADARG", `no notice has the event ${shown(wrong)}: ${EVENTS.join(", ")}.`);
    this.#handlers.push([handler, events]);
    return this;
  }

  /** Returns the notice of a POST. Throws {@link Unverified} if it is not signed with a secret, or too old. */
  verify(headers: NoticeHeaders, body: string | Uint8Array): Notice {
    const header = (name: string): string => {
      const value = headers instanceof Headers ? headers.get(name) : headers[name];
      return typeof value === "string" ? value : "";
    };
    const [id, at, signatures] = [header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")];
    if (!id || !/^\d{1,15}$/.test(at) || !signatures) {
      throw new Unverified("the headers webhook-id, webhook-timestamp and webhook-signature are missing or wrong.");
    }
    const wanted = this.#keys.map((key) =>
      Buffer.from(`v1,${createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest("base64")}`));
    const given = signatures.split(" ").map((each) => Buffer.from(each));
    if (!wanted.some((one) => given.some((other) => one.length === other.length && timingSafeEqual(one, other)))) {
      throw new Unverified("no signature of the notice is made with this secret.");
    }
    if (Math.abs(this.#clock() - Number(at)) > TOLERANCE) {
      throw new Unverified(`the notice was sent more than ${TOLERANCE} s ago, or by a clock that is ahead.`);
    }
    return { id, ...(JSON.parse(Buffer.from(body as string).toString()) as Omit<Notice, "id">) };
  }

  /**
   * Verifies a POST, calls the handlers one after another, and returns the notice. If a handler throws, answer with an
   * error: the notice is delivered again.
   */
  async receive(headers: NoticeHeaders, body: string | Uint8Array): Promise<Notice> {
    const notice = this.verify(headers, body);
    const event = notice.type.slice(notice.type.indexOf(".") + 1);
    for (const [handler, events] of this.#handlers) {
      if (events.includes(event)) await handler(notice);
    }
    return notice;
  }
}

// Names that a call does not have: the error names what the caller may have meant.

/** Names in other queues, and what they are called here; the first of these names that a call has. */
const MEANT: Readonly<Record<string, string>> = {
  attempts: "maxFailures", retries: "maxFailures", maxRetries: "maxFailures", maxAttempts: "maxFailures",
  retryDelay: "delay", backoffDelay: "delay", retryBackoff: "backoff", backoffStrategy: "retry",
  jobId: "id", taskId: "id", startAt: "eta", runAt: "eta", countdown: "eta", timestamp: "eta",
  timeout: "timeLimit maxRun", jobTimeout: "timeLimit maxRun", expires: "deadline", ttl: "deadline",
  deduplication: "unique", debounce: "unique", throttle: "unique", dedup: "unique",
  parent: "afterSuccess", dependsOn: "afterSuccess", lifo: "priority",
  sizeLimit: "maxBytes", keepLogs: "logBytes", removeOnComplete: "retain", removeOnFail: "retain",
  concurrency: "slots", lockDuration: "lease", maxStalledCount: "maxLosses", prefix: "namespace", connection: "server",
  pattern: "cron", tz: "zone", timezone: "zone", limit: "times", endDate: "end", startDate: "start", repeat: "every",
  limiter: "rate", rateLimit: "rate", state: "status", lastEventId: "after",
};

/** Options that only the submit of a single task has. */
const ALONE = ["id", "eta", "unique", "again"];
/** Options of a submit. */
const OF_A_SUBMIT = [...ALONE, "maxFailures", "backoff", "delay", "maxDelay", "jitter", "priority", "deadline"];
/** Options that the clients set. */
const OWN = ["by", "inputs", "request"];
/** Options that a method of the client has and the command of the contract does not. */
export const MORE: Readonly<Record<string, readonly string[]>> = {
  submit: ["id", "eta", "unique", "again"],
  submit_unique: ["id", "eta", "unique", "again"],
  submit_again: ["id", "eta", "unique", "again"],
  schedule: ["every", "offset", "cron", "zone"],
};

/** The name of an option or a setting of the contract in this language. */
export const camel = (name: string): string => name.replace(/[_.]+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The number of letters to change, add or leave out. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let to = 0; to < other.length; to += 1) {
      const changed = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1);
      next.push(Math.min(changed, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Returns the known name that the caller may have meant. */
export function near(name: string, known: readonly string[]): string | undefined {
  const own = camel(name);
  const meant = MEANT[own]?.split(" ").find((each) => known.includes(each));
  if (meant !== undefined) return meant;
  if (own.length > 3) {
    const longer = known.find((each) => each.startsWith(own));
    if (longer !== undefined) return longer;
  }
  const sorted = known.map((each) => [distance(own.toLowerCase(), each.toLowerCase()), each] as const).sort(([a], [b]) => a - b);
  const [least, found] = sorted[0] ?? [Infinity];
  return least <= Math.floor(own.length / 3) ? found : undefined;
}

/** The end of an error about unknown names: the names that are alike, or all names. */
export function perhaps(wrong: readonly string[], known: readonly string[]): string {
  const listed = (names: readonly (string | undefined)[]): string =>
    [...new Set(names)].filter((name) => name !== undefined).map((name) => `\`${name}\``).join(", ");
  const found = wrong.every((name) => ALONE.includes(name)) ? "" : listed(wrong.map((name) => near(name, known)));
  if (found) return `: did you mean ${found}?`;
  const submits = listed(wrong.map((name) => OF_A_SUBMIT.includes(name) ? name : near(name, OF_A_SUBMIT)));
  if (submits) return `: ${submits} is an option of a submit.`;
  return `; there are ${known.filter((name) => !OWN.includes(name)).join(", ")}.`;
}

/** Hides methods of other queues in a class: a call of such a method throws the right call. */
export function hint(of: { prototype: object }, what: string, names: Readonly<Record<string, string>>, error: (text: string) => Error): void {
  for (const [each, use] of Object.entries(names)) {
    for (const name of each.split(" ")) {
      Object.defineProperty(of.prototype, name, {
        configurable: true,
        writable: true,
        value: () => { throw error(`${what} has no \`${name}\`: use \`${use}\`.`); },
      });
    }
  }
}

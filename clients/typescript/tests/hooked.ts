// Handlers and hooks in a file, for hooks.test.
import { appendFileSync } from "node:fs";
import { Failure, type Hooks } from "@blueque/client";

const note = (line: string): void => { appendFileSync(process.env["HOOKED"] ?? "", `${line}\n`); };

export default {
  double: (number: number): number => 2 * number,
  breaks: (): never => { throw new RangeError("no such film"); },
  judged: (): string => "good",
};

export const hooks: Hooks = {
  async aroundAttempt({ method }, next) {
    note(`enter ${method ?? ""}`);
    await next().finally(() => { note(`leave ${method ?? ""}`); });
    throw new Error("the hook is broken");
  },
  beforeAttempt: ({ method }) => {
    note(`before ${method ?? ""}`);
    throw new Error("the hook is broken");
  },
  afterAttempt: ({ method }, error) => {
    note(`after ${method ?? ""} ${error instanceof Error ? error.name : "good"}`);
    if (method === "judged") throw new Failure("the judge says no", { permanent: true });
  },
  onProcessStart: () => { note("process start"); },
  onProcessStop: () => { note("process stop"); },
};

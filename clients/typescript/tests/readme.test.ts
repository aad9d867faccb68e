// The examples of the README, as a reader's program would have them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

/** What the reader's program has around the examples. */
const PROGRAM = `
  import * as blueque from "@blueque/client";
  declare global {
    const { Client, Graph, WorkItem, WorkQueue, Worker, localContext, taskType }: typeof blueque;
    type Hooks = blueque.Hooks;
    interface Film { path: string; height?: number }
    class NotThere extends Error {}
    const client: blueque.Client, context: blueque.Context, url: string;
    const transcode: (film: Film, context: blueque.Context) => Promise<string>, fetchFilm: (film: Film) => Promise<void>;
    const encode: (given: [string, number]) => string, handlers: { encode: typeof encode };
    const split: blueque.TaskType<[string], string[]>, pick: blueque.TaskType<[string[], number], string>;
    const join: blueque.TaskType<string[], string>, report: blueque.TaskType<[string], void>, tidy: blueque.TaskType<[], void>;
    const tenant: { getStore(): string };
    const tracker: { withScope(scope: object, next: () => Promise<void>): Promise<void>; capture(text: string): void };
    function pino(options: object, to: { write(line: string): void }): { child(fields: object): { info(about: object, text: string): void } };
  }`;

test("the types of all examples of the README are right", () => {
  const page = readFileSync(join(PACKAGE, "README.md"), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "blueque-readme-"));
  try {
    mkdirSync(join(folder, "node_modules", "@blueque"), { recursive: true });
    symlinkSync(PACKAGE, join(folder, "node_modules/@blueque/client"));
    symlinkSync(join(PACKAGE, "node_modules/@types"), join(folder, "node_modules/@types"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "program.ts"), PROGRAM);
    const files = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, block = ""], at) => {
      writeFileSync(join(folder, `example${at}.ts`), `${block}export {};\n`);
      return `example${at}.ts`;
    });
    assert.ok(files.length > 7);
    const settings = ["--ignoreConfig", "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2024,esnext.disposable", "--types", "node", "--skipLibCheck"];
    const made = spawnSync(process.execPath, [join(PACKAGE, "node_modules/typescript/bin/tsc"), ...settings, "program.ts", ...files], { cwd: folder, encoding: "utf8" });
    assert.equal(made.stdout, "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

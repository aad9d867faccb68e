// The program of tests/conformance/program.py: calls of the bundle through the generated calls.
import { createInterface } from "node:readline";
import { type Argument, BluequeError, Call, type Reply, calls } from "@blueque/client";
import { RESP_TYPES, createClient } from "redis";
import { Connection } from "../dist/connection.js";
import { Link } from "../dist/link.js";
import { Json } from "../dist/payload.js";

interface Request {
  readonly words?: string[];
  readonly call: string;
  readonly namespace: string;
  readonly now: string;
  readonly arguments: Record<string, string>;
  readonly each: Record<string, string>[];
  readonly options: Record<string, string>;
}
type Function = (...given: unknown[]) => Call<unknown>;
interface Manifest {
  readonly commands: Record<
    string,
    {
      readonly args: { readonly name: string }[];
      readonly group?: { readonly args: { readonly name: string }[] };
      readonly options: unknown[];
      readonly reply: { readonly with?: Record<string, unknown> };
    }
  >;
}

const { readFileSync } = await import("node:fs");
const bundle = process.env["BLUEQUE_BUNDLE"] ?? "";
const manifest = JSON.parse(readFileSync(`${bundle}/manifest.json`, "utf8")) as Manifest;
const server = createClient({ RESP: 2, socket: { path: new URL(process.env["BLUEQUE_URL"] ?? "").pathname, tls: false } });
const connection = new Connection(server);
const raw = server.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });

const bytes = (text: string): Buffer => Buffer.from(text, "base64");
const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const named = (given: Record<string, string>): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [camel(name), bytes(value)]));

function encoded(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return { bytes: value.toString("base64") };
  if (Array.isArray(value)) return value.map(encoded);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, encoded(each)]));
}

/** Encodes the server's own replies: simple strings are strings. */
function replied(reply: unknown): unknown {
  if (typeof reply === "string") return { bytes: Buffer.from(reply).toString("base64") };
  return Array.isArray(reply) ? reply.map(replied) : encoded(reply);
}

function made(request: Request): Call<unknown> {
  const entry = manifest.commands[request.call];
  if (!entry) throw new Error(request.call);
  const other = Object.keys(entry.reply.with ?? {}).find((option) => option in request.options);
  const name = camel(other ? `${request.call}_${other}` : request.call);
  const given: unknown[] = Object.values(named(request.arguments));
  if (entry.group) {
    const each = request.each.map(named);
    given.push(entry.group.args.length > 1 ? each : each.map((one) => Object.values(one)[0]));
  }
  if (entry.options.length) given.push(named(request.options));
  const call = (calls as unknown as Record<string, Function>)[name]?.(...given);
  if (!call) throw new Error(name);
  return request.now ? call.at(bytes(request.now) as unknown as number) : call;
}

async function answer(request: Request): Promise<unknown> {
  if (request.words) {
    try {
      return { reply: replied(await raw.sendCommand(request.words.map(bytes))) };
    } catch (error) {
      return { error: (error as Error).message };
    }
  }
  const call = made(request);
  let kept: Reply = null;
  const read = (reply: Reply): unknown => {
    kept = reply;
    return call.read(reply);
  };
  const link = new Link(connection, request.namespace, 0, undefined, new Json(), undefined);
  try {
    const found = await link.run(new Call(call.command, call.sent, read, false));
    const sent = call.sent.map((word: Argument) => Buffer.from(word as string).toString("base64"));
    return { reply: replied(kept), sent, read: encoded(found) };
  } catch (error) {
    if (!(error instanceof BluequeError) || !(error.cause instanceof Error)) throw error;
    return { error: error.cause.message, code: error.code, remedy: error.remedy };
  }
}

await server.connect();
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line) as Request))}\n`);
}
connection.close();

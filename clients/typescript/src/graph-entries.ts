// A graph in the form of the calls that submit it: the entries of its tasks, their digest, and their batches.
import { createHash } from "node:crypto";
import { LEAST, batches } from "./batches.js";
import type * as calls from "./calls.js";
import { InvalidCall, PayloadError } from "./errors.js";
import { type Graph, type GraphOptions, Node, type NodeOptions, Optional, idOf, isUpstream } from "./graph.js";
import type { Serializer } from "./payload.js";
import { Task } from "./task.js";
import { type Bytes, type Names, option, written } from "./wire.js";

/** The tasks of a graph in the form of its calls, with more tags. The digest is that without them. */
export function callsOf(graph: Graph, serializer: Serializer, tags: Names = []):
  { total: number; bounds: string | undefined; digest: string; batches: calls.SubmitGraphEach[][] } {
  const { nodes } = graph;
  // The bound of a group is a limit of its key.
  const keys = new Map(graph.bounds.flatMap(([group]) => group.map((node) => [node, group[0]?.id])));
  const bounds = graph.bounds.map(([[first], most]) => `${first?.queue ?? ""}/${first?.id ?? ""}=${most}`).join(" ") || undefined;
  const each = nodes.map((node) => entry(node, node.options, keys.get(node), serializer));
  const tagged = !tags.length ? each : nodes.map((node) => {
    const all = [node.options.tags ?? [], tags].flat();
    return entry(node, { ...node.options, tags: all }, keys.get(node), serializer);
  });
  return { total: each.length, bounds, digest: digest(graph.options, bounds, each), batches: batches(tagged) };
}

/** Options that a client adds on its own, and that may differ in a repeated submit. */
const ADDED = ["trace", "submitter"];

/** The digest of a graph and all its tasks, as the contract defines it. */
function digest({ name, onFailure, tags, deadline, notify }: GraphOptions, bounds: string | undefined, each: readonly calls.SubmitGraphEach[]): string {
  const part = (data: Bytes | string): Buffer => {
    const bytes = Buffer.from(data as string);
    return Buffer.concat([Buffer.from(`${bytes.length}:`), bytes, Buffer.from(",")]);
  };
  const sorted = (options: [string, string][]): Buffer =>
    // Only the presence of a deadline counts, because times are often relative to the submit.
    Buffer.concat(options.filter(([name]) => !ADDED.includes(name)).sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, value]) => [part(name), part(name === "deadline" ? "1" : value)]));
  const own = Object.entries({ name, on_failure: onFailure, tags, deadline, notify, bounds })
    .filter(([, value]) => value !== undefined);
  const hash = createHash("sha1").update(part(sorted(own.map(([name, value]) => [name, String(written(value))]))));
  for (const one of each) {
    const inputs = one.inputs.split(" ").sort().join(" ");
    const options = one.options.split(" ").filter(Boolean).map((entry): [string, string] => {
      const [name = "", value = ""] = entry.split("=");
      return [name, decodeURIComponent(value)];
    });
    for (const data of [one.id, one.queue, one.eta == null ? "" : "1", one.parameters, inputs]) hash.update(part(data));
    hash.update(part(sorted(options)));
  }
  return hash.digest("hex");
}

/** `key`: the key of the bound of its group. */
function entry(node: Node, given: NodeOptions, key: string | undefined, serializer: Serializer): calls.SubmitGraphEach {
  const { eta = null, afterSuccess = [], after = [], afterFailure = [], atLeast, ...own } = given;
  const more = key === undefined ? own : { ...own, key };
  const inputs = Object.entries({ success: afterSuccess, after, failure: afterFailure })
    .flatMap(([kind, upstreams]) => upstreams.map((each) => `${kind}=${idOf(each)}`));
  const options = (Object.entries(more) as [string, unknown][])
    .filter(([name, value]) => name !== "id" && value !== undefined)
    .map(([name, value]) => `${snake(name)}=${encodeURIComponent(String(option(snake(name), value)))}`)
    .join(" ");
  const least = new Set(atLeast?.of.map(idOf));
  const received = new Set<string>();
  let parameters: Bytes;
  const list: readonly unknown[] = Array.isArray(node.parameters) ? node.parameters : [];
  if (list.some(isUpstream)) {
    const values: Buffer[] = [];
    list.forEach((value, at) => {
      if (value instanceof Optional) inputs.push(`optional/${at}=${idOf(value.what)}`);
      else if (value instanceof Node || value instanceof Task) {
        inputs.push(`${least.has(value.id) ? "some" : "result"}/${at}=${value.id}`);
        received.add(value.id);
      } else {
        const data = Buffer.from(dumped(serializer, value) as string);
        inputs.push(`value/${at}=${data.length}`);
        values.push(data);
      }
    });
    parameters = Buffer.concat(values);
  } else parameters = dumped(serializer, node.parameters);
  for (const id of least) if (!received.has(id)) inputs.push(`some=${id}`);
  if (atLeast) inputs.push(`${LEAST}${atLeast.count}`);
  return { id: node.id, queue: node.queue, eta, parameters, inputs: inputs.join(" "), options };
}

function dumped(serializer: Serializer, value: unknown): Bytes {
  try {
    return serializer.dumps(value);
  } catch (error) {
    if (!(error instanceof PayloadError) || !/of the class (Node|Group|Optional|Task)\b/.test(error.detail)) throw error;
    throw new InvalidCall("BADARG", "a node is within another parameter. Results are parameters of their own: pass `...nodes` in the list of the parameters.", error);
  }
}

/** The name of an option in the contract. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

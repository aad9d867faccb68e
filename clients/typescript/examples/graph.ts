// A graph: two parts are encoded side by side, then joined. Results become parameters of later tasks.
import { Graph, Worker, taskType } from "@blueque/client";
import { Server } from "@blueque/client/testing";

const handlers = {
  split: ([film]: [string]): string[] => [`${film}.1`, `${film}.2`],
  encode: ([parts, number]: [string[], number]): string => `${parts[number] ?? ""}.mp4`,
  join: (parts: string[]): string => parts.join("+"),
};
const split = taskType<typeof handlers.split>("split");
const encode = taskType<typeof handlers.encode>("encode");
const join = taskType<typeof handlers.join>("join");

await using server = new Server();
await using client = server.client();
await using worker = new Worker(client, ["split", "encode", "join"], handlers, { slots: 2 });
void worker.run();
const graph = new Graph({ name: "film" });
const parts = graph.add(split, ["a"]);
const film = graph.group(parts.andThen(encode, [0]), parts.andThen(encode, [1])).andThen(join);
const handle = await client.submitGraph(graph);
await handle.wait({ timeout: 60 });
console.log(await handle.task(film).result());

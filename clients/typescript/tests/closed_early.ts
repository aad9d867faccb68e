// A server names a node on which no process listens. A process that closes its client then still ends.
// closed_early.js KIND
import { type AddressInfo, createServer } from "node:net";
import { Client } from "@blueque/client";

const NODE = "*2\r\n$9\r\n127.0.0.1\r\n:1\r\n";
const REPLIES: Record<string, string> = {
  SETINFO: "+OK\r\n",
  SLOTS: `*1\r\n*3\r\n:0\r\n:16383\r\n${NODE}`,
  "get-master-addr-by-name": "*2\r\n$9\r\n127.0.0.1\r\n$1\r\n1\r\n",
};

const kind = process.argv[2] ?? "";
const server = createServer((end) => {
  end.unref().on("error", () => undefined);
  end.on("data", (data) => {
    for (const command of data.toString().split(/^\*\d+\r\n/m).slice(1)) {
      const asked = Object.keys(REPLIES).find((word) => command.toLowerCase().includes(word.toLowerCase()));
      if (asked !== undefined) void client.close();
      end.write(asked === undefined ? "+OK\r\n" : (REPLIES[asked] ?? ""));
    }
  });
}).unref();
server.listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));
const { port } = server.address() as AddressInfo;
const client = new Client(`redis${kind}://127.0.0.1:${port}${kind === "+sentinel" ? "/films" : ""}`);
await client.check().then(
  () => undefined,
  (error: unknown) => {
    console.log(String(error));
  },
);

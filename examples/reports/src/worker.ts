// The worker: `npm run worker`. SIGTERM ends it when its tasks have ended.
import { Client, Worker } from "@blueque/client";
import { QUEUE, handlers } from "./tasks.js";

const client = new Client();
await new Worker(client, QUEUE, handlers(client), { slots: 8 }).run();
await client.close();

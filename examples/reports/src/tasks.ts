// The work: the sales of each shop are collected at the same time, and written into one file for the month.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, type Context, Graph, task, taskType } from "@blueque/client";

/** The folder of the reports, which all workers share. */
const FOLDER = process.env.REPORTS_FOLDER ?? "files";
/** The site with the orders of the shops. */
const SHOPS = process.env.SHOPS_URL ?? "http://127.0.0.1:9000";

export interface Sales { readonly shop: string; readonly orders: number; readonly cents: number }
interface Page { readonly pages: number; readonly cents: readonly number[] }

class NoSuchShop extends Error { override readonly name = "NoSuchShop" }
class Busy extends Error { override readonly name = "Busy" }

/** Reads the orders of a shop page by page. The checkpoint holds the sums so far, so no page is read twice. */
async function collect([shop, month]: [shop: string, month: string], context: Context): Promise<Sales> {
  let { page, orders, cents } = context.lastCheckpoint<{ page: number; orders: number; cents: number }>() ?? { page: 0, orders: 0, cents: 0 };
  for (let pages = page + 1; page < pages; ) {
    const answer = await fetch(`${SHOPS}/${shop}/${month}?page=${page}`, { signal: context.signal });
    if (answer.status === 404) throw new NoSuchShop(`${SHOPS} has no shop ${shop}`);
    if (!answer.ok) throw new Busy(`${SHOPS} answers ${answer.status}`);
    const read = await answer.json() as Page;
    pages = read.pages;
    page += 1;
    orders += read.cents.length;
    cents = read.cents.reduce((sum, each) => sum + each, cents);
    await context.checkpoint({ page, orders, cents });
    await context.progress(page, pages, "pages");
  }
  return { shop, orders, cents };
}

/** The rename publishes the whole report: no reader sees half of it. */
async function write(name: string, text: string): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  const file = join(FOLDER, name);
  await writeFile(`${file}.part`, text);
  await rename(`${file}.part`, file);
  return file;
}

function publish([month, ...sales]: [month: string, ...sales: Sales[]]): Promise<string> {
  const lines = sales.map(({ shop, orders, cents }) => `${shop},${orders},${(cents / 100).toFixed(2)}`);
  return write(`${month}.csv`, ["shop,orders,sales", ...lines, ""].join("\n"));
}

/** Runs only if a report has failed or was cancelled. */
function warn([month]: [month: string]): Promise<string> {
  return write(`${month}.missing`, "");
}

/** The queue of all tasks. */
export const QUEUE = "reports";
const collecting = taskType<typeof collect>(QUEUE, { method: "collect", maxFailures: 5, delay: 10, lease: 60 });
const publishing = taskType<typeof publish>(QUEUE, { method: "publish", maxFailures: 3 });
const warning = taskType<typeof warn>(QUEUE, { method: "warn" });

/** The id of the last task of a report. */
export const published = (month: string): string => `report-${month}-publish`;

/** A report as a graph, with an id of its own: if it is submitted again, nothing changes. */
export function report(month: string, shops: readonly string[]): Graph {
  const graph = new Graph({ id: `report-${month}`, name: month });
  const sales = shops.map((shop) => graph.add(collecting, [shop, month], { label: shop }));
  const file = graph.add(publishing, [month, ...sales], { id: published(month), label: "publish" });
  file.onFailure(warning, [month], { label: "warn" });
  return graph;
}

/** The handlers of a worker. The client submits what `monthly`, the task of the schedule, creates. */
export const handlers = (client: Client, now = Date.now) => ({
  collect: task(collect, { retryFor: [Busy, TypeError], permanentFor: NoSuchShop, timeLimit: 3600, noProgress: 300 }),
  publish,
  warn,
  async monthly(shops: string[]): Promise<string> {
    const month = new Date(now());
    month.setUTCDate(0); // the last day of the month before
    return (await client.submitGraph(report(month.toISOString().slice(0, 7), shops))).id;
  },
});

// Programs that bundlers have put into one file, which holds everything: node bundlers.mjs PACKAGE [BUNDLER…]
// Installs the package and each bundler into an empty folder, and runs the file in another one, without node_modules.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const PROGRAM = `
import { Client, Worker } from "@blueque/client";
async function main() {
  const client = new Client(process.env.BLUEQUE_URL);
  const worker = new Worker(client, "q", (number) => 2 * number, { signals: false, log: () => {} });
  const running = worker.run();
  const task = await client.queue("q").submit(21);
  console.log(await task.result({ timeout: 60 }));
  worker.stop();
  await running;
  await client.close();
}
main();
`;
const SEA = { main: "out/program.cjs", output: "out/program.blob", disableExperimentalSEAWarning: true };
const WEBPACK = `export default {
  mode: "production", target: "node", entry: "./program.mjs", output: { path: import.meta.dirname + "/out", filename: "program.cjs" },
};`;
const VITE = `export default {
  build: { ssr: "program.mjs", outDir: "out", rollupOptions: { output: { entryFileNames: "program.mjs" } } },
  ssr: { noExternal: true }, logLevel: "error",
};`;
const ESBUILD = ["esbuild", "program.mjs", "--bundle", "--minify", "--platform=node", "--log-level=error"];

/** The packages of each bundler, its commands, and what runs then. */
const BUNDLERS = {
  esbuild: { packages: ["esbuild"], commands: [[...ESBUILD, "--format=cjs", "--outfile=out/program.cjs"]] },
  webpack: { packages: ["webpack", "webpack-cli"], commands: [["webpack"]] },
  vite: { packages: ["vite"], commands: [["vite", "build"]] },
  bun: { packages: ["bun"], commands: [["bun", "build", "program.mjs", "--target=node", "--outfile=out/program.mjs"]] },
  // One executable file, with Node.js in it.
  sea: {
    packages: ["esbuild", "postject"],
    commands: [
      [...ESBUILD, "--format=cjs", "--outfile=out/program.cjs"],
      [process.execPath, "--experimental-sea-config", "sea.json"],
      ["cp", process.execPath, "out/program"],
      ["postject", "out/program", "NODE_SEA_BLOB", "out/program.blob", "--sentinel-fuse", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"],
    ],
    program: "program",
  },
};

/** Runs a command, and returns its output. */
function run([program, ...words], cwd, environment = {}) {
  const own = join(cwd, "node_modules", ".bin");
  const env = { ...process.env, ...environment, PATH: `${own}:${process.env.PATH}` };
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd, env, encoding: "utf8", timeout: 300_000 });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")}: ${error ?? `${stdout}${stderr}`}`);
  return stdout;
}

const [, , file, ...asked] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "blueque-bundlers-"));
let server;
try {
  const base = join(folder, "base");
  mkdirSync(base);
  const install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", "."];
  run([...install, resolve(file)], base);
  const { Server } = await import(pathToFileURL(join(base, "node_modules/@blueque/client/dist/testing.js")).href);
  for (const name of asked.length ? asked : Object.keys(BUNDLERS)) {
    const { packages, commands, program } = BUNDLERS[name];
    const [place, empty] = [join(folder, name), join(folder, `${name}-alone`)];
    mkdirSync(join(place, "out"), { recursive: true });
    mkdirSync(empty);
    run([...install, resolve(file), ...packages], place);
    writeFileSync(join(place, "program.mjs"), PROGRAM);
    writeFileSync(join(place, "webpack.config.mjs"), WEBPACK);
    writeFileSync(join(place, "vite.config.mjs"), VITE);
    writeFileSync(join(place, "sea.json"), JSON.stringify(SEA));
    for (const command of commands) run(command, place);
    const made = program ?? readdirSync(join(place, "out")).find((each) => each.startsWith("program."));
    copyFileSync(join(place, "out", made), join(empty, made));
    server = new Server(); // it has none of the scripts
    const said = run(program ? [join(empty, made)] : [process.execPath, made], empty, { BLUEQUE_URL: server.url });
    await server.kill();
    rmSync(server.folder, { recursive: true, force: true });
    server = undefined;
    if (said !== "42\n") throw new Error(`${name}: ${said}`);
    console.log(`${name}: ${made}`);
  }
} finally {
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
}

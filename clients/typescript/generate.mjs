// Generates parts of @blueque/client, which are kept in git: node generate.mjs [--check] BUNDLE_DIRECTORY
// With --check it writes nothing, and fails if a file differs.
//
// - src/contract.ts: types, states, errors and settings of the manifest;
// - src/calls.ts: a function for each command of the bundle, and types of its options and its reply;
// - src/scripts.ts: the scripts as one text, in which each piece stands once, and their digests.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const HEAD = (what) => `// ${what}\n// Made by generate.mjs from the bundle's manifest; do not edit.\n\n`;

// Types of passed values, by the contract's type and form; then types of read values, by form.
const NAMES = ["tags", "steps", "needs", "has", "names", "queues", "queues_or_none", "methods"];
const GIVEN_TYPES = {
  time: "Time",
  time_or_none: "Time | null",
  delay_or_none: "Seconds | null",
  name_or_none: "string | null",
  unique_until: "string | Seconds",
  weights: "string | readonly number[]",
  ...Object.fromEntries(NAMES.map((name) => [name, "Names"])),
};
const GIVEN = {
  text: "string",
  words: "Names",
  flag: "boolean",
  whole: "number",
  seconds: "Seconds",
  decimal: "number",
  bytes: "Bytes",
};
const READ = {
  text: "string",
  words: "string[]",
  flag: "boolean",
  whole: "number",
  seconds: "number",
  decimal: "number",
  bytes: "Buffer",
};
// Words of the language that cannot name a function or a parameter.
const RESERVED = new Set(["delete", "default", "new", "in", "with"]);

const text = (value) => JSON.stringify(value);
const union = (words) => words.map(text).join(" | ");
const array = (type) => (type.includes(" | ") ? `(${type})[]` : `${type}[]`);

/** The name of an argument, an option or a field as it is written here. */
export function camel(name) {
  return name.replace(/\.?\*$/, "").replace(/[_.]+([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}

const pascal = (name) => camel(name).replace(/^./, (letter) => letter.toUpperCase());
const variable = (name) => (RESERVED.has(camel(name)) ? `${camel(name)}_` : camel(name));

/** A comment, wrapped. */
function doc(indent, ...lines) {
  const wrapped = [];
  for (const line of lines) {
    let at = "";
    for (const word of line.replaceAll("*/", "* /").replace(/@(?!param )(?=\w)/g, "\\@").split(" ")) {
      if (at && at.length + word.length > 110 - indent.length) {
        wrapped.push(at);
        at = "  ";
      }
      at += at.trim() ? ` ${word}` : word;
    }
    wrapped.push(at);
  }
  if (wrapped.length === 1) return `${indent}/** ${wrapped[0]} */\n`;
  return `${indent}/**\n${wrapped.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

class Generator {
  constructor(manifest) {
    this.manifest = manifest;
    this.types = manifest.types;
  }

  // The contract

  contract() {
    const { types, states, errors, settings, constants, version, schema } = this.manifest;
    const out = [HEAD("The contract as data: types, states, errors, settings.")];
    out.push(doc("", "The version of the bundle."), `export const VERSION = ${text(version)};\n\n`);
    out.push(doc("", "The schema of the data."), `export const SCHEMA = ${schema};\n`);
    for (const [name, of] of Object.entries(types)) {
      if (of.form !== "word" && of.form !== "words") continue;
      const means = Object.entries(of.meanings ?? {}).map(([word, what]) => `- \`${word}\`: ${what}`);
      out.push("\n", doc("", of.means, ...means), `export type ${pascal(name)} = ${union(of.words)};\n`);
    }
    out.push("\n", doc("", "What a state of a task is."));
    out.push("export interface StateAbout {\n  readonly waits: boolean;\n  readonly owned: boolean;\n");
    out.push("  readonly final: boolean;\n  readonly means: string;\n}\n\n");
    out.push(doc("", "The states of a task."), "export const STATES: Readonly<Record<string, StateAbout>> = {\n");
    for (const [name, of] of Object.entries(states)) {
      const flags = ["waits", "owned", "final"].map((flag) => `${flag}: ${of[flag] ?? false}`).join(", ");
      out.push(`  ${text(name)}: { ${flags}, means: ${text(of.means)} },\n`);
    }
    out.push("};\n\n", doc("", "What an error means, what to do, and whether the same call may succeed later."));
    out.push("export interface ErrorAbout {\n  readonly kind: string;\n  readonly means: string;\n");
    out.push("  readonly act: string;\n  readonly repeat: boolean;\n}\n\n");
    out.push(doc("", "The errors by their codes."), "export const ERRORS: Readonly<Record<string, ErrorAbout>> = {\n");
    for (const [name, of] of Object.entries(errors)) {
      const about = { kind: of.kind, means: of.means, act: of.act, repeat: of.repeat ?? false };
      out.push(`  ${text(name)}: ${text(about)},\n`);
    }
    out.push("};\n\n");
    for (const [name, { value, unit, means }] of Object.entries(constants)) {
      const number = unit === "milliseconds" ? value / 1000 : value;
      out.push(doc("", means), `export const ${name.toUpperCase()} = ${number};\n\n`);
    }
    out.push(doc("", "The parts of the sentence for `why`: alternatives of conditions and a text."));
    out.push("export const SENTENCES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {\n");
    for (const [name, alternatives] of Object.entries(this.manifest.sentences)) {
      const each = alternatives.map(([when, words]) => `    [${text(when)}, ${text(words)}],\n`);
      out.push(`  ${text(name)}: [\n${each.join("")}  ],\n`);
    }
    out.push("};\n\n");
    const lines = Object.entries(settings).map(
      ([name, of]) => `- \`${name}\`: ${of.means} Default: ${of.default || "no limit"}.`,
    );
    out.push(doc("", "The settings of a queue, or of all (`*`).", ...lines));
    out.push(`export const SETTINGS = ${text(Object.keys(settings))} as const;\n`);
    out.push(doc("", "The name of a setting."), "export type Setting = (typeof SETTINGS)[number];\n");
    return out.join("");
  }

  // Types

  given(name) {
    const of = this.types[name];
    return of.form === "word" ? `contract.${pascal(name)}` : (GIVEN_TYPES[name] ?? GIVEN[of.form]);
  }

  got(field, absent = false) {
    const of = field.type && this.types[field.type];
    const parts = [];
    if (of) parts.push(of.form === "word" ? `contract.${pascal(field.type)}` : READ[of.form]);
    if (field.words) parts.push(union(field.words));
    if (field.name.endsWith("*")) return `Record<string, ${parts.join(" | ")}>`;
    if (absent || field.nil || field.empty || field.absent) parts.push("null");
    return parts.join(" | ");
  }

  field(field) {
    const parts = [`name: ${text(field.name)}`, `property: ${text(camel(field.name))}`];
    if (field.type) parts.push(`type: T.${camel(field.type)}`);
    if (field.words) parts.push(`words: ${text(field.words)}`);
    for (const word of ["nil", "empty", "absent"]) if (field[word]) parts.push(`${word}: true`);
    return `{ ${parts.join(", ")} }`;
  }

  fields(fields) {
    return `[\n${fields.map((field) => `  ${this.field(field)},\n`).join("")}]`;
  }

  // Replies

  record(name, about, fields, absent = false, more = "") {
    const out = ["\n", doc("", about), `export interface ${name} {\n`];
    for (const field of fields) {
      out.push(doc("  ", field.means), `  readonly ${camel(field.name)}: ${this.got(field, absent)};\n`);
    }
    return `${out.join("")}${more}}\n`;
  }

  /** The declarations of a reply, its type, and its shape. */
  reply(name, about, shape) {
    const { nil, ...inner } = shape;
    if (nil && Object.keys(inner).length) {
      const { classes, typed, made } = this.reply(name, about, inner);
      return { classes, typed: `${typed} | null`, made: `wire.maybe(${made})` };
    }
    if (shape.words || shape.value) {
      const field = shape.value ?? { name: "reply", words: shape.words };
      return { classes: "", typed: this.got(field), made: `wire.single(${this.field(field)})` };
    }
    const [reply, item] = [`${pascal(name)}Reply`, `${pascal(name)}Item`];
    if (shape.pairs) {
      const extra = "  /** Fields of other programs and later versions. */\n  readonly extra: Record<string, Buffer>;\n";
      const record = this.record(reply, `What ${about} answers.`, shape.pairs, shape.absent, shape.open ? extra : "");
      const flags = text({ absent: shape.absent ?? false, open: shape.open ?? false });
      const made = `wire.pairs<${reply}>(${this.fields(shape.pairs)}, ${flags})`;
      if (!shape.begins) return { classes: record, typed: reply, made };
      return { classes: record, typed: `${reply}[]`, made: `wire.groups(${text(shape.begins)}, ${made})` };
    }
    const [items, fields] = [shape.items ?? [], shape.list ?? []];
    let [classes, one, made] = ["", "", ""];
    if (items.length) {
      one = items.length === 1 ? this.got(items[0]) : item;
      if (items.length > 1) classes = this.record(item, `One of what ${about} answers.`, items);
      made = items.length === 1 ? `wire.values<${one}>(${this.field(items[0])})` : `wire.rows<${item}>(${this.fields(items)})`;
      if (!fields.length) return { classes, typed: array(one), made };
    }
    const means = items.length === 1 ? items[0].means : "The entries.";
    const more = items.length ? `${doc("  ", means)}  readonly items: ${array(one)};\n` : "";
    classes += this.record(reply, `What ${about} answers.`, fields, false, more);
    return { classes, typed: reply, made: `wire.list<${reply}>(${this.fields(fields)}${made ? `, ${made}` : ""})` };
  }

  // Calls

  /** The function of a command, and one for each option that changes the shape of the reply and is required there. */
  command(name, entry) {
    const out = [];
    const { with: more = {}, ...base } = entry.reply;
    const others = Object.keys(more);
    if (entry.group?.args.length > 1) {
      out.push("\n", doc("", `One entry of a call of \`${name}\`.`), `export interface ${pascal(name)}Each {\n`);
      for (const arg of entry.group.args) {
        out.push(doc("  ", arg.means), `  readonly ${camel(arg.name)}: ${this.given(arg.type)};\n`);
      }
      out.push("}\n");
    }
    out.push(this.call(name, name, entry, base, null, others));
    others.forEach((option, at) => {
      out.push(this.call(`${name}_${option}`, name, entry, more[option], option, others.slice(0, at)));
    });
    return out.join("");
  }

  call(own, name, entry, shape, needed, without) {
    const about = `\`${name}\`${needed ? ` with \`${needed}\`` : ""}`;
    const { classes, typed, made } = this.reply(own, about, shape);
    const { group } = entry;
    const args = entry.args.filter((arg) => arg.name !== "now" && arg.name !== group?.count);
    const options = entry.options.filter((option) => !without.includes(option.name));
    const lines = args.map((arg) => `@param ${variable(arg.name)} ${arg.means}`);
    const parameters = args.map((arg) => `${variable(arg.name)}: ${this.given(arg.type)}`);
    const sent = Object.fromEntries(args.map((arg) => [arg.name, variable(arg.name)]));
    let many = "";
    if (group) {
      const single = group.args.length === 1;
      many = single ? `${variable(group.args[0].name)}s` : "each";
      const of = single ? this.given(group.args[0].type) : `${pascal(name)}Each`;
      parameters.push(`${many}: readonly ${array(of)}`);
      lines.push(`@param ${many} ${single ? group.args[0].means : "The entries."}`);
      sent[group.count] = `${many}.length`;
    }
    const listed = entry.args.filter((arg) => arg.name !== "now").map((arg) => sent[arg.name]);
    if (group) {
      const each = group.args.map((arg) => `one.${camel(arg.name)}`).join(", ");
      listed.push(many === "each" ? `...each.flatMap((one) => [${each}])` : `...${many}`);
    }
    const out = [classes];
    if (options.length) {
      const type = `${pascal(own)}Options`;
      out.push("\n", doc("", `The options of ${about}.`), `export interface ${type} {\n`);
      for (const option of options) {
        const stated = option.setting ? `the setting \`${option.setting}\`` : option.default;
        const must = option.name === needed;
        const means = stated && !must ? `${option.means} By default ${stated}.` : option.means;
        const of = `${this.given(option.type)}${must ? "" : " | undefined"}`;
        out.push(doc("  ", means), `  readonly ${camel(option.name)}${must ? "" : "?"}: ${of};\n`);
      }
      out.push("}\n");
      parameters.push(needed ? `options: ${type}` : `options: ${type} = {}`);
      lines.push("@param options Further options.");
    }
    lines.push("", `Errors: ${entry.errors.join(", ")}.`);
    const reply = entry.reply_text;
    lines.push(`Reply: ${reply[0].toUpperCase()}${reply.slice(1).replace(/\.$/, "")}.`);
    out.push(`\nconst ${shapeOf(own)}: Shape<${typed}> = ${made};\n\n`);
    out.push(doc("", entry.summary, "", ...lines));
    const fun = variable(own);
    out.push(`${fun === camel(own) ? "export " : ""}function ${fun}(${parameters.join(", ")}): Call<${typed}> {\n`);
    const given = options.map((option) => `    [${text(option.name)}, options.${camel(option.name)}],\n`).join("");
    out.push(`  return wire.call(${text(name)}, [${listed.join(", ")}], [\n${given}  ], ${shapeOf(own)}, ${entry.request}${options.length ? ", options" : ""});\n}\n`);
    if (fun !== camel(own)) out.push(`export { ${fun} as ${camel(own)} };\n`);
    return out.join("");
  }

  calls() {
    const body = Object.entries(this.manifest.commands).filter(([, entry]) => entry.reply !== null);
    const made = body.map(([name, entry]) => this.command(name, entry)).join("");
    const names = "Bytes Call Names Seconds Shape Time Type".split(" ").filter((name) => name === "Type" || made.includes(name));
    const out = [HEAD("A function for each command of the bundle, and types of its options and its reply.")];
    out.push('import type * as contract from "./contract.js";\n');
    out.push(`import type { ${names.join(", ")} } from "./wire.js";\n`);
    out.push('import * as wire from "./wire.js";\n\n');
    out.push("// The types of the contract.\nconst T = {\n");
    for (const [name, of] of Object.entries(this.types)) {
      const parts = { form: of.form, low: of.low, high: of.high, words: of.words };
      out.push(`  ${camel(name)}: ${text(parts)},\n`);
    }
    out.push("} satisfies Record<string, Type>;\n", made);
    return out.join("");
  }

  scripts(pieces) {
    const out = [HEAD("The scripts of all commands: part of the program, so that a bundler takes them along.")];
    out.push("/** The server's name of each script. */\nexport const DIGESTS = {\n");
    for (const [name, entry] of Object.entries(this.manifest.commands)) out.push(`  ${name}: ${text(entry.sha1)},\n`);
    out.push("} as const;\n\n/** A command of the bundle. */\nexport type Command = keyof typeof DIGESTS;\n\n");
    if (pieces.includes("${")) throw new Error("the scripts have ${, which begins an expression in a template");
    const quoted = pieces.replaceAll("`", "${TICK}");
    out.push('const TICK = "`";\n\n/** The text that `composer.ts` reads. */\n');
    out.push(`export const TEXT = String.raw\`${quoted}\`;\n`);
    return out.join("");
  }
}

const shapeOf = (name) => `${name.toUpperCase()}_REPLY`;

function main(bundle, check) {
  const generator = new Generator(JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8")));
  const files = {
    "contract.ts": generator.contract(),
    "calls.ts": generator.calls(),
    "scripts.ts": generator.scripts(readFileSync(join(bundle, "scripts.txt"), "utf8")),
  };
  const place = (name) => join(HERE, "src", name);
  const differs = (name) => !existsSync(place(name)) || readFileSync(place(name), "utf8") !== files[name];
  const stale = Object.keys(files).filter(differs);
  if (!check) for (const name of stale) writeFileSync(place(name), files[name]);
  else if (stale.length) {
    console.error(`out of date: ${stale.join(", ")}`);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [bundle, ...more] = process.argv.slice(2).filter((word) => word !== "--check");
  if (bundle === undefined || more.length) {
    console.error("generate.mjs [--check] BUNDLE_DIRECTORY");
    process.exit(2);
  }
  main(bundle, process.argv.includes("--check"));
}

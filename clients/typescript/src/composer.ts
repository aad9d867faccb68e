// Composes scripts from a text in which each piece stands once.
//
// `=== args.plain` begins a piece; a piece whose text depends on the command names these commands. `=== cancel` begins a
// script. A line `@args.next` stands for a hot piece, `@cold` for the function with all cold pieces that the script needs.
// `@{args.next}` is a reference to a piece.
import { type Command, TEXT } from "./scripts.js";

const REFERENCE = /@\{(\S+?)\}/g;
const HOT = /^@(\+?)(\S+\.\S+)\n/gm;

interface Section {
  /** The commands that have this text of the piece; none: all. */
  readonly commands: readonly string[];
  readonly text: string;
}

let sections: Map<string, Section[]> | undefined;
const scripts = new Map<Command, string>();

/** The scripts and the pieces, in the order of the text. */
function read(): Map<string, Section[]> {
  const found = new Map<string, Section[]>();
  const [, ...parts] = TEXT.split(/^=== /m);
  for (const part of parts) {
    const end = part.indexOf("\n");
    const [name = "", ...commands] = part.slice(0, end).split(" ");
    // An empty line ends each section.
    const section = { commands, text: part.slice(end + 1, -1) };
    found.set(name, [...(found.get(name) ?? []), section]);
  }
  return found;
}

/** The script of a command. */
export function compose(command: Command): string {
  const known = scripts.get(command);
  if (known !== undefined) return known;
  const all = (sections ??= read());
  const piece = (name: string): string =>
    all.get(name)?.find(({ commands }) => !commands.length || commands.includes(command))?.text ?? "";

  const outline = piece(command);
  const hot = new Set([...outline.matchAll(HOT)].map(([, , name = ""]) => name));
  const script = outline.replace(HOT, (_, declared: string, name: string) => `\n${declared ? "" : "local "}${piece(name)}`);
  const needed = new Set(hot);
  for (const rest = [script]; rest.length; ) {
    for (const [, name = ""] of rest.pop()?.matchAll(REFERENCE) ?? []) {
      if (!needed.has(name)) rest.push(piece(name));
      needed.add(name);
    }
  }
  const cold = [...all.keys()].filter((name) => needed.has(name) && !hot.has(name));
  const names = new Map(cold.map((name, index) => [name, `cold(${index + 1})`]));

  /** The code that finds one of these cold pieces. */
  const choice = (low: number, high: number): string => {
    const [name = "", middle] = [cold[low], low + Math.floor((high - low) / 2)];
    if (high - low === 1) return `-- ${low + 1} ${name}\nreturn function(${piece(name).replace(/^[^(]*\(/, "")}`;
    return `if number < ${middle + 1} then\n${choice(low, middle)}else\n${choice(middle, high)}end\n`;
  };
  const whole = script.replace("@cold\n", () => `\nfunction cold(number)\n${choice(0, cold.length)}end\n`);
  const composed = whole.replace(REFERENCE, (_, name: string) => names.get(name) ?? name.replace(".", "_"));
  scripts.set(command, composed);
  return composed;
}

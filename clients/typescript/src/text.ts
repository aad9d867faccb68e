// Text of other clients, made safe for a terminal and for a log with one line per message, like the command.

/** Escape sequences. Sequences for titles and links include their text. */
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])/g;
const BREAK = /\r\n|[\n\r\t\u2028\u2029]/g;
/** Control characters and invisible ones, except characters that shape emoji and letters. tests/hidden.json lists them. */
const HIDDEN = new RegExp(
  "[\\p{Cc}\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164" +
    "\\ufeff\\uffa0\\ufff0-\\ufffb\\u{13430}-\\u{1343f}\\u{13441}\\u{13442}\\u{16fe4}\\u{1bca0}-\\u{1bca3}\\u{1d159}\\u{1d173}-\\u{1d17a}" +
    "\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}]",
  "gu",
);

/** A text on one line, without escape sequences and invisible characters. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(SEQUENCE, "").replace(BREAK, " ").trimEnd().replace(HIDDEN, "");
}

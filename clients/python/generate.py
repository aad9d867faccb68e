#!/usr/bin/env python3
"""Generates parts of blueque_client, which are kept in git: generate.py [--check] BUNDLE_DIRECTORY

With --check it writes nothing, and fails if a file differs.

- `contract.py`: types, states, errors and settings of the manifest;
- `calls.py`: a function for each command of the bundle, which returns a call, and a class for each reply;
- `scripts.py`: the scripts as one text, in which each piece stands once, and their digests;
- `sync/`: the modules of `aio/` without `async` and `await`, so that both have one source."""

from __future__ import annotations

import json
import keyword
import pathlib
import re
import sys
import textwrap

PACKAGE = pathlib.Path(__file__).parent / "src" / "blueque_client"
WIDTH = 120
HEAD = '"""{}\n\nMade by generate.py from {}; do not edit."""\n\n'

# Types of passed values, by the contract's type and form; then types of read values, by form.
GIVEN_TYPES = {
    "time": "Time",
    "time_or_none": "Time | None",
    "delay_or_none": "Seconds | None",
    "name_or_none": "str | None",
    "unique_until": "str | Seconds",
    "weights": "str | Sequence[int]",
    **dict.fromkeys(("tags", "steps", "needs", "has", "names", "queues", "queues_or_none", "methods"), "Names"),
}
GIVEN = {
    "text": "str",
    "words": "Names",
    "flag": "bool",
    "whole": "int",
    "seconds": "Seconds",
    "decimal": "float",
    "bytes": "Bytes",
}
READ = {
    "text": "str",
    "words": "list[str]",
    "flag": "bool",
    "whole": "int",
    "seconds": "float",
    "decimal": "float",
    "bytes": "bytes",
}

# Fields of records that the client returns as values (V) and texts (T) in place of bytes.
OPENED = {
    "GetReply": {
        **dict.fromkeys(("parameters", "result", "progress", "checkpoint"), "V"),
        **dict.fromkeys(("error", "last_error", "cost"), "T"),
    },
    "LogsItem": {"text": "T"},
}

# Names of types in annotations. No other name may hide them.
TYPES = {"bool", "bytes", "dict", "float", "int", "list", "str"}

# Replacements that turn a module into its synchronous counterpart.
TWINS = [
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bredis\.asyncio\b", "redis"),
    (r"\bimport asyncio\b", "import time"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\b__aenter__\b", "__enter__"),
    (r"\b__aexit__\b", "__exit__"),
    (r"\b__aiter__\b", "__iter__"),
    (r"\baclose\b", "close"),
    (r"\bAsyncCluster\b", "Cluster"),
    (r"\basync_bounded\b", "bounded"),
]


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def python(name: str) -> str:
    """The name of an argument or an attribute."""
    name = name.rstrip("*").rstrip(".").replace(".", "_")
    return name + "_" if keyword.iskeyword(name) or name in TYPES else name


def doc(text: str, indent: str, *lines: str) -> str:
    """A docstring: a summary, then lines. Each line is a paragraph."""
    wrap = lambda line, more="": textwrap.fill(  # noqa: E731
        line.replace("\\", "\\\\"),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + more,
        break_on_hyphens=False,
    )
    parts = [wrap(f'"""{text}')]
    if lines:
        parts += ["", *(wrap(line, "  ") for line in lines)]
    if not lines and len(parts[0].splitlines()) == 1 and len(parts[0]) + 3 <= WIDTH:
        return parts[0] + '"""\n'
    return "\n".join(parts) + f'\n{indent}"""\n'


class Generator:
    def __init__(self, manifest: dict) -> None:
        self.manifest, self.types = manifest, manifest["types"]

    # The contract

    def contract(self) -> str:
        out = [HEAD.format("The contract as data: types, states, errors, settings.", "the bundle's manifest")]
        out.append("from __future__ import annotations\n\nfrom typing import Literal, NamedTuple\n\n")
        out.append(f'VERSION = "{self.manifest["version"]}"\n"""The version of the bundle."""\n\n')
        out.append(f'SCHEMA = {self.manifest["schema"]}\n"""The schema of the data."""\n')
        for name, of in self.types.items():
            if of["form"] in ("word", "words"):
                words = ", ".join(f'"{word}"' for word in of["words"])
                means = " ".join(f"{word}: {text}" for word, text in of.get("meanings", {}).items())
                out.append(f"\n{camel(name)} = Literal[{words}]\n" + doc(f"{of['means']} {means}".strip(), ""))
        out.append(
            '\n\nclass State(NamedTuple):\n    """A state of a task."""\n\n    waits: bool\n    owned: bool\n    final: bool\n    means: str\n'
        )
        out.append("\n\nSTATES: dict[str, State] = {\n")
        for name, of in self.manifest["states"].items():
            flags = ", ".join(str(of.get(flag, False)) for flag in ("waits", "owned", "final"))
            out.append(f'    "{name}": State({flags}, {json.dumps(of["means"])}),\n')
        out.append(
            '}\n\n\nclass Error(NamedTuple):\n    """An error: what it means, what to do, whether the same call may succeed later."""\n\n'
        )
        out.append("    kind: str\n    means: str\n    act: str\n    repeat: bool\n\n\nERRORS: dict[str, Error] = {\n")
        for name, of in self.manifest["errors"].items():
            out.append(
                f'    "{name}": Error(\n        {json.dumps(of["kind"])},\n        {json.dumps(of["means"])},\n        {json.dumps(of["act"])},\n        {of.get("repeat", False)},\n    ),\n'
            )
        out.append("}\n")
        for name, of in self.manifest["constants"].items():
            value = of["value"] / 1000 if of["unit"] == "milliseconds" else of["value"]
            out.append(f"\n{name.upper()} = {value}\n" + doc(of["means"], ""))
        out.append("\nSENTENCES: dict[str, tuple[tuple[str, str], ...]] = {\n")
        for name, alternatives in self.manifest["sentences"].items():
            each = "".join(f"        ({json.dumps(when)}, {json.dumps(text)}),\n" for when, text in alternatives)
            out.append(f'    "{name}": (\n{each}    ),\n')
        out.append("}\n" + doc("The parts of the sentence for `why`: alternatives of conditions and a text.", ""))
        names = ",\n    ".join(f'"{name}"' for name in self.manifest["settings"])
        lines = [
            f"{name}: {of['means']} Default: {of.get('default') or 'no limit'}."
            for name, of in self.manifest["settings"].items()
        ]
        out.append(
            f"\nSetting = Literal[\n    {names},\n]\n" + doc("The settings of a queue, or of all (`*`).", "", *lines)
        )
        return "".join(out)

    # Types in annotations

    def given(self, name: str) -> str:
        of = self.types[name]
        if of["form"] == "word":
            return f"contract.{camel(name)}"
        return GIVEN_TYPES.get(name) or GIVEN[of["form"]]

    def got(self, field: dict, absent: bool = False) -> str:
        words = f"Literal[{', '.join(json.dumps(word) for word in field['words'])}]" if "words" in field else ""
        of = self.types[field["type"]] if "type" in field else {}
        typed = "" if not of else f"contract.{camel(field['type'])}" if of["form"] == "word" else READ[of["form"]]
        if field["name"].endswith("*"):
            return f"dict[str, {typed}]"
        none = "None" if absent or any(word in field for word in ("nil", "empty", "absent")) else ""
        return " | ".join(filter(None, (typed, words, none)))

    def field(self, field: dict) -> str:
        parts = [json.dumps(field["name"])]
        if "type" in field:
            parts.append(f"type=_{field['type'].upper()}")
        if "words" in field:
            parts.append(f"words=({', '.join(json.dumps(word) for word in field['words'])},)")
        parts += [f"{word}=True" for word in ("nil", "empty", "absent") if field.get(word)]
        return f"Field({', '.join(parts)})"

    def fields(self, fields: list[dict]) -> str:
        return "".join(f"        {self.field(field)},\n" for field in fields)

    # Replies

    def record(self, name: str, about: str, fields: list[dict], absent: bool = False, more: str = "") -> str:
        opened = OPENED.get(name, {})
        bases = ["Sparse"] if absent else []
        if opened:
            bases.append(f"Generic[{', '.join(sorted(set(opened.values())))}]")
        begin = "@dataclass(frozen=True, repr=False)" if absent else "@dataclass(frozen=True)"
        base = f"({', '.join(bases)})" if bases else ""
        out = [f"\n\n{begin}\nclass {name}{base}:\n", doc(about, "    ")]
        for field in sorted(fields, key=lambda field: field["name"].endswith("*")):
            typed = self.got(field, absent)
            if field["name"] in opened:
                typed = typed.replace("bytes", opened[field["name"]])
            out.append(f"\n    {python(field['name'])}: {typed}\n" + doc(field["means"], "    "))
        return "".join(out) + more

    def reply(self, name: str, about: str, shape: dict) -> tuple[str, str, str]:
        """The classes of a reply, its type, and its shape."""
        if inner := shape.get("nil") and {word: part for word, part in shape.items() if word != "nil"}:
            classes, typed, made = self.reply(name, about, inner)
            return classes, f"{typed} | None", f"read_maybe({made})"
        if "words" in shape or "value" in shape:
            field = shape.get("value") or {"name": "reply", "words": shape["words"]}
            return "", self.got(field), f"read_value({self.field(field)})"
        reply, item = f"{camel(name)}Reply", f"{camel(name)}Item"
        if "pairs" in shape:
            more = (
                '\n    extra: dict[str, bytes]\n    """Fields of other programs and later versions."""\n'
                if shape.get("open")
                else ""
            )
            record = self.record(reply, f"What {about} answers.", shape["pairs"], shape.get("absent", False), more)
            reply += _bytes_of(reply)
            flags = "".join(f", {word}=True" for word in ("absent", "open") if shape.get(word))
            made = f"read_pairs(\n    {reply},\n    (\n{self.fields(shape['pairs'])}    ){flags},\n)"
            if "begins" in shape:
                return record, f"list[{reply}]", f"read_groups({json.dumps(shape['begins'])}, {made})"
            return record, reply, made
        classes, items, fields = "", shape.get("items", []), shape.get("list", [])
        one, made = "", ""
        if items:
            single = len(items) == 1
            one = self.got(items[0]) if single else item + _bytes_of(item)
            classes = "" if single else self.record(item, f"One of what {about} answers.", items)
            made = f"read_items(\n    {'None' if single else item},\n    (\n{self.fields(items)}    ),\n)"
            if not fields:
                return classes, f"list[{one}]", made
        more = (
            f'\n    items: list[{one}]\n    """{items[0]["means"] if len(items) == 1 else "The entries."}"""\n'
            if items
            else ""
        )
        classes += self.record(reply, f"What {about} answers.", fields, more=more)
        return (
            classes,
            reply,
            f"read_list(\n    {reply},\n    (\n{self.fields(fields)}    ),\n{f'    {made},' if made else ''}\n)",
        )

    # Calls

    def command(self, name: str, entry: dict) -> str:
        """The function of a command, and one for each option that changes the reply's shape and is required there."""
        shape = entry["reply"]
        out, others = [], list(shape.get("with", {}))
        group = entry.get("group")
        if group and len(group["args"]) > 1:
            out.append(f"\n\nclass {camel(name)}Each(NamedTuple):\n" + doc(f"One entry of a call of `{name}`.", "    "))
            for arg in group["args"]:
                out.append(f"\n    {python(arg['name'])}: {self.given(arg['type'])}\n" + doc(arg["means"], "    "))
        base = {word: part for word, part in shape.items() if word != "with"}
        out.append(self.function(name, name, entry, base, [], others))
        for at, option in enumerate(others):
            out.append(self.function(f"{name}_{option}", name, entry, shape["with"][option], [option], others[:at]))
        return "".join(out)

    def function(
        self, python_name: str, name: str, entry: dict, shape: dict, needed: list[str], without: list[str]
    ) -> str:
        about = f"`{name}`" + "".join(f" with `{option}`" for option in needed)
        classes, typed, made = self.reply(python_name, about, shape)
        group = entry.get("group")
        args = [arg for arg in entry["args"] if arg["name"] not in ("now", group and group["count"])]
        needs = [option for option in entry["options"] if option["name"] in needed]
        options = [option for option in entry["options"] if option["name"] not in (*needed, *without)]
        lines = [f"{python(arg['name'])}: {arg['means']}" for arg in args]
        parameters = [f"{python(arg['name'])}: {self.given(arg['type'])}" for arg in args]
        sent = {arg["name"]: python(arg["name"]) for arg in args}
        if group:
            many = python(group["args"][0]["name"]) + "s" if len(group["args"]) == 1 else "each"
            of = self.given(group["args"][0]["type"]) if many != "each" else f"{camel(name)}Each"
            parameters.append(f"{many}: Sequence[{of}]")
            lines.append(f"{many}: {group['args'][0]['means'] if many != 'each' else 'The entries.'}")
            sent[group["count"]] = f"len({many})"
        listed = [sent[arg["name"]] for arg in entry["args"] if arg["name"] != "now"]
        if group:
            listed.append(f"*{many}" if many != "each" else "*(value for one in each for value in one)")
        if entry["options"] and (needs or options):
            parameters.append("*")
        for option in (*needs, *options):
            of = self.given(option["type"])
            optional = option not in needs
            none = "" if not optional or "None" in of else " | None"
            parameters.append(f"{python(option['name'])}: {of}{none}" + (" = None" if optional else ""))
            default = f" By default {option['default']}." if option.get("default") else ""
            default = f" By default the setting `{option['setting']}`." if "setting" in option else default
            lines.append(f"{python(option['name'])}: {option['means']}{default}")
        lines.append(f"Errors: {', '.join(entry['errors'])}.")
        lines.append(f"Reply: {entry['reply_text'][0].upper()}{entry['reply_text'][1:].rstrip('.')}.")
        given = "".join(
            f'            ("{option["name"]}", {python(option["name"])}),\n' for option in (*needs, *options)
        )
        out = [classes, f"\n\n_{python_name}: Shape[{typed}] = {made}\n"]
        if len(options) >= 8:
            out.append(
                f"\n\nclass {camel(python_name)}Options(TypedDict, total=False):\n"
                + doc(f"The options of `{name}`.", "    ")
            )
            for option in options:
                if (name, option["name"]) == ("edit", "parameters"):
                    continue  # the client takes a value, and serialises it
                of = self.given(option["type"])
                none = "" if "None" in of else " | None"
                out.append(f"\n    {python(option['name'])}: {of}{none}\n" + doc(option["means"], "    "))
        out.append(f"\n\ndef {python(python_name)}(\n" + "".join(f"    {part},\n" for part in parameters))
        out.append(f") -> Call[{typed}]:\n" + doc(entry["summary"], "    ", *lines))
        out.append(
            f'    return call(\n        "{name}",\n        [{", ".join(listed)}],\n        [\n{given}        ],\n'
        )
        out.append(f"        _{python_name},\n        {entry['request']},\n    )\n")
        return "".join(out)

    def calls(self) -> str:
        out = [
            HEAD.format(
                "A function for each command of the bundle, and classes for its reply.",
                "the bundle's manifest",
            )
        ]
        out.append(
            "from __future__ import annotations\n\nfrom collections.abc import Sequence\nfrom dataclasses import dataclass\n"
        )
        out.append(
            "from typing import Generic, Literal, NamedTuple, TypedDict, TypeVar\n\nfrom . import contract\nfrom .wire import (\n"
        )
        names = "Bytes Call Field Names Seconds Shape Sparse Time Type call read_groups read_items read_list read_maybe read_pairs read_value"
        out.append("".join(f"    {name},\n" for name in names.split()) + ")\n\n")
        out.append('V = TypeVar("V")\nT = TypeVar("T")\n\n# The types of the contract.\n')
        for name, of in self.types.items():
            parts = [json.dumps(of["form"])] + [f"{word}={of[word]}" for word in ("low", "high") if word in of]
            if "words" in of:
                parts.append(f"words=({', '.join(json.dumps(word) for word in of['words'])},)")
            out.append(f"_{name.upper()} = Type({', '.join(parts)})\n")
        commands = {name: entry for name, entry in self.manifest["commands"].items() if entry["reply"] is not None}
        out += [self.command(name, entry) for name, entry in commands.items()]
        return "".join(out)

    # The scripts

    def scripts(self, text: str) -> str:
        if '"""' in text:
            raise SystemExit('the scripts have """, which ends a text of Python')
        out = [HEAD.format("The scripts of all commands. `composer.py` reads the text.", "the bundle")]
        out.append("#: The server's name of each script.\nDIGESTS = {\n")
        out += [f'    "{name}": "{entry["sha1"]}",\n' for name, entry in self.manifest["commands"].items()]
        return "".join([*out, '}\n\nTEXT = r"""\n', text, '"""\n'])


def _bytes_of(name: str) -> str:
    """The arguments of a record's type, if its values and texts are bytes."""
    return f"[{', '.join('bytes' for _ in set(OPENED[name].values()))}]" if name in OPENED else ""


def synchronous(source: str) -> str:
    for pattern, other in TWINS:
        source = re.sub(pattern, other, source)
    return source.replace("asynchronous", "synchronous")


def generated(bundle: pathlib.Path) -> dict[pathlib.Path, str]:
    """The text of each generated file."""
    manifest = json.loads((bundle / "manifest.json").read_text())
    generator = Generator(manifest)
    files = {
        PACKAGE / "contract.py": generator.contract(),
        PACKAGE / "calls.py": generator.calls(),
        PACKAGE / "scripts.py": generator.scripts((bundle / "scripts.txt").read_text()),
        PACKAGE / "version.py": f'"""Made by generate.py."""\n\nVERSION = "{manifest["version"]}"\n',
    }
    for module in sorted((PACKAGE / "aio").glob("*.py")):
        head = f"# Made by generate.py from aio/{module.name}; do not edit.\n\n"
        files[PACKAGE / "sync" / module.name] = head + synchronous(module.read_text())
    return files


def main(words: list[str]) -> None:
    check = "--check" in words
    bundles = [word for word in words if word != "--check"]
    if len(bundles) != 1:
        sys.exit(__doc__)
    twins = PACKAGE / "sync"
    twins.mkdir(exist_ok=True)
    files = generated(pathlib.Path(bundles[0]))
    stale = [file for file, text in files.items() if not file.exists() or file.read_text() != text]
    left = [file for file in twins.glob("*.py") if file not in files]
    if check and (stale or left):
        sys.exit(f"out of date: {', '.join(str(file.relative_to(PACKAGE)) for file in stale + left)}")
    for file in stale:
        file.write_text(files[file])
    for file in left:
        file.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])

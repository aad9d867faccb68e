"""Composes scripts from `scripts.TEXT`, in which each piece stands once.

`=== args.plain` begins a piece; a piece whose text depends on the command names these commands. `=== cancel` begins a
script. A line `@args.next` stands for a hot piece, `@cold` for the function with all cold pieces that the script needs.
`@{args.next}` is a reference to a piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from .scripts import TEXT

_HEAD = re.compile(r"^=== (\S+)(.*)\n", re.MULTILINE)
_HOT = re.compile(r"^@(\+?)(\S+\.\S+)\n", re.MULTILINE)
_REFERENCE = re.compile(r"@\{(\S+?)\}")


@cache
def _sections() -> dict[str, list[tuple[list[str], str]]]:
    """The text of each script, and the texts of each piece with their commands."""
    _, *parts = _HEAD.split(TEXT)
    sections: dict[str, list[tuple[list[str], str]]] = {}
    for name, commands, text in zip(parts[::3], parts[1::3], parts[2::3]):
        # An empty line ends each section.
        sections.setdefault(name, []).append((commands.split(), text[:-1]))
    return sections


@cache
def compose(command: str) -> bytes:
    """The script of a command."""
    sections = _sections()

    def piece(name: str) -> str:
        return next(text for commands, text in sections[name] if not commands or command in commands)

    script = piece(command)
    hot = {name for _, name in _HOT.findall(script)}
    script = _HOT.sub(lambda found: f"\n{'' if found[1] else 'local '}{piece(found[2])}", script)
    needed, rest = set(hot), [script]
    while rest:
        for name in _REFERENCE.findall(rest.pop()):
            if name not in needed:
                needed.add(name)
                rest.append(piece(name))
    cold = [name for name in sections if name in needed - hot]

    def choice(low: int, high: int) -> Iterator[str]:
        """The code that finds one of these cold pieces."""
        if high - low == 1:
            yield f"-- {low + 1} {cold[low]}\nreturn function({piece(cold[low]).partition('(')[2]}"
            return
        middle = low + (high - low) // 2
        yield f"if number < {middle + 1} then\n"
        yield from choice(low, middle)
        yield "else\n"
        yield from choice(middle, high)
        yield "end\n"

    script = script.replace("@cold\n", f"\nfunction cold(number)\n{''.join(choice(0, len(cold)))}end\n")
    names = {name: f"cold({number})" for number, name in enumerate(cold, 1)}
    return _REFERENCE.sub(lambda found: names.get(found[1]) or found[1].replace(".", "_"), script).encode()

"""Text of other clients, made safe for a terminal and for a log with one line per message, like the command."""

from __future__ import annotations

import logging
import re

#: Escape sequences. Sequences for titles and links include their text.
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_BREAK = re.compile("\r\n|[\n\r\t\u2028\u2029]")
#: Control characters and invisible ones, except characters that shape emoji and letters. tests/hidden.json lists them.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U00013441\U00013442\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)


def one_line(text: str) -> str:
    """A text on one line, without escape sequences and invisible characters."""
    if text.isascii() and text.isprintable():
        return text
    text = _HIDDEN.sub("", _BREAK.sub(" ", _SEQUENCE.sub("", text)).rstrip())
    return text.encode(errors="replace").decode()  # halves of surrogate pairs


def clean(record: logging.LogRecord) -> bool:
    """A filter that keeps every record, with its message on one line."""
    message = record.getMessage()
    if (shown := one_line(message)) != message:
        record.msg, record.args = shown, ()
    return True

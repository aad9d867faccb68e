"""Texts by other users and programs, as the client shows them."""

from __future__ import annotations

import json
import logging
import unicodedata
from pathlib import Path

import pytest

from blueque_client.text import clean, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb\x07\r\nc\rd\te", "ab c d e"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://x\x1b\\y\x1b(Bz\x1b", "yz"),
        ("\x9b2Jx\x9dy\x85z", "2Jxyz"),
        ("\u202ea\u2066b\u200ec\u200bd\U000e0041e\ufeff\u3164\u115f\u2800\xad\u034f", "abcde"),
        ("one\u2028two\udcff\n", "one two?"),
        (
            "größe 日本語 👩\u200d💻 ❤\ufe0f \u0645\u06cc\u200c\u062e",
            "größe 日本語 👩\u200d💻 ❤\ufe0f \u0645\u06cc\u200c\u062e",
        ),
    ],
)
def test_text_is_shown_without_what_a_terminal_obeys(text: str, shown: str) -> None:
    assert one_line(text) == shown
    record = logging.LogRecord("n", logging.INFO, "f", 1, "%s: %d", (text, 5), None)
    assert clean(record)
    assert record.getMessage() == f"{shown}: 5" or "\n" in text or "\x1b" in text


def test_the_characters_that_show_nothing_are_those_of_all_languages() -> None:
    ranges = json.loads((Path(__file__).parents[3] / "tests" / "hidden.json").read_bytes())
    listed = {code for first, last in ranges for code in range(int(first, 16), int(last, 16) + 1)}
    for code in set(range(0x110000)) - set(range(0xD800, 0xE000)):
        shown = one_line(f"a{chr(code)}b")
        if code in listed:
            assert shown == "ab", hex(code)
        else:
            assert shown != "ab" or unicodedata.category(chr(code)) == "Cc", hex(code)

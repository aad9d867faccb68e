"""What is shown of texts that others have written."""

from __future__ import annotations

import logging

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

"""All conformance cases through the generated calls: the bytes sent, the replies read, the errors raised."""

from __future__ import annotations

import json
import math
import os
import sys
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from blueque_client import BluequeError, calls, errors
from blueque_client.sync import Link
from blueque_client.wire import Call

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
sys.path.insert(0, str(ROOT / "clients" / "python"))
import client as generic  # noqa: E402
import run as runner  # noqa: E402

from generate import python  # noqa: E402

# The bundle, as `make clients` writes it.
BUNDLE = Path(os.environ["BLUEQUE_BUNDLE"])
MANIFEST = json.loads((BUNDLE / "manifest.json").read_text())


def function(command: str, options: set[str]) -> Any:
    """The function of a command. With some options a command has a separate function."""
    name = next(
        (
            f"{command}_{option}"
            for option in (MANIFEST["commands"][command]["reply"] or {}).get("with", {})
            if option in options
        ),
        command,
    )
    return getattr(calls, python(name))


class Inexpressible(Exception):
    """A malformed call, which no generated function can make."""


def generated(reader: generic.Client, command: str, sent: list[bytes]) -> Call[Any]:
    """The generated call that sends these arguments."""
    entry = MANIFEST["commands"][command]
    names = [option["name"].encode() for option in entry["options"]]
    if "group" in entry:
        at = [arg["name"] for arg in entry["args"]].index(entry["group"]["count"])
        left = len(sent) - len(entry["args"])
        if left < 0 or not sent[at].isdigit() or int(sent[at][:9]) * len(entry["group"]["args"]) > left:
            raise Inexpressible
    given = reader.named(command, sent)
    now = given.pop("now", b"")
    arguments = [arg["name"] for arg in entry["args"] if arg["name"] not in ("now", reader.count(entry))]
    known = {*arguments, "each", *(name.decode() for name in names)}
    if set(given) - known or set(arguments) - set(given):
        raise Inexpressible
    positional: list[Any] = [given.pop(name) for name in arguments]
    if "group" in entry:
        group = [arg["name"] for arg in entry["group"]["args"]]
        each = given.pop("each", [])
        if any(len(one) != len(group) for one in each):
            raise Inexpressible
        many = getattr(calls, "".join(map(str.capitalize, command.split("_"))) + "Each", None)
        positional.append([many(*one.values()) if many else one[group[0]] for one in each])
    call = function(command, set(given))(*positional, **{python(name): value for name, value in given.items()})
    made: Call[Any] = call.at(now)
    # The generated call sends options in the order of the manifest; the order does not matter.
    if sorted(made.arguments) != sorted(sent) or made.arguments[0] != now:
        raise Inexpressible
    return made


def same(ours: Any, theirs: Any) -> bool:
    """Returns true if a generated class has the same values as the generic reader."""
    if is_dataclass(ours) and not isinstance(ours, type) and isinstance(theirs, dict):
        mine = asdict(ours)
        extra = mine.pop("extra", {})
        for name, value in theirs.items():
            begin, dot, end = name.partition(".")
            key = python(name.replace(".", "_"))
            if key in mine:
                if not same(getattr(ours, key), value):
                    return False
            elif dot and isinstance(mine.get(begin), dict):
                if mine[begin].get(end) != value:
                    return False
            elif name not in extra:
                return False
        return True
    if isinstance(ours, list) and isinstance(theirs, list):
        single = theirs and isinstance(theirs[0], dict) and len(theirs[0]) == 1 and not is_dataclass(ours[0])
        theirs = [next(iter(each.values())) for each in theirs] if single else theirs
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, Decimal):
        return math.isclose(ours, float(theirs), rel_tol=1e-15)
    return bool(ours == theirs)


class Through:
    """The server as the cases see it: each call of a script goes through the generated calls and the link."""

    def __init__(self, server: Any, reader: generic.Client) -> None:
        self.server, self.reader = server, reader
        self.names = {entry["sha1"]: name for name, entry in MANIFEST["commands"].items()}
        self.made = self.raw = 0

    def execute_command(self, *words: Any) -> Any:
        command = self.names.get(words[1]) if words[0] == b"EVALSHA" else None
        key = words[3] if command and words[2] == 1 else ""
        if not command or not str(key).endswith("_meta"):
            return self.server.execute_command(*words)
        sent = [word if isinstance(word, bytes) else str(word).encode() for word in words[4:]]
        try:
            call = generated(self.reader, command, sent)
        except Inexpressible:
            self.raw += 1
            return self.server.execute_command(*words)
        self.made += 1
        kept: list[Any] = []
        link = Link(self.server, key[: -len("_meta")], limit=0)

        def read(reply: Any) -> Any:
            kept.append(reply)
            return call.read(reply)

        try:
            ours = link.run(Call(call.command, call.arguments, read))
        except BluequeError as error:
            cause = error.__cause__
            assert isinstance(cause, Exception), error
            assert error.code in MANIFEST["errors"], error
            assert error.remedy == MANIFEST["errors"][error.code]["act"]
            raise cause from None
        theirs = self.reader.read(command, set(self.reader.named(command, sent)), kept[0])
        if not same(ours, theirs):
            raise runner.Failed(f"{command} was read as {ours}, and generically as {theirs}")
        return kept[0]


@pytest.mark.parametrize("kind", ["single", "cluster"])
def test_every_case_goes_through_the_generated_calls(kind: str) -> None:
    files = sorted(BUNDLE.glob("conformance/*.json"))
    cases = [(file.stem, case) for file in files for case in json.loads(file.read_text())]
    cases = runner.share([each for each in cases if each[1].get("server", "single") == kind])
    failures = []
    with runner.Own() as place:
        server = place.connect(kind)
        bundle = runner.Bundle(MANIFEST, runner.scripts(BUNDLE, MANIFEST), server)
        through = Through(server, generic.Client(MANIFEST, None))
        for file, case in cases:
            try:
                runner.Run(through, bundle, case).all()
            except runner.Failed as failed:
                failures.append(f"{file}: {case['name']}: {failed}")
    assert not failures, "\n".join(failures[:20])
    assert cases
    # Malformed calls, which no function can make, are sent without one.
    print(f"{len(cases)} cases, {through.made} calls through the functions, {through.raw} sent as they are")
    assert through.made > 10 * through.raw or kind == "cluster"


def test_every_code_has_a_class_and_a_remedy() -> None:
    kinds = {
        "call": errors.InvalidCall,
        "state": errors.Refused,
        "setup": errors.Unsuitable,
        "server": errors.ServerError,
    }
    for code, entry in MANIFEST["errors"].items():
        error = errors.verdict(code, "text")
        assert error.code == code
        assert entry["act"] in str(error)
        assert type(error) in (kinds.get(entry["kind"]), errors.NotFound, errors.Lost, errors.CancelledAtStart)
    assert type(errors.verdict("NEWER", "text")) is errors.ServerError

#!/usr/bin/env python3
"""Runs the conformance cases through the client of another language:
program.py [--only NAME,...] BUNDLE_DIRECTORY COMMAND [ARGUMENT...]

With names, runs only the cases that check a reply of one of these commands, or are in a file of that name.
BLUEQUE_PASSES_SHARE=3 runs every third case.

COMMAND is a program around that client's own generated calls. It connects to the URL in BLUEQUE_URL, without any case
having run, and may find the bundle's folder in BLUEQUE_BUNDLE. It reads requests from stdin, a JSON object a line, and
answers each with one on stdout; bytes are base64:

    {"words": [BYTES, …]}                   a command of the server, as it is
    {"call": "submit", "namespace": "ns", "now": BYTES, "arguments": {NAME: BYTES}, "each": [{NAME: BYTES}], "options": {NAME: BYTES}}
                                            a call of the bundle; `each`: the arguments that repeat
    {"reply": REPLY}                        a string as {"bytes": BYTES}, a number, null, or an array of them
    {"reply": REPLY, "sent": [BYTES, …], "read": VALUE}
                                            of a call also its arguments on the wire, from `now` on, and what the client read:
                                            an object by the names of the manifest, in its own way of writing names (`aB`, `a_b`
                                            and `AB` are one), a list, a text, a number, a boolean, null, or {"bytes": BYTES}
    {"error": TEXT, "code": CODE, "remedy": TEXT}
                                            the server's error, and of a call the client's code and remedy for it
    {"unsendable": TEXT}                    of a call: the types of the client's function do not have one of these values; the
                                            words come next, as they are
"""
import base64, contextlib, json, math, os, pathlib, subprocess, sys
from decimal import Decimal

import redis

import client as generic
import run as runner


def b64(value):
    return base64.b64encode(value if isinstance(value, bytes) else str(value).encode()).decode()


def encoded(each):
    return {name: b64(value) for name, value in each.items()}


def decoded(reply):
    """A reply as redis-py gives it."""
    if isinstance(reply, dict):
        return base64.b64decode(reply["bytes"])
    return [decoded(each) for each in reply] if isinstance(reply, list) else reply


def plain(name):
    """A name, whichever way it is written."""
    return name.replace("_", "").replace(".", "").lower()


def readable(text):
    """A text, as read by a client that replaces what is not UTF-8."""
    return text.encode(errors="surrogateescape").decode(errors="replace")


def same(ours, theirs):
    """Returns true if the client has read what the generic reader has found."""
    if isinstance(theirs, bytes):
        return isinstance(ours, dict) and "bytes" in ours and base64.b64decode(ours["bytes"]) == theirs
    if isinstance(theirs, dict) and isinstance(ours, dict):
        mine = {plain(name): value for name, value in ours.items()}
        for name, value in theirs.items():
            begin, dot, end = name.partition(".")
            if plain(name) in mine:
                if not same(mine[plain(name)], value):
                    return False
            elif dot and isinstance(mine.get(plain(begin)), dict):
                if not same(mine[plain(begin)].get(end), value):
                    return False
            elif name not in mine.get("extra", {}):
                return False
        return True
    if isinstance(theirs, list) and isinstance(ours, list):
        single = theirs and isinstance(theirs[0], dict) and len(theirs[0]) == 1 and not isinstance(ours[0], dict)
        theirs = [next(iter(each.values())) for each in theirs] if single else theirs
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, bool) or isinstance(ours, bool):
        return ours is theirs
    if isinstance(theirs, (int, Decimal)):
        return isinstance(ours, (int, float)) and math.isclose(ours, float(theirs), rel_tol=1e-15)
    return ours == (readable(theirs) if isinstance(theirs, str) else theirs)


class Program:
    """The server as the cases see it: each command goes through the program, a script's through its generated calls."""

    def __init__(self, command, url, bundle, manifest):
        environment = {**os.environ, "BLUEQUE_URL": url, "BLUEQUE_BUNDLE": str(bundle)}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
        self.manifest, self.reader = manifest, generic.Client(manifest, None)
        self.names = {entry["sha1"]: name for name, entry in manifest["commands"].items()}
        self.made = self.raw = 0

    def ask(self, request):
        line = ""
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(request), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the program has ended at {str(request)[:300]}")
        return json.loads(line)

    def request(self, command, sent, namespace):
        """The request for a call, or None if it is malformed in a way that no generated function can be."""
        entry = self.manifest["commands"][command]
        if "group" in entry:
            at = [arg["name"] for arg in entry["args"]].index(entry["group"]["count"])
            left = len(sent) - len(entry["args"])
            if left < 0 or not sent[at].isdigit() or int(sent[at][:9]) * len(entry["group"]["args"]) > left:
                return None
        given = self.reader.named(command, sent)
        now, each = given.pop("now", b""), given.pop("each", [])
        arguments = [arg["name"] for arg in entry["args"] if arg["name"] not in ("now", self.reader.count(entry))]
        options = {option["name"] for option in entry["options"]}
        if set(given) - {*arguments, *options} or set(arguments) - set(given):
            return None
        if any(len(one) != len(entry["group"]["args"]) for one in each):
            return None
        about = {"call": command, "namespace": namespace, "now": b64(now), "each": [encoded(one) for one in each]}
        about["arguments"] = {name: b64(given.pop(name)) for name in arguments}
        about["options"] = encoded(given)
        listed = len(sent) - len(entry["args"]) - len(each) * len(entry.get("group", {}).get("args", []))
        return about if listed == 2 * len(given) else None  # an option twice, or without a value

    def execute_command(self, *words):
        command = self.names.get(words[1]) if words[0] == b"EVALSHA" else None
        key = str(words[3]) if command and words[2] == 1 else ""
        sent = [word if isinstance(word, bytes) else str(word).encode() for word in words[4:]]
        request = self.request(command, sent, key[: -len("_meta")]) if key.endswith("_meta") else None
        raw = {"words": [b64(word) for word in words]}
        answer = self.ask(request or raw)
        if "unsendable" in answer:
            request, answer = None, self.ask(raw)
        self.made, self.raw = self.made + bool(request), self.raw + bool(command and not request)
        if "error" in answer:
            if request:
                code = answer["error"].split()[0]
                known = self.manifest["errors"].get(code)  # else it is a code of the server's own
                if answer["code"] != code or known and answer["remedy"] != known["act"]:
                    raise runner.Failed(f"the client made {answer['code']}, {answer['remedy']} of {answer['error']}")
            raise redis.ResponseError(answer["error"])
        reply = decoded(answer["reply"])
        if request:
            # Options go in the order of the manifest; otherwise it is the same call.
            if sorted(map(base64.b64decode, answer["sent"])) != sorted(sent):
                raise runner.Failed(f"{command} was sent as {answer['sent']}")
            theirs = self.reader.read(command, set(self.reader.named(command, sent)), reply)
            if not same(answer["read"], theirs):
                raise runner.Failed(f"{command} was read as {answer['read']}, and generically as {theirs}")
        return reply


def main(bundle, command, only):
    manifest = json.loads((bundle / "manifest.json").read_text())
    cases = runner.share(runner.chosen(bundle, manifest, only))
    passed, failures, made, raw = 0, [], 0, 0
    with runner.Own() as place:
        for kind in ("single", "cluster"):
            path = place.connect(kind).connection_pool.connection_kwargs["path"]
            program = Program(command, f"unix://{path}", bundle, manifest)
            loaded = runner.Bundle(manifest, runner.scripts(bundle, manifest), program)
            for file, case in cases:
                if case.get("server", "single") == kind:
                    try:
                        runner.Run(program, loaded, case).all()
                        passed += 1
                    except runner.Failed as failed:
                        failures.append(f"{file}: {case['name']}: {failed}")
            made, raw = made + program.made, raw + program.raw
            program.process.stdin.close()
            if program.process.wait(30):
                failures.append(f"the program ended with {program.process.returncode}")
    for failure in failures:
        print(f"FAILED {failure}"[:2000])
    # Malformed calls, which no function can make, are sent as they are.
    print(f"{passed} passed, {len(failures)} failed, {made} calls through the client, {raw} sent as they are")
    if past := not only and made < 10 * raw:
        print("more than a tenth of the calls went past the client's functions: the cases say little about these")
    return 1 if failures or not passed or past else 0


if __name__ == "__main__":
    words = sys.argv[1:]
    names = words[1].split(",") if words[:1] == ["--only"] and words[1:] else []
    words = words[2:] if names else words
    if len(words) < 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(words[0]), words[1:], names))

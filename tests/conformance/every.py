#!/usr/bin/env python3
"""Calls every command with every option: every.py BUNDLE_DIRECTORY
Uses the client that is generated from the bundle's manifest (client.py), and the good calls of arguments.json. Reads
every reply into named fields; a reply that is cut off, or has another shape, must be refused. Validates the manifest
against its JSON Schema.
Needs the packages of tests/requirements.txt."""
import json, pathlib, sys
import fastjsonschema, redis
from client import Client, Misfit, python
from run import Bundle, Own, Run, scripts

HERE = pathlib.Path(__file__).parent

def example(of):
    """A value of a type."""
    if "good" in of or "words" in of:
        return (of.get("good") or of["words"])[0]
    return {"flag": "1", "bytes": "x"}.get(of["form"]) or str(min(max(3, of["low"]), of["high"]))

def plain(table, entry, client):
    """The arguments of a command without a row."""
    group = entry.get("group", {"count": None, "args": []})
    args = entry["args"] + group["args"]
    owned = table["owned"] if any(arg["name"] == "token" for arg in args) else {}
    values = {**table["values"], **owned, group["count"]: "1"}
    return [values.get(arg["name"]) or example(client.types[arg["type"]]) for arg in args]

def calls(table, entry, command, client):
    """The good call, and those with each option, as (what, arguments and options by name)."""
    row = table["commands"].get(command, {})
    good = client.named(command, row.get("args") or plain(table, entry, client))
    yield "", good
    for option in entry["options"]:
        # Some options need other options, some need another call, and some do not take all values of their type.
        name = option["name"]
        own = row.get("options", {}).get(name, {})
        narrow = table["narrow"].get(f"{command} {name}") or table["narrow"].get(name) or {}
        value = narrow["taken"][0] if "taken" in narrow else example(client.types[option["type"]])
        beside, base = own.get("beside", []), client.named(command, own["call"][1:]) if "call" in own else good
        yield name, {**base, **dict(zip(beside[::2], beside[1::2])), name: value}

def values(run, value):
    """Values of a case as they go over the wire; repeated values by their names."""
    if isinstance(value, list):
        return [{name: run.value(each) for name, each in group.items()} for group in value]
    return run.value(value)

def broken(shape, reply):
    """Replies that do not have this shape."""
    yield 5.5
    if not shape.get("nil"):
        yield None
    if "words" in shape:
        yield b"no word of it"
    elif isinstance(reply, list):
        yield b"no array"
        fixed = len(shape.get("list", []))
        if reply and (len(reply) <= fixed and not shape["list"][-1].get("absent") or "pairs" in shape or len(shape.get("items", [])) > 1):
            yield reply[:-1]

def read(client, command, given, reply):
    try:
        return client.read(command, set(given), reply)
    except Misfit:
        return Misfit

def main(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    schema = json.loads((folder / "manifest.schema.json").read_text())
    fastjsonschema.compile(schema)(manifest)
    table = json.loads((HERE / "arguments.json").read_text())
    made = failed = 0
    with Own() as place:
        server = place.connect("single")
        bundle = Bundle(manifest, scripts(folder, manifest), server)

        raw = []

        def send(name, arguments):
            # A command that does not write is sent as read-only: the server refuses a write.
            word = "EVALSHA" if manifest["commands"][name]["writes"] else "EVALSHA_RO"
            keys = bundle.keys(name, "ns")
            raw.append(server.execute_command(word, bundle.shas[name], len(keys), *keys, *arguments))
            return raw[-1]

        client = Client(manifest, send, strict=True)
        for command, entry in manifest["commands"].items():
            for option, given in calls(table, entry, command, client):
                run = Run(server, bundle, {"steps": table["given"]})
                run.all()
                try:
                    getattr(client, python(command))(**{python(name): values(run, value) for name, value in given.items()})
                    made += 1
                    for wrong in broken(entry["reply"], raw[-1]):
                        taken = read(client, command, given, wrong)
                        if taken is not Misfit:
                            raise Misfit(f"{wrong!r} was read as {taken}")
                except (Misfit, TypeError, redis.RedisError) as error:
                    failed += 1
                    print(f"FAILED {command} {option}: {error}")
    print(f"{len(manifest['commands'])} commands: {made} calls, {failed} failed")
    return 1 if failed or not made else 0

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1])))

#!/usr/bin/env python3
"""Runs the conformance cases of a bundle on a server of its own: run.py BUNDLE_DIRECTORY

Knows the bundle (manifest.json, scripts/, conformance/) and the `redis` package, nothing else.
What the cases mean stands in conformance/README.md."""
import base64, hashlib, json, os, pathlib, shutil, socket, subprocess, sys, tempfile, time
import redis

READ = {b"list": ("LRANGE", 0, -1), b"set": ("SMEMBERS",), b"zset": ("ZRANGE", 0, -1, "WITHSCORES"),
        b"hash": ("HGETALL",), b"stream": ("XRANGE", "-", "+"), b"string": ("GET",)}

class Failed(Exception):
    pass

def start_server(folder, cluster):
    binary = os.environ.get("BLUEQUE_REDIS_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
    if not binary:
        sys.exit("no redis-server or valkey-server: apt-get install redis-server, or set BLUEQUE_REDIS_SERVER")
    path = os.path.join(folder, "cluster" if cluster else "single")
    os.mkdir(path)
    command = [binary, "--port", "0", "--unixsocket", path + "/socket", "--save", "", "--dir", path, "--loglevel", "warning"]
    if cluster:
        with socket.socket() as one, socket.socket() as other:  # free ports: a cluster node must have two
            one.bind(("127.0.0.1", 0)), other.bind(("127.0.0.1", 0))
            ports = [str(each.getsockname()[1]) for each in (one, other)]
        command[2] = ports[0]
        command += ["--cluster-enabled", "yes", "--cluster-port", ports[1], "--bind", "127.0.0.1"]
        me, peer = "a" * 40, "b" * 40  # it owns every slot, and knows another node to move one to
        pathlib.Path(path, "nodes.conf").write_text(
            f"{me} 127.0.0.1:{ports[0]}@{ports[1]} myself,master - 0 0 1 connected 0-16383\n"
            f"{peer} 127.0.0.1:1@2 master - 0 0 2 connected\nvars currentEpoch 2 lastVoteEpoch 0\n")
    return subprocess.Popen(command, stdout=subprocess.DEVNULL), path + "/socket"

def connect(path, cluster):
    server, limit = redis.Redis(unix_socket_path=path, socket_timeout=30), time.monotonic() + 20
    server.response_callbacks.clear()
    while True:
        try:
            if server.execute_command("PING") and (not cluster or b"cluster_state:ok" in server.execute_command("CLUSTER", "INFO")):
                return server
        except redis.RedisError as error:
            if time.monotonic() > limit:
                sys.exit(f"the server does not come up: {error}")
        time.sleep(0.01)

def expand(data):
    """The cases that a file stands for: a list of them, the table of cells, or the table of arguments."""
    if isinstance(data, list):
        yield from data
    elif "cells" in data:
        for (call, row) in data["cells"].items():
            for state, want in row.items():
                step = {"do": data["calls"][call], **want}
                yield {"name": f"{call} of a task that is {state}", "steps": data["states"][state]["steps"] + [step],
                       "keys": data["states"][step.pop("then", state)]["keys"]}
    else:
        for command, one in data["commands"].items():
            yield from expand_arguments(data, command, one)

def expand_arguments(data, command, one):
    args, options, given = one["args"], one.get("options", []), data["given"] + one.get("given", [])
    good = [command] + [arg[1] for arg in args]
    def refused(title, calls):
        steps = given + [{"do": call, "error": code} for code, call in calls] + [{"do": good}]
        return {"name": f"{command} refuses {title}", "steps": steps}
    def bad(kind, before, after):
        return [(code, before + [value] + after) for code, values in data["kinds"][kind].items() for value in values]
    for i, arg in enumerate(args):
        yield refused(f"a bad {arg[0]}", bad(arg[-1] if len(arg) > 2 else arg[0], good[:i + 1], good[i + 2:]))
    yield refused("missing arguments", [("BADARG", good[:n]) for n in range(1, len(good))])
    yield refused("extra arguments", [("BADARG", good + extra) for extra in data["surplus"]])
    for option in options:
        name, value = option[:2]
        calls = bad(option[-1] if len(option) > 2 else name, good + [name], [])
        calls += [("BADARG", good + [name]), ("BADARG", good + [name, value, name, value])]
        case = refused(f"a bad option {name}", calls)
        case["steps"][-1] = {"do": good + [name, value]}
        yield case
    yield {"name": f"{command} refuses a bad namespace",
           "steps": [{"do": good, "keys": keys, "error": "BADNAME"} for keys in data["namespaces"]]}
    for fields in data["schemas"]:
        yield {"name": f"{command} refuses another schema, {fields}",
               "steps": [{"redis": ["HSET", "ns_meta"] + fields}, {"do": good, "error": "SCHEMA"}]}
    for touch in [one] + one.get("also", []):
        call, before = touch.get("call", good), given + touch.get("before", [])
        for key in touch["touches"]:
            wrong = [{"redis": ["DEL", key]}, {"redis": ["SET", key, "x"]}, {"do": call, "error": "WRONGKEY"}]
            yield {"name": f"{call[0]} refuses a {key} of a wrong type", "steps": before + wrong}
            if key != "ns_meta" and not any("redis" in step for step in before):  # on a cluster: as if it were moved
                moved = [{"redis": ["DEL", key.replace("ns", "{ns}", 1)]}, *data["moving"], {"do": call, "error": "RETRY"}]
                yield {"name": f"{call[0]} changes nothing when {key} was moved to another node", "server": "cluster",
                       "steps": before + moved, "after": data["settle"]}

class Run:
    def __init__(self, server, shas, case):
        self.server, self.shas, self.case, self.kept = server, shas, case, {}
        self.namespace = "{ns}" if case.get("server") == "cluster" else "ns"

    def value(self, value):
        """A value of a case as it goes over the wire."""
        if isinstance(value, dict) and "base64" in value:
            return base64.b64decode(value["base64"])
        if isinstance(value, dict) and "repeat" in value:
            return value["repeat"].encode() * value["times"]
        if isinstance(value, dict) and "from" in value:
            return self.kept[value["from"]][value["at"]] if "at" in value else self.kept[value["from"]]
        return value.encode() if isinstance(value, str) else value

    def agrees(self, want, got):
        if isinstance(want, list):
            return isinstance(got, list) and len(want) == len(got) and all(map(self.agrees, want, got))
        if isinstance(want, dict) and "any" in want:
            return got is not None
        if isinstance(want, dict) and "unordered" in want:
            return isinstance(got, list) and sorted(map(self.value, want["unordered"])) == sorted(got)
        if isinstance(want, dict) and "pairs" in want:
            return isinstance(got, list) and self.fields(want["pairs"]) == dict(zip(got[::2], got[1::2]))
        return self.value(want) == got

    def fields(self, fields):
        return {name.encode(): self.value(value) for name, value in fields.items()}

    def digest(self):
        return {key: self.server.execute_command("DUMP", key) for key in self.server.execute_command("KEYS", "*")}

    def step(self, step):
        before = self.digest() if "error" in step or step.get("unchanged") else None
        try:
            if "redis" in step:
                got = self.server.execute_command(*map(self.value, step["redis"]))
            else:
                keys = step.get("keys", [self.namespace + "_meta"])
                got = self.server.execute_command("EVALSHA", self.shas[step["do"][0]], len(keys), *keys,
                                                  *map(self.value, step["do"][1:]))
        except redis.RedisError as error:
            got = None if step.get("error") == ("OOM" if isinstance(error, redis.OutOfMemoryError) else str(error).split(" ")[0]) else error
            if got or len(str(error)) < 20:
                raise Failed(f"expected {step.get('error') or step.get('reply', 'a reply')}, got the error {error}")
        else:
            if "error" in step or "reply" in step and not self.agrees(step["reply"], got):
                raise Failed(f"expected {step.get('error') or step['reply']}, got {got}")
        if "as" in step:
            self.kept[step["as"]] = got
        if before is not None and (after := self.digest()) != before:
            changed = [key for key in before.keys() | after.keys() if before.get(key) != after.get(key)]
            raise Failed(f"a call that must change nothing changed {sorted(changed)}")

    def key(self, name, want):
        kind = self.server.execute_command("TYPE", name)
        got = kind != b"none" and self.server.execute_command(READ[kind][0], name, *READ[kind][1:])
        if want is None:
            agrees = kind == b"none"
        else:
            (form, content), = want.items()
            agrees = kind.decode() == form.rstrip("~")
            if agrees and form == "zset":
                got = {member: float(score) for member, score in zip(got[::2], got[1::2])}
                agrees = got == {self.value(m): float(score) for m, score in content.items()}
            elif agrees and form in ("hash", "hash~"):
                got = dict(zip(got[::2], got[1::2]))
                asked = got if form == "hash" else {field: got.get(field) for field in map(str.encode, content)}
                agrees = asked == self.fields(content)
            elif agrees and form == "stream":
                agrees = self.agrees(content, [fields for _, fields in got])
            elif agrees:
                agrees = self.agrees({"unordered": content} if form == "set" else content, got)
        if not agrees:
            raise Failed(f"expected {name} to be {want}, it is {kind.decode()} {got}")

    def all(self):
        self.server.execute_command("FLUSHALL")
        try:
            for number, step in enumerate(self.case["steps"], 1):
                try:
                    self.step(step)
                except Failed as failed:
                    raise Failed(f"step {number}, {str(step.get('do') or step['redis'])[:200]}: {failed}")
            for name, want in self.case.get("keys", {}).items():
                self.key(name, want)
            others = set(self.server.execute_command("KEYS", "*")) - {name.encode() for name in self.case.get("keys", {})}
            if self.case.get("no_other_keys") and others:
                raise Failed(f"there are other keys: {sorted(others)}")
        finally:
            for command in self.case.get("after", []):
                self.server.execute_command(*command)

def main(bundle):
    manifest = json.loads((bundle / "manifest.json").read_text())
    sources = {name: (bundle / "scripts" / f"{name}.lua").read_bytes() for name in manifest["commands"]}
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        started = {kind: start_server(folder, kind == "cluster") for kind in ("single", "cluster")}
        try:
            cases = [(file.stem, case) for file in sorted((bundle / "conformance").glob("*.json")) for case in expand(json.loads(file.read_text()))]
            for kind, (_, path) in started.items():  # the cluster last: it needs two seconds to come up
                server = connect(path, kind == "cluster")
                shas = {name: server.execute_command("SCRIPT", "LOAD", text).decode() for name, text in sources.items()}
                for name, sha in shas.items():
                    assert sha == manifest["commands"][name]["sha1"], f"{name}.lua is not what the manifest says"
                for file, case in cases:
                    if case.get("server", "single") == kind:
                        try:
                            Run(server, shas, case).all()
                            passed += 1
                        except Failed as failure:
                            failed += 1
                            print(f"FAILED {file}: {case['name']}: {failure}")
        finally:
            for process, _ in started.values():
                process.kill(), process.wait()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0

if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

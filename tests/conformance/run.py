#!/usr/bin/env python3
"""Runs the conformance cases of a bundle on servers of its own: run.py BUNDLE_DIRECTORY
Knows the bundle (manifest.json, scripts/, conformance/) and the `redis` package; README.md tells what a case means."""
import base64, json, os, pathlib, shutil, socket, subprocess, sys, tempfile, time
import redis

# How a key of each type is read whole; all keys at once, and how many changes the server has counted.
READ = {"list": "LRANGE {} 0 -1", "set": "SMEMBERS {}", "zset": "ZRANGE {} 0 -1 WITHSCORES", "hash": "HGETALL {}",
        "stream": "XRANGE {} - +", "string": "GET {}"}
DIGEST = """local keys, all = redis.call('KEYS', '*'), {} table.sort(keys)
    for i, key in ipairs(keys) do all[2 * i - 1], all[2 * i] = key, redis.call('DUMP', key) end
    local info = redis.pcall('INFO', 'persistence')
    all[#all + 1], all[#all + 2] = 'what is there already, which it wrote again', string.match(info.err or info, 'changes_since_last_save:%d+') or ''
    return all"""

# Codes that the package takes off the text of an error.
STRIPPED = {redis.OutOfMemoryError: "OOM", redis.exceptions.NoPermissionError: "NOPERM"}

class Failed(Exception): """What differs from the case."""

def start(folder, cluster):
    program = os.environ.get("BLUEQUE_REDIS_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
    if not program:
        sys.exit("no redis-server or valkey-server: apt-get install redis-server, or set BLUEQUE_REDIS_SERVER")
    os.mkdir(folder)
    args = ["--port", "0"]
    if cluster:  # one node that owns every slot and knows another one, so that a slot can be half moved
        with socket.socket() as one, socket.socket() as two:
            ports = [each.bind(("127.0.0.1", 0)) or each.getsockname()[1] for each in (one, two)]
        args = f"--port {ports[0]} --cluster-port {ports[1]} --bind 127.0.0.1 --cluster-enabled yes".split()
        pathlib.Path(folder, "nodes.conf").write_text(
            f"{'a' * 40} 127.0.0.1:{ports[0]}@{ports[1]} myself,master - 0 0 1 connected 0-16383\n"
            f"{'b' * 40} 127.0.0.1:1@2 master - 0 0 2 connected\nvars currentEpoch 2 lastVoteEpoch 0\n")
    args += ["--unixsocket", f"{folder}/socket", "--dir", folder, "--save", ""]
    return subprocess.Popen([program, *args], stdout=subprocess.DEVNULL)

def connect(folder, cluster, patience=30):
    server = redis.Redis(unix_socket_path=f"{folder}/socket", socket_timeout=patience)
    limit = time.monotonic() + patience
    server.response_callbacks.clear()
    while True:
        try:
            if not cluster and server.ping() or cluster and b"state:ok" in server.execute_command("CLUSTER", "INFO"):
                return server
        except redis.RedisError:
            pass
        if time.monotonic() > limit:
            sys.exit("the server does not come up")
        time.sleep(0.01)

class Run:
    def __init__(self, server, shas, case):
        self.redis, self.shas, self.case, self.kept = server.execute_command, shas, case, {}
        self.meta = "{ns}_meta" if case.get("server") == "cluster" else "ns_meta"

    def value(self, value):
        """A value of a case as it goes over the wire and comes back."""
        if isinstance(value, list):
            return [self.value(each) for each in value]
        if not isinstance(value, dict):
            return value.encode() if isinstance(value, str) else value
        if "from" in value:
            return self.part(value)
        if "repeat" in value:
            return value["repeat"].encode() * value["times"]
        if "base64" in value:
            return base64.b64decode(value["base64"])
        return {name.encode(): self.value(each) for name, each in value.items()}

    def part(self, value):
        kept = self.kept[value["from"]]
        if "at" not in value:
            return kept
        if not isinstance(kept, list) or len(kept) <= value["at"]:
            raise Failed(f"{value} is no part of the reply {kept}")
        return kept[value["at"]]

    def agrees(self, want, got):
        if isinstance(want, list) and isinstance(got, list):
            return len(want) == len(got) and all(map(self.agrees, want, got))
        if isinstance(want, dict) and "pairs" in want:
            return isinstance(got, list) and self.value(want["pairs"]) == dict(zip(got[::2], got[1::2]))
        if isinstance(want, dict) and "length" in want:
            return isinstance(got, list) and len(got) == want["length"]
        return got is not None if isinstance(want, dict) and "any" in want else self.value(want) == got

    def step(self, step):
        code, before = step.get("error"), None
        if code or step.get("unchanged"):
            before = self.redis("EVAL", DIGEST, 0)
        call, keys = self.value(step.get("do") or step["redis"]), step.get("keys", [self.meta])
        try:
            script = [b"EVALSHA", self.shas[call[0].decode()], len(keys), *keys] if "do" in step else call[:1]
            got = self.redis(*script, *call[1:])
        except redis.RedisError as error:
            got = next((code for kind, code in STRIPPED.items() if isinstance(error, kind)), str(error).split()[0])
            if got != code or len(str(error)) < 20 or step.get("says", "") not in str(error):
                raise Failed(f"expected {code or 'a reply'} {step.get('says', '')}, got the error {error}")
        else:
            if code or "reply" in step and not self.agrees(step["reply"], got):
                raise Failed(f"expected {code or step['reply']}, got {got}")
            self.kept[step.get("as")] = got
        if before is not None and before != (after := self.redis("EVAL", DIGEST, 0)):
            before, after = (set(zip(all[::2], all[1::2])) for all in (before, after))
            raise Failed(f"a call that must change nothing changed {sorted({key for key, _ in before ^ after})}")

    def key(self, name, want):
        kind = self.redis("TYPE", name).decode()
        got = self.redis(*READ[kind].format(name).split()) if kind in READ else None
        (form, content), = (want or {"none": None}).items()
        content = self.value(sorted(content) if form == "set" else content)
        if kind in ("hash", "zset"):
            got = dict(zip(got[::2], got[1::2] if kind == "hash" else map(float, got[1::2])))
        if kind in ("set", "stream"):
            got = sorted(got) if kind == "set" else [entry[1] for entry in got]
        if form == "hash~" and kind == "hash":
            got = {field: got.get(field) for field in content}
        if kind != form.rstrip("~") or got != content:
            raise Failed(f"expected {name} to be {want}, it is {kind} {got}")

    def all(self):
        self.redis("FLUSHALL")
        try:
            for number, step in enumerate(self.case["steps"], 1):
                try:
                    self.step(step)
                except Failed as failed:
                    raise Failed(f"step {number}, {str(step.get('do') or step['redis'])[:200]}: {failed}")
            for name, want in self.case.get("keys", {}).items():
                self.key(name, want)
            others = set(self.redis("KEYS", "*")) - set(map(str.encode, self.case.get("keys", {})))
            if others and self.case.get("no_other_keys"):
                raise Failed(f"there are other keys: {sorted(others)}")
        finally:
            for command in self.case.get("after", []):
                self.redis(*command)

def main(bundle):
    manifest = json.loads((bundle / "manifest.json").read_text())["commands"]
    files = sorted(bundle.glob("conformance/*.json"))
    cases = [(file.stem, case) for file in files for case in json.loads(file.read_text())]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        kinds = {"single": f"{folder}/single", "cluster": f"{folder}/cluster"}
        processes = [start(path, kind == "cluster") for kind, path in kinds.items()]
        try:
            for kind, path in kinds.items():  # the cluster last: it needs two seconds to come up
                server, shas = connect(path, kind == "cluster"), {}
                for name in manifest:
                    shas[name] = server.execute_command("SCRIPT", "LOAD", (bundle / manifest[name]["file"]).read_bytes()).decode()
                    assert shas[name] == manifest[name]["sha1"], f"{name} is not what the manifest says"
                for file, case in [each for each in cases if each[1].get("server", "single") == kind]:
                    try:
                        Run(server, shas, case).all()
                        passed += 1
                    except Failed as failure:
                        failed += 1
                        print(f"FAILED {file}: {case['name']}: {failure}")
        finally:
            for process in processes:
                process.kill()
                process.wait()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0

if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

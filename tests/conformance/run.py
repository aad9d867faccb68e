#!/usr/bin/env python3
"""Runs the conformance cases of a bundle: run.py BUNDLE_DIRECTORY [NAME...]
With names, runs only the cases that check a reply of one of these commands, or are in a file of that name. Starts its
own servers; if REDIS_URL is set, uses that server instead, which must be empty. Needs the bundle (manifest.json,
scripts/, conformance/) and the `redis` package; README.md describes the format of a case. Also compares every reply
with its shape in the manifest, and every error with the codes there."""
import base64, hashlib, json, os, pathlib, re, shutil, socket, subprocess, sys, tempfile, threading, time
import redis
from client import Client, Misfit

# The command that reads a key of each type completely; and a script that reads all keys at once.
LETTERS = {
    "p": ">pending>submit", "r": "pending>reserved>reserve", "t": "pending>started>reserve", "s": "reserved>started>start",
    "c": "started>complete>complete",
}
READ = {"list": "LRANGE {} 0 -1", "set": "SMEMBERS {}", "zset": "ZRANGE {} 0 -1 WITHSCORES", "hash": "HGETALL {}",
        "stream": "XRANGE {} - +", "string": "GET {}"}
CONTENTS = """local keys, all = redis.call('KEYS', '*'), {} table.sort(keys)
    for i, key in ipairs(keys) do all[2 * i - 1], all[2 * i] = key, redis.call('DUMP', key) end return all"""

# Allowed values of a field of a reply, by the words of its shape.
ALLOWED = {"type": "a value", "empty": "nothing", "nil": "nil"}

class Failed(Exception): """What differs from the case."""

def start(folder, cluster):
    program = os.environ.get("BLUEQUE_REDIS_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
    if not program:
        sys.exit("no redis-server or valkey-server: apt-get install redis-server, or set BLUEQUE_REDIS_SERVER")
    os.mkdir(folder)
    args = ["--port", "0"]
    if cluster:  # a node that owns every slot and knows a second node, so that a slot can be migrated
        with socket.socket() as one, socket.socket() as two:
            ports = [each.bind(("127.0.0.1", 0)) or each.getsockname()[1] for each in (one, two)]
        args = f"--port {ports[0]} --cluster-port {ports[1]} --bind 127.0.0.1 --cluster-enabled yes".split()
        pathlib.Path(folder, "nodes.conf").write_text(
            f"{'a' * 40} 127.0.0.1:{ports[0]}@{ports[1]} myself,master - 0 0 1 connected 0-16383\n"
            f"{'b' * 40} 127.0.0.1:1@2 master - 0 0 2 connected\nvars currentEpoch 2 lastVoteEpoch 0\n")
    args += ["--unixsocket", f"{folder}/socket", "--dir", folder, "--save", ""]
    return subprocess.Popen([program, *args], stdout=subprocess.DEVNULL)

def plain(server):
    """A client that returns the server's replies."""
    server.response_callbacks.clear()
    return server

def connect(folder, cluster, patience=30):
    server = plain(redis.Redis(unix_socket_path=f"{folder}/socket", socket_timeout=patience))
    limit = time.monotonic() + patience
    while True:
        try:
            if not cluster and server.ping() or cluster and b"state:ok" in server.execute_command("CLUSTER", "INFO"):
                return server
        except redis.RedisError:
            pass
        if time.monotonic() > limit:
            sys.exit("the server does not come up")
        time.sleep(0.01)

def scripts(folder, manifest):
    """The scripts of a bundle by name."""
    found = {name: (folder / entry["file"]).read_bytes() for name, entry in manifest["commands"].items()}
    for name, script in found.items():
        assert hashlib.sha1(script).hexdigest() == manifest["commands"][name]["sha1"], f"{name} is not what the manifest says"
    return found

class Seen(Client):
    """Records the values of each field of the replies."""
    def __init__(self, manifest):
        alike, self.met = {}, {}
        one = lambda part: alike.setdefault(json.dumps(part, sort_keys=True), part)
        for entry in manifest["commands"].values():  # what is alike is one, whichever commands and options have it
            for shape in filter(None, (entry["reply"], *(entry["reply"] or {}).get("with", {}).values())):
                shape.update({kind: one(shape[kind]) for kind in ("list", "items", "pairs") if kind in shape})
            entry["reply"] = one(entry["reply"])
        super().__init__(manifest, None, strict=True)
        self.fields, self.states, self.passed = manifest["fields"], manifest["states"], set()

    def value(self, field, got):
        found = super().value(field, got)
        what = found if found in field.get("words", []) else "a value" if found is not None else "nil" if got is None else "nothing"
        self.met.setdefault(id(field), set()).add(what)
        return found

    def record(self, kind, values):
        """Checks that the record of a task or a schedule has only described fields, and fields of custom commands."""
        for name, got in zip(values[::2], values[1::2]):
            if name.startswith(b"x_"):
                continue
            field = self.fields[kind].get(name.decode(errors="replace"))
            if not field:
                raise Misfit(f"the manifest does not describe the field {name} of a {kind}")
            self.value(field, got)
        names = {*map(bytes.decode, values[::2])}
        lacking = {name for name, field in self.fields[kind].items() if field["there"] == "always"} - names
        if lacking - ({"status"} if "graph" in names else set()):  # a task of a graph that is not released
            raise Misfit(f"a {kind} is without {sorted(lacking)}")

    def transition(self, event, reasons):
        """Checks that the manifest lists a transition. `reasons`: the reasons that calls of `release` gave."""
        start, to, why = event.get("from") or "absent", event.get("to"), event.get("why")
        allowed = self.states.get(to, {}).get("from", {}).get(start, [])
        if why not in allowed and why in reasons and "release" in allowed:
            why = "release"
        if why not in allowed:
            raise Misfit(f"the manifest does not let a task go from {start} to {to} by {why}")
        self.passed.add((start, to, why))

    def unmet(self):
        """Values that the shapes allow but no reply had, fields that no record had, and transitions that no task made."""
        for to, state in self.states.items():
            for start, reasons in state["from"].items():
                for why in reasons:
                    if (start, to, why) not in self.passed:
                        yield f"a transition from {start} to {to} by {why}"
        for kind, fields in self.fields.items():
            for name, field in fields.items():
                for what in {"a value", *(["nothing"] if "empty" in field else [])} - self.met.get(id(field), set()):
                    yield f"the field {name} of a {kind}: {what}"
        for name, entry in self.commands.items():
            shape = entry["reply"] or {}
            for shape in (shape, *shape.get("with", {}).values()):
                parts = [part for kind in ("list", "items", "pairs") for part in shape.get(kind, [])]
                for field in parts or [shape.get("value", shape)]:
                    wanted = {*field.get("words", []), *(what for word, what in ALLOWED.items() if word in field)}
                    for what in sorted(wanted - self.met.get(id(field), set())):
                        yield f"{name}: {field.get('name', 'the reply')}: {what}"

class Watch:
    """The keys that each command uses, and the fields of tasks that it writes, as the server's MONITOR reports them."""
    END = b"the last call has been made"
    # Pattern for a placeholder in the name of a key; all other placeholders match a name.
    WORDS = {"LISTENER": r"[\w.:-]+_\d+", "GROUP": r"[\w.:@-]*", "N": r"\d*", "YYYYMMDD": r"\d{8}"}

    def __init__(self, manifest, server, monitor, shas):
        self.commands, self.declared = {sha.encode(): name for name, sha in shas.items()}, manifest["commands"]
        pattern = lambda key, word: (re.compile(re.sub("[A-Z]+", word, re.escape(key[3:]))), key)
        strict = [pattern(key, lambda found: self.WORDS.get(found.group(), r"[\w.:@-]+")) for key in manifest["keys"]]
        # Some commands look up an invalid name before they refuse it.
        self.patterns = strict + [pattern(key, ".*") for key in sorted(manifest["keys"], key=len, reverse=True)]
        self.touched, self.wrote = {name: set() for name in shas}, {}
        self.server, self.client, self.monitor = server, monitor, monitor.connection_pool.get_connection()
        self.monitor.send_command("MONITOR")
        self.monitor.read_response()
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        command = None
        while self.END not in (line := self.monitor.read_response()):
            if b" lua] " not in line:
                call = re.search(rb'\] "EVALSHA" "(\w+)" "1" "{?ns}?_meta"', line)
                command = self.commands.get(call and call.group(1))
            elif command and b' lua] "PUBLISH" ' not in line:
                self.touched[command].update(re.findall(rb'"{?ns}?_([^"]*)"', line))
                if written := re.search(rb' lua\] "H(SET|DEL)" "{?ns}?_task_[^"]*" (.*)', line, re.S):
                    words = re.findall(rb'"((?:[^"\\]|\\.)*)"', written.group(2))
                    for field in words[::2] if written.group(1) == b"SET" else words:
                        self.wrote.setdefault(field.decode(errors="replace"), set()).add(command)

    def undeclared(self):
        """Yields what the manifest leaves out: keys of a command, and commands that change an option after the task
        was created."""
        self.server.execute_command("ECHO", self.END)
        self.thread.join()
        met = set()
        for command, keys in self.touched.items():
            found = {next((name for pattern, name in self.patterns if pattern.fullmatch(key)), key) for key in (key.decode(errors="replace") for key in keys)}
            met |= found
            if more := found - set(self.declared[command].get("touches", found)):
                yield f"the manifest does not say that {command} touches {' '.join(sorted(more))}"
        declared = {key for entry in self.declared.values() for key in entry.get("touches", [])}
        if more := declared - met:
            yield f"no case has a command that touches {' '.join(sorted(more))}"
        creators = self.wrote["created"]  # nothing else writes that field
        options = {option["name"]: option for name in creators for option in self.declared[name]["options"]}
        for name, option in options.items():
            changed = self.wrote.get(option.get("field"), set()) - creators
            if changed != set(option.get("change", [])):
                yield f"the manifest does not say that the option {name} is changed by {' '.join(sorted(changed)) or 'nothing'}"

class Bundle:
    """The scripts of a bundle, loaded into a server."""
    def __init__(self, manifest, scripts, server):
        self.manifest, self.shas, self.redis = manifest, {}, server.execute_command
        self.client = Seen(manifest)
        for name, script in scripts.items():
            self.shas[name] = self.redis("SCRIPT", "LOAD", script).decode()
        # Codes that the package removes from the text of an error.
        errors = {code: redis.connection.DefaultParser.parse_error(f"{code} text") for code in manifest["errors"]}
        self.stripped = {type(error): code for code, error in errors.items() if not str(error).startswith(code)}

    def code(self, error):
        """The code of an error."""
        return self.stripped.get(type(error)) or str(error).split()[0]

    def keys(self, name, namespace):
        return [key.replace("NAMESPACE", namespace) for key in self.manifest["commands"][name]["keys"]]

    def check(self, call, reply):
        """Checks that a reply matches the manifest."""
        name, *arguments = (part.decode(errors="surrogateescape") for part in call)
        try:
            self.client.read(name, set(self.client.named(name, arguments)), reply)
        except Misfit as misfit:
            raise Failed(f"the reply has another shape than the manifest's: {misfit}") from None

    def check_error(self, name, code):
        if code not in self.manifest["commands"][name]["errors"] and not self.manifest["errors"].get(code, {}).get("server"):
            raise Failed(f"the manifest does not list the error {code} of {name}")

class Run:
    def __init__(self, server, bundle, case, thorough=False):
        self.redis, self.bundle, self.case, self.kept, self.thorough = server.execute_command, bundle, case, {}, thorough
        self.namespace = "{ns}" if case.get("server") == "cluster" else "ns"

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
        if isinstance(want, dict) and "among" in want:
            some, got = want["among"], got if isinstance(got, list) else []
            return any(self.agrees(some, got[at:at + len(some)]) for at in range(len(got)))
        if isinstance(want, dict) and "pairs~" in want:
            found = dict(zip(got[::2], got[1::2])) if isinstance(got, list) else {}
            return all(self.agrees(value, found.get(name.encode())) for name, value in want["pairs~"].items())
        if isinstance(want, dict) and "pairs" in want:
            return isinstance(got, list) and self.value(want["pairs"]) == dict(zip(got[::2], got[1::2]))
        if isinstance(want, dict) and "length" in want:
            return isinstance(got, list) and len(got) == want["length"]
        return got is not None if isinstance(want, dict) and "any" in want else self.value(want) == got

    def step(self, step):
        code, before = step.get("error"), None
        if code or step.get("unchanged"):
            before = self.trace()
        call, name = self.value(step.get("do") or step["redis"]), step.get("do", [None])[0]
        try:
            keys = step["keys"] if "keys" in step else self.bundle.keys(name, self.namespace) if name else []
            script = [b"EVALSHA", self.bundle.shas[name], len(keys), *keys] if name else call[:1]
            got = self.redis(*script, *call[1:])
        except redis.RedisError as error:
            got = self.bundle.code(error)
            if got != code or len(str(error)) < 20 or step.get("says", "") not in str(error):
                raise Failed(f"expected {code or 'a reply'} {step.get('says', '')}, got the error {error}")
            if name:
                self.bundle.check_error(name, code)
        else:
            if code or "reply" in step and not self.agrees(step["reply"], got):
                raise Failed(f"expected {code or step['reply']}, got {got}")
            if name:
                self.bundle.check(call, got)
            self.kept[step.get("as")] = got
        if before is None:
            return
        after = self.trace()
        if before != after:
            changed = sorted({key for key, _ in before[1] ^ after[1]})
            raise Failed(f"a call that must change nothing changed {changed or 'nothing, but wrote again what is there'}")

    def trace(self):
        """A value that is equal before and after a call that changed nothing: the server's number of changes. The
        contents of the keys are compared as well if the user may not ask for the number, or if the run is thorough,
        which takes most of the time."""
        try:
            writes = re.search(rb"changes_since_last_save:(\d+)", self.redis("INFO", "persistence")).group()
        except redis.RedisError:
            writes = None  # a user who may not ask
        all = self.redis("EVAL", CONTENTS, 0) if self.thorough or not writes else []
        return writes, set(zip(all[::2], all[1::2]))

    def left(self):
        """Checks that records and events at the end of a case match the manifest, except the records and events that
        the case wrote itself."""
        words = {part for step in self.case["steps"] for part in step.get("redis", []) if isinstance(part, str)}
        calls = [step["do"] for step in self.case["steps"] if step.get("do", [None])[0] == "release"]
        reasons = {self.value(value).decode(errors="replace") for call in calls for name, value in zip(call, call[1:]) if name == "reason"}
        client = self.bundle.client
        kinds = {kind: lambda key, kind=kind: client.record(kind, self.redis("HGETALL", key)) for kind in client.fields}
        kinds["events"] = lambda key: [client.transition(event, reasons) for event in self.events(key)]
        for kind, look in kinds.items():
            for key in map(bytes.decode, sorted(self.redis("KEYS", f"{self.namespace}_{kind}_*"))):
                try:
                    if self.redis("TYPE", key) == (b"stream" if kind == "events" else b"hash"):
                        look(key)
                except Misfit as misfit:
                    if key not in words and "EVAL" not in words:
                        raise Failed(f"{key}: {misfit}") from None

    def events(self, key):
        """The states and the cause of each event: its entry begins with a letter for the most frequent, or with all three."""
        for _, entry in self.redis("XRANGE", key, "-", "+"):
            code = entry[1].decode(errors="replace").split(" ")[0] if entry[0] == b"e" else ""
            yield dict(zip(("from", "to", "why"), LETTERS.get(code, code).split(">", 2)))

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
            self.left()
        finally:
            for command in self.case.get("after", []):
                self.redis(*command)

class Own:
    """Servers that are started for the cases, one of each kind."""
    cannot = {}

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.processes = {kind: start(f"{self.folder.name}/{kind}", kind == "cluster") for kind in ("single", "cluster")}
        return self

    def connect(self, kind):
        return connect(f"{self.folder.name}/{kind}", kind == "cluster")

    def fitted(self, case):
        return case

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.folder.cleanup()

class Existing:
    """An existing server. It is empty, and is restored afterwards."""

    def __init__(self, url, cases):
        self.url, self.cannot = url, {"CLUSTER": "a cluster node of their own"}
        try:
            self.server = self.connect("single")
            if b"cluster_enabled:1" in self.server.execute_command("INFO", "cluster"):
                sys.exit("REDIS_URL is a node of a cluster: the cases need a single server")
            if keys := self.server.execute_command("INFO", "keyspace").decode().split()[2:]:
                sys.exit(f"REDIS_URL holds keys ({' '.join(keys)}), which the cases would delete: name an empty server")
        except (redis.RedisError, ValueError) as error:
            sys.exit(f"REDIS_URL: {error}")
        steps = [step.get("redis", []) for _, case in cases for step in case["steps"]]
        # Values that the server's settings had before the cases changed them; also `save`, as a snapshot resets the
        # server's counters.
        names = {"save", *(step[2] for step in steps if step[:2] == ["CONFIG", "SET"])}
        self.settings = {name: (self.may("CONFIG", "GET", name) or ["", None])[1] for name in names}
        if None in self.settings.values() or not self.may("CONFIG", "SET", "save", self.settings["save"]):
            self.cannot["CONFIG"] = "the right to call CONFIG"
        made = {step[2] for step in steps if step[:2] == ["ACL", "SETUSER"]}
        users = self.may("ACL", "USERS")
        if users is None:
            self.cannot["ACL"] = "the right to call ACL"
        elif taken := made & set(map(bytes.decode, users)):
            sys.exit(f"REDIS_URL has a user {' '.join(taken)}, whom the cases would delete: name another server")

    def may(self, *command):
        try:
            return self.server.execute_command(*command)
        except redis.RedisError:
            return None

    def connect(self, kind):
        return plain(redis.Redis.from_url(self.url, socket_timeout=30))

    def fitted(self, case):
        """Changes a case so that it restores this server's own user and settings, instead of the defaults of a new
        server."""
        login = self.server.get_connection_kwargs()
        me = ["AUTH", login.get("username") or "default", login.get("password") or "none"]
        fit = lambda command: me if command == ["AUTH", "default", "none"] else command
        changed = {step["redis"][2] for step in case["steps"] if step.get("redis", [])[:2] == ["CONFIG", "SET"]}
        back = [["CONFIG", "SET", name, self.settings[name]] for name in changed]
        steps = [{**step, "redis": fit(step["redis"])} if "redis" in step else step for step in case["steps"]]
        return {**case, "steps": steps, "after": [*map(fit, case.get("after", [])), *back]}

    def __enter__(self):
        if "CONFIG" not in self.cannot:
            self.may("CONFIG", "SET", "save", "")
        return self

    def __exit__(self, *_):
        self.may("FLUSHALL")
        if "CONFIG" not in self.cannot:
            self.may("CONFIG", "SET", "save", self.settings["save"])

def lacks(case, cannot):
    """Returns why a case cannot be played, if it needs something that the server lacks."""
    words = {"CLUSTER"} if case.get("server") == "cluster" else {step["redis"][0] for step in case["steps"] if "redis" in step}
    return next((cannot[word] for word in words if word in cannot), None)

def looked_at(steps):
    """The calls whose reply the case checks, and its last call."""
    calls = [step for step in steps if "do" in step]
    return [step for step in calls[:-1] if step.keys() & {"reply", "error", "unchanged", "as"}] + calls[-1:]

def failed_by(server, bundle, case):
    """Returns the reason why a case fails; None if it passes. A case that fails is played again, thoroughly."""
    try:
        Run(server, bundle, case).all()
    except Failed as failure:
        try:
            Run(server, bundle, case, thorough=True).all()
        except Failed as thorough:
            return thorough
        return failure

def chosen(bundle, manifest, only):
    """The cases of a bundle, or the cases that `only` selects, each with the name of its file."""
    files = sorted(bundle.glob("conformance/*.json"))
    if unknown := set(only) - set(manifest["commands"]) - {file.stem for file in files}:
        sys.exit(f"the bundle has no command and no file of cases {' '.join(sorted(unknown))}")
    cases = [(file.stem, case) for file in files for case in json.loads(file.read_text())]
    named = lambda file, case: file in only or any(step["do"][0] in only for step in looked_at(case["steps"]))
    return [each for each in cases if not only or named(*each)]

# If this is 4, a fourth of the cases is played, beginning with a case that BLUEQUE_SEED selects.
SHARE = int(os.environ.get("BLUEQUE_PASSES_SHARE", 1))

def share(cases):
    return cases[int(os.environ.get("BLUEQUE_SEED", 0)) % SHARE::SHARE]

def main(bundle, only):
    manifest = json.loads((bundle / "manifest.json").read_text())
    cases = chosen(bundle, manifest, only)
    whole = not only and SHARE == 1
    if not only:
        cases = share(cases)
    passed = failed = 0
    lacking, seen = {}, None
    url = os.environ.get("REDIS_URL")
    with Existing(url, cases) if url else Own() as place:
        for kind in ("single", "cluster"):  # the cluster last: it needs two seconds to come up
            here = [each for each in cases if each[1].get("server", "single") == kind]
            for what in filter(None, (lacks(case, place.cannot) for _, case in here)):
                lacking[what] = lacking.get(what, 0) + 1
            here = [each for each in here if not lacks(each[1], place.cannot)]
            if not here:
                continue
            server = place.connect(kind)
            loaded = Bundle(manifest, scripts(bundle, manifest), server)
            watch = None
            if kind == "single" and whole:  # only all cases together show what the manifest leaves out
                seen = loaded.client
                watch = None if url else Watch(manifest, server, place.connect(kind), loaded.shas)
            for file, case in here:
                if failure := failed_by(server, loaded, place.fitted(case)):
                    failed += 1
                    print(f"FAILED {file}: {case['name']}: {failure}")
                else:
                    passed += 1
            for failed, what in enumerate(watch.undeclared() if watch else [], failed + 1):
                print(f"FAILED {what}")
    if seen and not lacking:
        for failed, what in enumerate(seen.unmet(), failed + 1):
            print(f"FAILED no case has this part of a reply: {what}")
    for what, count in lacking.items():
        print(f"{count} not run: they need {what}")
    print(f"{passed} passed, {failed} failed" + (f", {sum(lacking.values())} not run" if lacking else ""))
    return 1 if failed or not passed else 0

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))

#!/usr/bin/env python3
"""Changes lua/ in one place after another, and reports which changes no case and no run of the model notices.
`make mutants SEED=1 COUNT=100`; README.md says what to do about the results."""
import argparse, collections, json, multiprocessing, os, pathlib, random, re, resource, shutil, signal, subprocess, sys, tempfile
import redis
import changes

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "target/mutants"
sys.path.append(str(ROOT / "tests/conformance"))
import run  # noqa: E402

PATIENCE = 5  # seconds for a call: a changed loop may have no end
MEMORY = 4 << 30  # bytes for a server, whatever it collects until then
LIMIT = 300  # seconds for a test program
NO_SCRIPT = "no script"  # what composes to nothing, or to the same: not counted

# Changes that no case on a single server detects: the lines, the test to run first, and its name in the output.
TESTS = [
    (r"namespace\.|probe|declare", "cluster", "half_moved", "a half moved slot"),
    (r"PUBLISH|announce|wake", "announcements", "", "who listens on the channels"),
    (r"rights|\bmay\b|namespace\.(begin|begin_declared)|namespace\.meta, ''", "rights", "", "who lacks a right, or memory"),
]

def command(*words, **more):
    return subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, **more).stdout

def prepare(folder):
    """Copies the cases, and into the folder the sources, the composer and the test programs, so that later edits
    disturb nothing."""
    for sources in ("lua", "contract"):
        shutil.copytree(ROOT / sources, folder / sources)
    bundle = pathlib.Path(command(*"cargo run --locked --quiet --example bundle --".split(), folder).strip())
    shutil.copy(bundle / "manifest.json", folder)
    programs = [word for program in ["model", *(test[1] for test in TESTS)] for word in ("--test", program)]
    built = command(*"cargo test --locked --quiet --all-features --no-run --message-format json".split(), *programs)
    for each in map(json.loads, built.splitlines()):
        if each.get("target", {}).get("kind") == ["custom-build"] and "/blueque-" in each["filenames"][0]:
            shutil.copy(each["filenames"][0], folder / "compose")
        elif each.get("executable"):
            shutil.copy(each["executable"], folder / each["target"]["name"])
    return [(file.stem, case) for file in sorted(bundle.glob("conformance/*.json"))
            for case in json.loads(file.read_text())]

def tests_of(change):
    return [test for lines, *test in TESTS if re.search(lines, f"{change.file} {change.line}")]

class Place:
    """A copy of lua/ and servers, to try changes on."""

    def __init__(self, prepared, cases, settings, noticed):
        self.prepared, self.cases, self.settings, self.noticed = prepared, cases, settings, noticed
        self.processes, self.servers = {}, {}

    def __enter__(self):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="blueque-mutants-"))
        for sources in ("lua", "contract"):
            shutil.copytree(self.prepared / sources, self.folder / sources)
        self.original = self.compose()
        self.manifest = json.loads((self.prepared / "manifest.json").read_text())
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
            process.wait()
        shutil.rmtree(self.folder)

    def compose(self):
        """The scripts by name, or nothing if they cannot be composed."""
        done = subprocess.run([self.prepared / "compose"], cwd=self.folder, env=os.environ | {"OUT_DIR": str(self.folder)},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        scripts = (self.folder / "bundle").glob("*.lua") if done.returncode == 0 else ()
        return {script.stem: script.read_bytes() for script in scripts}

    def server(self, kind):
        """A server that replies: not one that a change has blocked."""
        try:
            if kind in self.servers and run.connect(f"{self.folder}/{kind}", kind == "cluster", 1):
                return self.servers[kind]
        except SystemExit:
            self.processes[kind].kill()
            self.processes[kind].wait()
            shutil.rmtree(self.folder / kind)
        self.processes[kind] = run.start(f"{self.folder}/{kind}", kind == "cluster")
        self.servers[kind] = run.connect(f"{self.folder}/{kind}", kind == "cluster", PATIENCE)
        return self.servers[kind]

    def attempt(self, change):
        """Returns what notices this change: a case, the model, or nothing."""
        file = self.folder / "lua" / change.file
        text = file.read_text()
        file.write_text(text[:change.start] + change.new + text[change.end:])
        try:
            scripts = self.compose()
            if not scripts or scripts == self.original:
                return NO_SCRIPT
            changed = {name for name in scripts if scripts[name] != self.original[name]}
            return self.cases_notice(scripts, changed, change.file) or self.tests_notice(change)
        finally:
            file.write_text(text)

    def cases_notice(self, scripts, changed, file):
        of_file, stem = self.noticed[file], pathlib.Path(file).stem
        concerned = [each for each in self.cases if any(step.get("do", [""])[0] in changed for step in each[1]["steps"])]
        # First the cases that noticed other changes of this file, then those named after it; the cluster is slow.
        concerned.sort(key=lambda each: (each[1].get("server") == "cluster", -of_file[each[1]["name"]],
                                         stem != each[0] and not each[1]["name"].startswith(stem + " ")))
        kind = None
        for _, case in concerned:
            if kind != (kind := case.get("server", "single")):
                server = self.server(kind)
                server.execute_command("SCRIPT", "FLUSH")
                try:
                    bundle = run.Bundle(self.manifest, scripts, server)
                except redis.ResponseError:
                    return NO_SCRIPT
            try:
                run.Run(server, bundle, case).all()
            except (run.Failed, redis.RedisError):
                self.noticed[file][case["name"]] += 1
                self.server(kind)
                return case["name"]
        return None

    def tests_notice(self, change):
        for program, test, name in tests_of(change):
            if not self.passes(program, test):
                return name
        if self.settings.calls and not self.passes("model", "random"):
            return "the model"
        return None

    def passes(self, program, test):
        values = {"BLUEQUE_SCRIPTS": str(self.folder / "bundle"), "BLUEQUE_MODEL_CALLS": str(self.settings.calls),
                  "BLUEQUE_SEED": str(self.settings.seed), "BLUEQUE_MODEL_SHRINK": "0", "TMPDIR": str(self.folder)}
        process = subprocess.Popen([self.prepared / program, test], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=os.environ | values, start_new_session=True)
        try:
            return process.wait(LIMIT) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # and with it the servers of a test that did not end
            except ProcessLookupError:
                pass
            process.wait()

def work(todo, done, *place):
    try:
        with Place(*place) as place:
            for change in iter(todo.get, None):
                done.put((change, place.attempt(change)))
    except Exception as error:
        done.put((None, error))
        raise

def main(settings, prepared):
    cases, lua = prepare(prepared), prepared / "lua"
    known = json.loads((ROOT / "tests/mutants/known.json").read_text())
    everything = [change for file in changes.files(lua) for change in changes.of(lua, file)]
    listed = {(each["file"], each.get("line") or each["piece"], each.get("becomes")) for each in known}
    there = {name for change in everything for name in change.known_as()}
    for file, line, becomes in sorted(listed - there, key=str):
        print(f"known.json: lua/{file} has this change no more: {line} -> {becomes}")
    drawn = [each for each in everything if f"lua/{each.file}:{each.number}" in settings.only]
    drawn = drawn or changes.draw([each for each in everything if listed.isdisjoint(each.known_as())], settings.count,
                                  random.Random(settings.seed))

    # A change that was noticed is not tried again; remove target/mutants to repeat it.
    WORK.mkdir(parents=True, exist_ok=True)
    tried, noticed = WORK / "tried.jsonl", collections.defaultdict(collections.Counter)
    before = {}
    for line in tried.read_text().splitlines() if tried.exists() else ():
        key, by = json.loads(line)
        before[tuple(key)] = by
        noticed[key[0]][by] += 1
    results = {change: before[change.key()] for change in drawn if before.get(change.key())}
    left = [change for change in drawn if change not in results]
    print(f"{len(drawn)} of {len(everything)} changes, {len(results)} of them tried before; {settings.jobs} at a time", flush=True)

    with Place(prepared, cases, settings, noticed) as place:
        same = place.cases_notice(place.original, set(place.original), "")
        for program, test, name in {tuple(test) for change in left for test in tests_of(change)}:
            same = same or not place.passes(program, test) and name
        if same:
            sys.exit(f"nothing was changed, and yet this fails: {same}")
    todo, done = multiprocessing.Queue(), multiprocessing.Queue()
    for change in left + [None] * settings.jobs:
        todo.put(change)
    workers = [multiprocessing.Process(target=work, daemon=True, args=(todo, done, prepared, cases, settings, noticed))
               for _ in range(settings.jobs)]
    for worker in workers:
        worker.start()
    with tried.open("a") as file:
        for _ in left:
            change, by = done.get()
            if not change:
                raise by
            results[change] = by
            print(json.dumps([change.key(), by]), file=file, flush=True)
            if not by:
                print(f"not noticed: {change}", flush=True)
    counted = [by for by in results.values() if by != NO_SCRIPT]
    print(f"{sum(map(bool, counted))} of {len(counted)} changes were noticed, {100 * sum(map(bool, counted)) / len(counted):.1f} %")
    return 0 if all(counted) else 1

if __name__ == "__main__":
    words = argparse.ArgumentParser()
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--count", type=int, default=100)
    words.add_argument("--jobs", type=int, default=os.cpu_count())
    words.add_argument("--calls", type=int, default=20000, help="of the model")
    words.add_argument("--only", nargs="*", default=[], help="every change of these lines instead, lua/FILE:LINE")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that the servers end too, here and in the workers
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(main(words.parse_args(), pathlib.Path(folder)))

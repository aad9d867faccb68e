#!/usr/bin/env python3
"""What partitions carry: scale.py BUNDLE_DIRECTORY [TASKS]

For 1, 2, 4 and 8 partitions, each on a server of its own that is pinned to a core: TASKS tasks each are submitted, taken
and completed. Prints a table: tasks per second of all together, the servers' time for a task, and the memory of one that
waits. Calls for all partitions are on their way at the same time, from one process."""
import json, os, pathlib, shutil, subprocess, sys, tempfile, time
import redis

PARTITIONS = (1, 2, 4, 8)
SUBMITTED, TAKEN = 100, 16  # tasks in one call
ROUNDS = 3

class Partition:
    """A server, and what its listener holds."""
    def __init__(self, folder, core, number, manifest, scripts):
        program = os.environ.get("BLUEQUE_REDIS_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
        os.mkdir(folder)
        pinned = ["taskset", "-c", str(core)] if shutil.which("taskset") else []
        options = ["--port", "0", "--unixsocket", f"{folder}/socket", "--dir", folder, "--save", "", "--appendonly", "yes"]
        self.process = subprocess.Popen([*pinned, program, *options], stdout=subprocess.DEVNULL)
        self.server = redis.Redis(unix_socket_path=f"{folder}/socket", socket_timeout=30)
        for _ in range(1000):
            try:
                self.server.ping()
                break
            except redis.RedisError:
                time.sleep(0.01)
        self.connection = self.server.connection_pool.get_connection()
        self.commands, self.name, self.held = manifest["commands"], f"p{number}", []
        for script in scripts.values():
            self.server.script_load(script)
        self.ask("register", "", "q", "host_1")

    def send(self, command, *args):
        self.connection.send_command("EVALSHA", self.commands[command]["sha1"], 1, "blueque_meta", *args)

    def answer(self):
        return self.connection.read_response()

    def ask(self, command, *args):
        self.send(command, *args)
        return self.answer()

    def spent(self):
        """The processor time of the server, in seconds."""
        cpu = self.server.info("cpu")
        return cpu["used_cpu_user"] + cpu["used_cpu_sys"]

    def memory(self):
        return self.server.info("memory")["used_memory"]

    def submit(self, first):
        tasks = [word for number in range(first, first + SUBMITTED) for word in (f"{self.name}-{number}", "", '["movie-17.mkv"]')]
        self.send("submit", "", "q", SUBMITTED, *tasks)

    def exchange(self):
        ends = [word for id, token in self.held for word in ("complete", id, token, "null", "", "", "")]
        if ends:
            self.send("exchange", "", "host_1", "q", TAKEN, len(self.held), *ends, "pid", "1")
        else:
            self.send("reserve", "", "host_1", "1", "q", "limit", TAKEN, "pid", "1")

    def taken(self):
        """Reads what was taken; returns how many tasks were ended by the call."""
        answer, ended = self.answer() or [], len(self.held)
        if ended:
            assert answer[0] == b" ".join([b"complete"] * ended) and not answer[1], answer[:2]
            answer = answer[2:]
        self.held = [(answer[at], answer[at + 2]) for at in range(0, len(answer), self.size(answer))]
        return ended

    @staticmethod
    def size(answer):
        return next((size for size in range(10, 16) if len(answer) % size == 0 and all(
            answer[at + 1] == b"q" for at in range(0, len(answer), size))), 11)

    def stop(self):
        self.process.terminate()
        self.process.wait()

def measure(partitions, tasks):
    """Rates and costs of these partitions."""
    memory = [partition.memory() for partition in partitions]
    spent = [partition.spent() for partition in partitions]
    begun = time.monotonic()
    for first in range(0, tasks, SUBMITTED):
        for partition in partitions:
            partition.submit(first)
        for partition in partitions:
            partition.answer()
    submitted = time.monotonic() - begun
    waiting = sum(partition.memory() for partition in partitions) - sum(memory)
    ended = 0
    begun = time.monotonic()
    while ended < tasks * len(partitions):
        for partition in partitions:
            partition.exchange()
        ended += sum(partition.taken() for partition in partitions)
    worked = time.monotonic() - begun
    all_tasks = tasks * len(partitions)
    cost = sum(partition.spent() for partition in partitions) - sum(spent)
    return all_tasks / (submitted + worked), cost / all_tasks * 1e6, waiting / all_tasks

def main():
    folder, tasks = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    manifest = json.loads((folder / "manifest.json").read_text())
    needed = ("register", "submit", "reserve", "exchange")
    scripts = {name: (folder / manifest["commands"][name]["file"]).read_bytes() for name in needed}
    cores = sorted(os.sched_getaffinity(0))
    print(f"{tasks} tasks for each partition, {len(cores)} cores, the best of {ROUNDS} rounds")
    print("| partitions | tasks/s | server time for a task | memory of a task that waits |\n|---|---|---|---|")
    for number in PARTITIONS:
        best = None
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as place:
                partitions = []
                try:
                    for at in range(number):
                        core = cores[at % len(cores)]
                        partitions.append(Partition(f"{place}/{at}", core, at, manifest, scripts))
                    found = measure(partitions, tasks // SUBMITTED * SUBMITTED)
                finally:
                    for partition in partitions:
                        partition.stop()
            best = found if best is None or found[0] > best[0] else best
        rate, cost, memory = best
        print(f"| {number} | {rate:,.0f} | {cost:.1f} µs | {memory:.0f} bytes |", flush=True)

if __name__ == "__main__":
    main()

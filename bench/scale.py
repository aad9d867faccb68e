#!/usr/bin/env python3
"""Measures the throughput of partitions: scale.py BUNDLE_DIRECTORY [TASKS [PICTURE]]

Submits, takes and completes TASKS tasks for each partition. It measures 1, 2, 4 and 8 partitions, each on a server
that is pinned to a core, and 3 partitions on a cluster of 3 masters and 3 replicas. The figures are tasks per second
of all partitions together, the servers' processor time for a task when the partitions work at the same time and when
they work in turn, and the memory of a waiting task. The last figure compares the time of the scripts on a cluster
with the time on a single server. PICTURE: a plot as SVG. A single process makes the calls for all partitions at the
same time."""
import json, os, pathlib, shutil, socket, subprocess, sys, tempfile, time
import picture
import redis

PARTITIONS = (1, 2, 4, 8)
SUBMITTED, TAKEN = 100, 16  # tasks for each call
ROUNDS = 3
MASTERS = 3
SLOTS = ("0-5460", "5461-10922", "10923-16383")

class Server:
    def __init__(self, folder, core, scripts, options=()):
        program = os.environ.get("BLUEQUE_REDIS_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
        os.makedirs(folder, exist_ok=True)
        pinned = ["taskset", "-c", str(core)] if shutil.which("taskset") else []
        common = ["--unixsocket", f"{folder}/socket", "--dir", folder, "--save", "", "--appendonly", "yes"]
        self.process = subprocess.Popen([*pinned, program, *(options or ["--port", "0"]), *common], stdout=subprocess.DEVNULL)
        self.socket = f"{folder}/socket"
        self.client = redis.Redis(unix_socket_path=self.socket, socket_timeout=30)
        self.until(lambda: self.client.ping())
        for script in scripts.values():
            self.client.script_load(script)

    def until(self, what):
        for _ in range(3000):
            try:
                if what():
                    return
            except redis.RedisError:
                pass
            time.sleep(0.01)
        raise SystemExit("a server is not ready within 30 s")

    def spent(self):
        """Processor time of the server, in seconds."""
        cpu = self.client.info("cpu")
        return cpu["used_cpu_user"] + cpu["used_cpu_sys"]

    def scripts(self):
        """Time of all scripts on the server, in seconds."""
        return self.client.info("commandstats").get("cmdstat_evalsha", {}).get("usec", 0) / 1e6

    def memory(self):
        return self.client.info("memory")["used_memory"]

    def stop(self):
        self.process.terminate()
        self.process.wait()

class Partition:
    """A namespace of a server, and the tasks that its listener holds."""
    def __init__(self, server, namespace, manifest):
        self.server, self.key = server, f"{namespace}_meta"
        self.connection = server.client.connection_pool.get_connection()
        self.commands, self.held, self.rounds = manifest["commands"], [], 0
        self.send("register", "", "q", "host_1")
        self.answer()

    def send(self, command, *args):
        self.connection.send_command("EVALSHA", self.commands[command]["sha1"], 1, self.key, *args)

    def answer(self):
        return self.connection.read_response()

    def submit(self, first):
        ids = (f"p{self.rounds}-{number}" for number in range(first, first + SUBMITTED))
        tasks = [word for id in ids for word in (id, "", '["movie-17.mkv"]')]
        self.send("submit", "", "q", SUBMITTED, *tasks)

    def finish_and_reserve(self):
        ends = [word for id, token in self.held for word in ("complete", id, token, "null", "", "", "")]
        if ends:
            self.send("finish_and_reserve", "", "host_1", "q", TAKEN, len(self.held), *ends, "pid", "1")
        else:
            self.send("reserve", "", "host_1", "1", "q", "limit", TAKEN, "pid", "1")

    def taken(self):
        """Reads the reply with the taken tasks. Returns the number of tasks that the call ended."""
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

def measure(partitions, tasks):
    """Tasks per second, processor time and script time for each task, and bytes of a waiting task."""
    servers = [partition.server for partition in partitions]
    for partition in partitions:
        partition.rounds += 1
    memory = sum(server.memory() for server in servers)
    spent, scripts = (sum(map(what, servers)) for what in (Server.spent, Server.scripts))
    begun = time.monotonic()
    for first in range(0, tasks, SUBMITTED):
        for partition in partitions:
            partition.submit(first)
        for partition in partitions:
            partition.answer()
    submitted = time.monotonic() - begun
    waiting = sum(server.memory() for server in servers) - memory
    ended, begun = 0, time.monotonic()
    while ended < tasks * len(partitions):
        for partition in partitions:
            partition.finish_and_reserve()
        ended += sum(partition.taken() for partition in partitions)
    worked, all_tasks = time.monotonic() - begun, tasks * len(partitions)
    spent, scripts = (sum(map(what, servers)) - before for what, before in
                      ((Server.spent, spent), (Server.scripts, scripts)))
    return all_tasks / (submitted + worked), spent / all_tasks * 1e6, scripts / all_tasks * 1e6, waiting / all_tasks

def cluster(folder, cores, scripts, replicas):
    """Starts three masters, each with a replica if `replicas`. Returns the servers, and which of them are masters."""
    number = MASTERS * (2 if replicas else 1)
    held = [socket.socket() for _ in range(2 * number)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    servers = []
    for own in range(number):
        place = pathlib.Path(folder) / str(own)
        place.mkdir()
        lines = ""
        for other in range(number):
            what = (f"master - 0 0 {other + 1} connected {SLOTS[other]}" if other < MASTERS
                    else f"slave {str(other - MASTERS) * 40} 0 0 {other - MASTERS + 1} connected")
            me = "myself," if own == other else ""
            lines += f"{str(other) * 40} 127.0.0.1:{ports[2 * other]}@{ports[2 * other + 1]} {me}{what}\n"
        (place / "nodes.conf").write_text(f"{lines}vars currentEpoch {MASTERS} lastVoteEpoch 0\n")
        options = ["--port", str(ports[2 * own]), "--cluster-port", str(ports[2 * own + 1]), "--bind", "127.0.0.1",
                   "--cluster-enabled", "yes", "--repl-diskless-sync-delay", "0"]
        servers.append(Server(str(place), cores[own % len(cores)], scripts, options))
    for at, server in enumerate(servers):
        server.until(lambda: server.client.execute_command("CLUSTER INFO").get("cluster_state") == "ok")
        if at >= MASTERS:
            server.until(lambda: server.client.info("replication").get("master_link_status") == "up")
    return servers

def namespaces(server):
    """A namespace in the slots of each master."""
    found, number = {}, 0
    while len(found) < MASTERS:
        slot = server.client.execute_command("CLUSTER KEYSLOT", f"{{blueque:{number}}}")
        low = next(at for at, slots in enumerate(SLOTS) if slot <= int(slots.split("-")[1]))
        found.setdefault(low, f"{{blueque:{number}}}")
        number += 1
    return [found[at] for at in range(MASTERS)]

def rounds(what):
    """The best rate, and the least of each cost: disturbances of a round only add to a cost."""
    all_rounds = [what() for _ in range(ROUNDS)]
    rates, *costs = zip(*all_rounds)
    return max(rates), *map(min, costs)

def one_after_the_other(partitions, tasks):
    each = [measure([partition], tasks) for partition in partitions]
    return [sum(values) / len(values) for values in zip(*each)]

def main():
    folder, tasks = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    tasks = tasks // SUBMITTED * SUBMITTED
    manifest = json.loads((folder / "manifest.json").read_text())
    needed = ("register", "submit", "reserve", "finish_and_reserve")
    scripts = {name: (folder / manifest["commands"][name]["file"]).read_bytes() for name in needed}
    cores = sorted(os.sched_getaffinity(0))
    print(f"{tasks} tasks for each partition, {len(cores)} cores, the best of {ROUNDS} rounds; load {os.getloadavg()[0]:.1f}")
    print("| partitions | tasks/s | server time for a task | one after the other | memory of a task that waits |\n|---|---|---|---|---|")
    shown = []

    def row(name, partitions, more=""):
        rate, cost, _, memory = rounds(lambda: measure(partitions, tasks))
        apart = rounds(lambda: one_after_the_other(partitions, tasks))[1]
        print(f"| {name} | {rate:,.0f} | {cost:.1f} µs{more and more()} | {apart:.1f} µs | {memory:.0f} bytes |", flush=True)
        shown.append((name, rate, cost, apart))

    for number in PARTITIONS:
        with tempfile.TemporaryDirectory() as place:
            servers = []
            try:
                for at in range(number):
                    servers.append(Server(f"{place}/{at}", cores[at % len(cores)], scripts))
                row(str(number), [Partition(server, "blueque", manifest) for server in servers])
            finally:
                for server in servers:
                    server.stop()
    with tempfile.TemporaryDirectory() as place:
        servers = cluster(place, cores, scripts, True)
        try:
            names = namespaces(servers[0])
            row("3 of a cluster, each with a replica", [Partition(*pair, manifest) for pair in zip(servers, names)])
        finally:
            for server in servers:
                server.stop()
    beside(cores, manifest, scripts, tasks)
    if len(sys.argv) > 3:
        names = [name if name.isdigit() else "3 + 3\nreplicas" for name, *_ in shown]
        rates, costs, aparts = ([values[at] for values in shown] for at in (1, 2, 3))
        micro = lambda value: f"{value:.0f}"
        picture.draw([
            picture.bars("tasks per second, all partitions", names, [("", rates, lambda rate: f"{rate / 1000:.1f}k")]),
            picture.bars("server time for a task, µs", names, [("at the same time", costs, micro), ("one after the other", aparts, micro)]),
        ], pathlib.Path(sys.argv[3]))

def beside(cores, manifest, scripts, tasks):
    """Runs the same tasks on a single server and on a node of a cluster, in turn."""
    with tempfile.TemporaryDirectory() as place:
        servers = []
        try:
            servers.append(Server(f"{place}/one", cores[0], scripts))
            nodes = cluster(f"{place}", cores, scripts, False)
            servers += nodes
            kinds = {
                "one server": Partition(servers[0], "blueque", manifest),
                "one server, a namespace with a tag": Partition(servers[0], "{blueque:0}", manifest),
                "a node of a cluster": Partition(nodes[0], namespaces(nodes[0])[0], manifest),
            }
            costs = {name: [] for name in kinds}
            for _ in range(3 * ROUNDS):
                for name, partition in kinds.items():
                    costs[name].append(measure([partition], tasks)[1:3])
        finally:
            for server in servers:
                server.stop()
    print("\n| | time of the scripts for a task | processor time |\n|---|---|---|")
    first = None
    for name, found in costs.items():
        spent, script = (min(values) for values in zip(*found))
        first = first or (script, spent)
        print(f"| {name} | {script:.1f} µs, {script / first[0]:.2f} x | {spent:.1f} µs, {spent / first[1]:.2f} x |")

if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Many partitions, simulated by events: simulate.py [SEED] [TASKS] [WORKERS] [SLOTS]

By default there are 1,000 partitions and 3,125 workers with 32 slots each. Each worker serves 32 partitions, as
`blueque worker` does: an empty slot takes a task from the partition whose last look is the longest ago. A tenth of
the tasks release a task that waits in another partition. Servers fail and come back. The constants below are
measured or assumed. The seed is printed, and the same seed gives the same result."""
import collections, heapq, random, statistics, sys

PARTITIONS, SERVED = 1_000, 32
WORKERS, SLOTS = (int(sys.argv[at]) if len(sys.argv) > at else usual for at, usual in ((3, 3_125), (4, 32)))
SERVER = 41.6e-6  # a server's time for a task, measured by make scale
DELIVERY = 0.005  # time of a delivery between servers that are up
RUNS, BUSY = 600.0, 0.8  # mean run time, and the share of slots in use
EDGES, HOT = 0.1, (0.0, 0.01, 0.05)  # shares of tasks with an edge, and of tasks with the same key
OUTAGE, EVERY = 30.0, 86_400.0  # length of an outage, and mean time between outages of a partition
FIRST, LONGEST = 0.2, 300.0  # pauses of a delivery, doubled each time

def simulate(seed, tasks, hottest):
    chance = random.Random(seed)
    # All partitions are served by about the same number of workers.
    serves, servants = [], [[] for _ in range(PARTITIONS)]
    order = []
    for worker in range(WORKERS):
        if len(order) < SERVED:
            order += chance.sample(range(PARTITIONS), PARTITIONS)
        serves.append(collections.deque(order[:SERVED]))
        del order[:SERVED]
        for partition in set(serves[-1]):
            servants[partition].append(worker)
    free = [SLOTS] * WORKERS
    waiting = [collections.deque() for _ in range(PARTITIONS)]
    away = [0.0] * PARTITIONS  # end of the outage of each partition
    submitted, delays, hot_delays, lags = [0] * PARTITIONS, [], [], []
    rate = BUSY * WORKERS * SLOTS / RUNS
    events, number, outages, left = [], 0, 0, tasks

    def at(time, kind, *what):
        nonlocal number
        number += 1
        heapq.heappush(events, (time, number, kind, what))

    def start(now, worker, partition):
        came, hot = waiting[partition].popleft()
        (hot_delays if hot else delays).append(now - came)
        free[worker] -= 1
        at(now + chance.expovariate(1 / RUNS), "end", worker, partition)

    def look(now, worker):
        """Fills the free slots of a worker from its partitions in turn."""
        for _ in range(SERVED):
            if not free[worker]:
                return
            partition = serves[worker][0]
            serves[worker].rotate(-1)
            if waiting[partition] and away[partition] <= now:
                start(now, worker, partition)

    at(0.0, "task")
    at(chance.expovariate(PARTITIONS / EVERY), "fail")
    now = 0.0
    while len(delays) + len(hot_delays) < tasks:
        now, _, kind, what = heapq.heappop(events)
        if kind == "task" and left:
            left -= 1
            hot = chance.random() < hottest
            partition = 0 if hot else chance.randrange(PARTITIONS)
            submitted[partition] += 1
            waiting[partition].append((now, hot))  # the caller tries again until the server is back
            for worker in chance.sample(servants[partition], min(8, len(servants[partition]))):
                if free[worker] and waiting[partition] and away[partition] <= now:
                    start(now, worker, partition)
            at(now + chance.expovariate(rate), "task")
        elif kind == "fail":
            partition = chance.randrange(PARTITIONS)
            away[partition], outages = now + OUTAGE, outages + 1
            at(now + OUTAGE, "back", partition)
            at(now + chance.expovariate(PARTITIONS / EVERY), "fail")
        elif kind == "back":
            for worker in servants[what[0]]:
                look(now, worker)
        elif kind == "end":
            worker, partition = what
            if away[partition] > now:  # the supervisor reports when the server is back
                at(away[partition], "end", worker, partition)
                continue
            if chance.random() < EDGES:
                target, arrives, pause = chance.randrange(PARTITIONS), now + DELIVERY, FIRST
                while arrives < away[target]:
                    arrives, pause = arrives + pause, min(2 * pause, LONGEST)
                lags.append(arrives - now)
            free[worker] += 1
            look(now, worker)
    return now, submitted, delays, hot_delays, lags, outages

def quantiles(values):
    values = sorted(values) or [0.0]
    return " ".join(f"{name} {values[min(len(values) - 1, int(share * len(values)))]:.3f} s"
                    for name, share in (("median", 0.5), ("99 %", 0.99), ("99.9 %", 0.999), ("longest", 1.0)))

def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(1 << 32)
    tasks = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    for hottest in HOT:
        show(seed, tasks, hottest)

def show(seed, tasks, hottest):
    now, submitted, delays, hot_delays, lags, outages = simulate(seed, tasks, hottest)
    others = submitted[1:]
    print(f"seed {seed}, {hottest:.1%} of one key: {tasks} tasks in {now / 3600:.1f} h, {PARTITIONS} partitions, {WORKERS * SLOTS} slots, {outages} outages")
    print(f"tasks of a partition: {min(others)} to {max(others)}, mean {statistics.mean(others):.0f}; of the one with the key {submitted[0]}")
    print(f"until it starts: {quantiles(delays)}")
    print(f"the same of that key: {quantiles(hot_delays)}")
    print(f"until an end is in another partition: {quantiles(lags)}")
    busiest = BUSY * WORKERS * SLOTS / RUNS * (hottest + 1 / PARTITIONS)
    print(f"the busiest server: {busiest:.1f} tasks/s, {busiest * SERVER:.4%} of a core; a core is full at {1 / SERVER:,.0f} tasks/s")

if __name__ == "__main__":
    main()

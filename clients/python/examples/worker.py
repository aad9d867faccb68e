"""A worker in your own program, with a process for each task. It ends when no task is left."""

import os

from blueque_client import Client, Worker, task
from blueque_client.testing import Server


@task(queue="sums", max_losses=3)
def add_up(*numbers: int) -> dict[str, int]:
    return {"sum": sum(numbers), "pid": os.getpid()}


def main() -> None:
    with Server() as server, Client(server.url) as client:
        sums = [client.submit(add_up.call(n, 10)) for n in range(4)]
        worker = Worker(client, add_up, slots=2)

        def enough() -> None:
            if client.queue("sums").counts().complete == len(sums):
                worker.stop()

        worker.every_second = enough
        print(worker.run(), "attempts")
        results = [each.result() for each in sums]
        print([each["sum"] for each in results], "in", len({each["pid"] for each in results}), "processes")


if __name__ == "__main__":
    main()

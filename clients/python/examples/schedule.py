"""A schedule creates a task each night. This example advances the clock."""

from blueque_client import Client, calls, task
from blueque_client.testing import Clock, Server, run_until_idle


@task(queue="reports")
def report(region: str) -> str:
    return f"sales of {region}"


if __name__ == "__main__":
    clock = Clock(1_800_000_000)
    with Server() as server, Client(server.url, "example", clock=clock) as client:
        client.schedule("nightly", report.call("europe"), every=86_400, offset=3600, overlap="skip")
        for _ in range(3):
            clock.advance(86_400)
            client.run(calls.maintenance(["reports"]))
            run_until_idle(client, report)
        print(client.queue("reports").counts().complete, "reports in three days")

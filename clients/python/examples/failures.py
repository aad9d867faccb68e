"""Failures: which errors are retried, which are not, and what the caller gets."""

from blueque_client import Client, Failure, TaskFailed, context, task
from blueque_client.testing import Clock, Server, run_until_idle


@task(queue="web", max_failures=3, delay=60)
def fetch(url: str) -> str:
    if context.attempt < 3:
        raise ConnectionError(f"{url} does not answer")
    return "<html>"


@task(queue="web", max_failures=3)
def pay(amount: int) -> None:
    raise Failure(f"no cover for {amount}", group="cover", permanent=True)


if __name__ == "__main__":
    clock = Clock()
    with Server() as server, Client(server.url, "example", clock=clock) as client:
        page, bill = client.submit(fetch.call("http://a.example")), client.submit(pay.call(5))
        while not page.info().result:
            run_until_idle(client, [fetch, pay])
            clock.advance(600)  # no example waits for a retry
        print(page.result(), "after", page.info().failures, "failures")
        try:
            bill.result()
        except TaskFailed as error:
            print(f"{error.group}: {error.error}; {error.remedy}")

"""A graph: two parts are encoded side by side, then joined. Results become arguments of later tasks."""

from blueque_client import Client, Graph, task
from blueque_client.testing import Server, run_until_idle


@task
def split(film: str) -> list[str]:
    return [f"{film}.1", f"{film}.2"]


@task
def encode(parts: list[str], number: int) -> str:
    return f"{parts[number]}.mp4"


@task
def join(*parts: str) -> str:
    return "+".join(parts)


if __name__ == "__main__":
    with Server() as server, Client(server.url) as client:
        graph = Graph("film")
        parts = graph.add(split.call("a"))
        film = graph.group(parts.then(encode, 0), parts.then(encode, 1)).then(join)
        handle = client.submit_graph(graph)
        run_until_idle(client, [split, encode, join])
        handle.wait(timeout=60)
        print(handle.task(film).result())

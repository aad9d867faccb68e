"""asyncio: submits many tasks and waits for all of them; a worker in another process runs them on its event loop."""

import asyncio
import subprocess
import sys
from pathlib import Path

from blueque_client import task
from blueque_client.aio import Client
from blueque_client.testing import Server


@task(queue="waits")
async def wait_a_little(number: int) -> int:
    await asyncio.sleep(0.01)
    return number


async def main(url: str) -> None:
    async with Client(url) as client:
        jobs = [await client.submit(wait_a_little.call(n)) for n in range(20)]
        print(sum(await asyncio.gather(*(job.result(60) for job in jobs))))


if __name__ == "__main__":
    with Server() as server:
        command = [sys.executable, "-m", "blueque_client", "worker", Path(__file__).stem, "--mode", "asyncio"]
        worker = subprocess.Popen([*command, "-n", "20", "--url", server.url, "--quiet"], cwd=Path(__file__).parent)
        try:
            asyncio.run(main(server.url))
        finally:
            worker.terminate()
            worker.wait()

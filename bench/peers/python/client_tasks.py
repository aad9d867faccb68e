"""The tasks that workers of Blueque's client run."""
import asyncio
import os
import time

from blueque_client import task
from peer import QUEUE, Records

RECORDS = Records(os.environ["PEERS_RECORDS"])
HOLD = int(os.environ["PEERS_HOLD"])


@task(queue=QUEUE)
def handle(task):
    RECORDS.handled(task)
    time.sleep(HOLD)
    return os.environ["PEERS_WHO"] or None


@task(queue=QUEUE, name="handle")
async def waits(task):
    RECORDS.handled(task)
    await asyncio.sleep(HOLD)
    return os.environ["PEERS_WHO"] or None

"""The tasks that arq's workers run."""
import asyncio
import json
import logging
import os

from arq.connections import RedisSettings

from peer import QUEUE, RESULTS, Records

RECORDS = Records(os.environ["PEERS_RECORDS"])
HOLD = int(os.environ["PEERS_HOLD"])
LEASE = int(os.environ["PEERS_LEASE"])
logging.disable(logging.WARNING)


async def handle(context, task):
    RECORDS.handled(task)
    if HOLD:
        await asyncio.sleep(HOLD)
    return os.environ["PEERS_WHO"] or None


async def started(context):
    os.write(int(os.environ["PEERS_READY"]), b".")


class Settings:
    functions = [handle]  # noqa: RUF012
    redis_settings = RedisSettings.from_dsn(os.environ["PEERS_URL"])
    queue_name = QUEUE
    on_startup = started
    max_jobs = int(os.environ["PEERS_SLOTS"])
    keep_result = 3600 if RESULTS else 0
    poll_delay = 0.01  # arq has no wake-ups
    # A job whose worker is silent runs again when its time limit and 10 s have passed.
    job_timeout = LEASE or (300 if RESULTS else 3600)

    @staticmethod
    def job_deserializer(data):
        return json.loads(data)

    @staticmethod
    def job_serializer(value):
        return json.dumps(value).encode()

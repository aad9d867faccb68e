"""The tasks that Dramatiq's workers run."""
import os
import time

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import AgeLimit, Callbacks, Middleware, Pipelines, Retries, ShutdownNotifications, TimeLimit
from dramatiq.results import Results
from dramatiq.results.backends import RedisBackend

from peer import QUEUE, RESULTS, Records

RECORDS = Records(os.environ["PEERS_RECORDS"])
HOLD = int(os.environ.get("PEERS_HOLD", 0))
LEASE = int(os.environ.get("PEERS_LEASE", 0))


class Ready(Middleware):
    def after_worker_boot(self, broker, worker):
        os.write(int(os.environ["PEERS_READY"]), b".")


middleware = [part() for part in (AgeLimit, TimeLimit, ShutdownNotifications, Callbacks, Pipelines, Retries)]
if "PEERS_READY" in os.environ:
    middleware.append(Ready())
if RESULTS:
    middleware.append(Results(backend=RedisBackend(url=os.environ["PEERS_URL"]), store_results=True))
# A worker that was silent for this long counts as dead. Other workers check this by default in one of a thousand calls.
silence = {"heartbeat_timeout": LEASE * 1000, "maintenance_chance": 1_000_000} if LEASE else {}
broker = RedisBroker(url=os.environ["PEERS_URL"], middleware=middleware, **silence)
dramatiq.set_broker(broker)


@dramatiq.actor(queue_name=QUEUE, time_limit=float("inf"))
def handle(task):
    RECORDS.handled(task)
    time.sleep(HOLD)
    return os.environ.get("PEERS_WHO") or None

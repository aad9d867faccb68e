"""The tasks that Celery's workers run."""
import os
import time

from celery import Celery
from celery.signals import worker_ready

from peer import QUEUE, RESULTS, Records

RECORDS = Records(os.environ["PEERS_RECORDS"])
HOLD = int(os.environ.get("PEERS_HOLD", 0))
LEASE = int(os.environ.get("PEERS_LEASE", 0))

app = Celery("peers", broker=os.environ["PEERS_URL"])
app.conf.update(
    task_default_queue=QUEUE,
    task_ignore_result=not RESULTS,
    result_backend=os.environ["PEERS_URL"] if RESULTS else None,
    worker_prefetch_multiplier=1 if LEASE else 128,
    broker_connection_retry_on_startup=True,
)
if LEASE:
    # By default it looks for tasks to restore every 100 s.
    often = {"unacked_restore_interval": 1, "unacked_restore_throttle": 1}
    app.conf.update(task_acks_late=True, broker_transport_options={"visibility_timeout": LEASE, **often})


@app.task
def handle(task):
    RECORDS.handled(task)
    time.sleep(HOLD)
    return os.environ.get("PEERS_WHO") or None


@worker_ready.connect
def ready(**_):
    os.write(int(os.environ["PEERS_READY"]), b".")

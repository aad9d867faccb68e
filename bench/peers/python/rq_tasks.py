"""The tasks that RQ's workers run."""
import os
import time

from peer import Records

RECORDS = Records(os.environ["PEERS_RECORDS"])
HOLD = int(os.environ["PEERS_HOLD"])


def handle(task):
    RECORDS.handled(task)
    time.sleep(HOLD)
    return os.environ["PEERS_WHO"] or None

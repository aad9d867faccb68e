"""An outbox: tasks are submitted if, and only if, a transaction of PostgreSQL is committed.

A submit after the commit is lost if the process dies between the two; a submit before the commit may run for an order
that is rolled back. So the transaction writes the submit into a table, and `python outbox.py`, the relay, submits what
is in the table. A relay that dies after a submit and before the delete submits again, with the same id: this changes
nothing. Any number of relays may run.

It needs `pip install 'psycopg[binary]'`, and uses the database in `DATABASE_URL` and the server in `BLUEQUE_URL`.
"""

from __future__ import annotations

import json
import os
import uuid
from typing import Any

import psycopg

from blueque_client import Client, InvalidCall, Refused, TaskCall
from blueque_client.payload import Json

Connection = psycopg.Connection[Any]

TABLE = """
CREATE TABLE IF NOT EXISTS outbox (
    number bigserial PRIMARY KEY,
    id text NOT NULL,
    queue text NOT NULL,
    parameters bytea NOT NULL,
    options jsonb NOT NULL,
    error text  -- the server has refused it: correct the row, and set this to NULL
)"""


def submit_in(connection: Connection, call: TaskCall[Any], id: str | None = None, **options: Any) -> str:
    """Submits a task with the transaction of the connection. Returns the id of the task, for the caller's own rows."""
    id = id or str(uuid.uuid4())
    connection.execute(
        "INSERT INTO outbox (id, queue, parameters, options) VALUES (%s, %s, %s, %s)",
        [id, call.queue, Json().dumps(call.parameters), json.dumps({**call.options, **options})],
    )
    connection.execute("NOTIFY outbox")  # when the transaction is committed
    return id


def relay(connection: Connection, client: Client) -> int:
    """Submits some tasks of the table. Returns their number."""
    with connection.transaction():
        found = connection.execute(
            "SELECT number, id, queue, parameters, options FROM outbox WHERE error IS NULL"
            " ORDER BY number LIMIT 100 FOR UPDATE SKIP LOCKED"
        ).fetchall()
        for number, id, queue, parameters, options in found:
            try:
                client.queue(queue).submit_bytes(parameters, id=id, **options)
            except (InvalidCall, Refused) as error:
                connection.execute("UPDATE outbox SET error = %s WHERE number = %s", [str(error), number])
            else:
                connection.execute("DELETE FROM outbox WHERE number = %s", [number])
    return len(found)


def main() -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection, Client() as client:
        connection.execute(TABLE)
        connection.execute("LISTEN outbox")
        print("relays", flush=True)
        while True:
            while relay(connection, client):
                pass
            # A notification comes at once; the time limit is for rows of a relay that has died.
            for _ in connection.notifies(timeout=1, stop_after=1):
                pass


if __name__ == "__main__":
    main()

"""`examples/outbox.py` with a real PostgreSQL: what is committed runs once, what is rolled back never."""

from __future__ import annotations

import glob
import os
import pwd
import random
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from conftest import until

from blueque_client import Client, task
from blueque_client.testing import Server, run_until_idle

EXAMPLES = Path(__file__).parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))
import outbox  # noqa: E402


def program(name: str) -> str:
    found = shutil.which(name) or max(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), default=None)
    assert found, f"there is no {name}: apt-get install postgresql"
    return found


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """The URL of a private PostgreSQL."""
    folder = Path(tempfile.mkdtemp(prefix="blueque-postgres-"))
    user: dict[str, Any] = {}
    if os.getuid() == 0:  # PostgreSQL does not run as root
        nobody = pwd.getpwnam("postgres")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        user = {"user": "postgres", "group": nobody.pw_gid, "cwd": folder}
    data = folder / "data"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, **user}
    subprocess.run([program("initdb"), "-D", data, "-A", "trust", "-U", "postgres", "-N"], check=True, **quiet)
    server = subprocess.Popen(
        [program("postgres"), "-D", data, "-k", folder, "-c", "listen_addresses=", "-F"],
        **{**quiet, "stderr": subprocess.DEVNULL},
    )
    url = f"postgresql://postgres@/postgres?host={folder}"

    def answers() -> bool:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            return False
        return True

    try:
        until(answers, "PostgreSQL does not start")
        yield url
    finally:
        server.terminate()
        server.wait(60)
        shutil.rmtree(folder)


@pytest.fixture
def database(postgres: str) -> Iterator[outbox.Connection]:
    """A connection to a database of its own, with the tables."""
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    with psycopg.connect(postgres.replace("/postgres?", f"/{name}?"), autocommit=True) as connection:
        connection.execute(outbox.TABLE)
        connection.execute("CREATE TABLE orders (id int PRIMARY KEY, task text NOT NULL)")
        yield connection


RUN: list[int] = []


@task(queue="orders", tags=["order"])
def ship(order: int) -> int:
    RUN.append(order)
    return order


class Rollback(Exception):
    pass


def buy(database: outbox.Connection, order: int, *, fails: bool = False) -> str:
    """The business: an order, and its task, in one transaction."""
    with database.transaction():
        id = outbox.submit_in(database, ship.call(order), priority=3)
        database.execute("INSERT INTO orders VALUES (%s, %s)", [order, id])
        if fails:
            raise Rollback
    return id


def left(database: outbox.Connection) -> int:
    [[number]] = database.execute("SELECT count(*) FROM outbox").fetchall()
    return int(number)


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RUN.clear()


def test_what_is_committed_runs_and_what_is_rolled_back_does_not(database: outbox.Connection, client: Client) -> None:
    with pytest.raises(Rollback):
        buy(database, 1, fails=True)
    id = buy(database, 2)
    assert list(client.queue("orders").tasks()) == []
    assert outbox.relay(database, client) == 1
    assert left(database) == 0
    info = client.task(id).info()
    assert (info.method, info.priority, info.tags) == ("ship", 3, "order")
    run_until_idle(client, [ship])
    assert RUN == [2]
    assert client.task(id).result(0) == 2


@pytest.mark.parametrize("ends_first", [False, True])
def test_an_outbox_delivers_once(database: outbox.Connection, client: Client, ends_first: bool) -> None:
    buy(database, 1)

    class Dies(Client):
        """A client whose process dies after the server has the task."""

        def queue(self, name: str) -> Any:
            queue = super().queue(name)
            submit = queue.submit_bytes

            def dies(*args: Any, **options: Any) -> None:
                submit(*args, **options)
                raise SystemExit

            queue.submit_bytes = dies  # type: ignore[method-assign, assignment]
            return queue

    with Dies(client.link.server, client.link.namespace) as dying, pytest.raises(SystemExit):
        outbox.relay(database, dying)
    assert left(database) == 1
    if ends_first:
        run_until_idle(client, [ship])
    assert outbox.relay(database, client) == 1
    assert left(database) == 0
    run_until_idle(client, [ship])
    assert RUN == [1]


def test_a_row_that_is_refused_is_kept_with_its_error_and_holds_up_no_other(
    database: outbox.Connection, client: Client
) -> None:
    client.queue("other").submit([1], id="taken")
    with database.transaction():
        outbox.submit_in(database, ship.call(1), id="taken")
        outbox.submit_in(database, ship.call(2))
    assert outbox.relay(database, client) == 2
    assert outbox.relay(database, client) == 0
    [[error]] = database.execute("SELECT error FROM outbox").fetchall()
    assert error.startswith("OTHERQUEUE: ")
    run_until_idle(client, [ship])
    assert RUN == [2]


def test_relays_that_are_killed_lose_and_double_nothing(
    database: outbox.Connection, postgres: str, server: Server, namespace: str, client: Client
) -> None:
    url = postgres.replace("/postgres?", f"/{database.info.dbname}?")
    env = {**os.environ, "DATABASE_URL": url, "BLUEQUE_URL": server.url, "BLUEQUE_NAMESPACE": namespace}

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, EXAMPLES / "outbox.py"], env=env, stdout=subprocess.PIPE)

    relays = [start(), start()]
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    try:
        for order in range(1000):
            try:
                buy(database, order, fails=order % 3 == 0)
            except Rollback:
                continue
            if dice.random() < 0.01:
                victim = dice.randrange(2)
                relays[victim].kill()
                relays[victim].wait()
                relays[victim] = start()
        until(lambda: left(database) == 0, "rows are left")
    finally:
        for each in relays:
            each.kill()
            each.wait()
    run_until_idle(client, [ship])
    assert sorted(RUN) == [order for order in range(1000) if order % 3]

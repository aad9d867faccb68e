"""Schedules by cron expressions."""

from __future__ import annotations

import json
import re
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import tasks_for_tests as app
from conftest import PATIENCE, Start, until

from blueque_client import Client, InvalidCall, calls
from blueque_client.cron import Cron
from blueque_client.testing import Clock, Server, run_until_idle

CASES = json.loads((Path(__file__).parents[3] / "tests/fixtures/cron.json").read_text())


def seconds(text: str) -> int:
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


def test_expressions_mean_what_they_mean_in_the_crate() -> None:
    for case in CASES:
        if case.get("error"):
            with pytest.raises(InvalidCall) as error:
                Cron(case["expression"], case["zone"])
            assert (error.value.code, error.value.cause) == (case["code"], case["error"])
        else:
            cron = Cron(case["expression"], case["zone"])
            assert str(cron) == case["recurrence"]
            expected = [seconds(each) for each in case["next"]]
            assert cron.times(seconds(case["after"]), case["count"]) == expected, case
    assert Cron("0 0 * * *").times(2.6e11, 5) == []
    assert Cron("0 0 * * *").times(1e30, 5) == []


def known(client: Client, name: str) -> list[int]:
    """Returns the fire times that the server knows."""
    return [int(each) for each in (client.schedule_of(name).info().slots or b"").split()]


def test_a_worker_alone_serves_a_schedule(server: Server, namespace: str, start: Start) -> None:
    clock = Clock(time.time())
    client = Client(server.url, namespace, clock=clock)
    schedule = client.schedule("report", app.add.call(2), cron="*/5 * * * *", zone="Europe/Berlin", overlap="allow")
    assert schedule.info().recurrence == "cron Europe/Berlin */5 * * * *"
    first = known(client, "report")
    assert len(first) == 64
    # A reservation moves the clock of the namespace: 41 fire times have passed, and 23 are left.
    clock.now = first[40]
    client.queue("other").submit(1)
    client.run(calls.register("other", "test_1"))
    assert client.run(calls.reserve("test_1", ["other"], pid=1))
    start()
    until(lambda: schedule.info().made, "no task was created")
    assert client.task(f"report@{first[40]}").result(PATIENCE) == 3
    until(lambda: len(known(client, "report")) == 64, "no fire times were supplied")
    assert known(client, "report") == [first[41] + 300 * n for n in range(64)]


def test_a_schedule_goes_on_past_the_fire_times_that_were_sent_with_it(server: Server, namespace: str) -> None:
    clock = Clock()
    with Client(server.url, namespace, clock=clock) as client:
        schedule = client.schedule("report", app.add.call(1), cron="@daily", overlap="allow", missed="all")
        for _ in range(100):
            clock.advance(86400)
            assert run_until_idle(client, [app.add]) == 1
        assert (schedule.info().made, schedule.info().state) == (100, "active")


def test_a_schedule_is_the_same_in_every_form_of_its_expression(server: Server, namespace: str) -> None:
    with Client(server.url, namespace, clock=Clock()) as client:
        schedule = client.schedule("a", app.add.call(1), cron=" 0 3 1,l  jan Mon-fri ", start=1_900_000_000)
        assert schedule.info().recurrence == "cron UTC 0 3 1,L JAN MON-FRI"
        assert known(client, "a")[0] == seconds("2031-01-01T03:00:00Z")
        client.schedule("b", app.add.call(1), cron="0 3 * * *", start=datetime(2030, 1, 1, 3, tzinfo=timezone.utc))
        assert known(client, "b")[0] == seconds("2030-01-01T03:00:00Z")


def test_what_cannot_be_a_schedule_is_refused_before_anything_is_written(client: Client) -> None:
    def refused(text: str, **options: Any) -> None:
        with pytest.raises(InvalidCall, match=re.escape(text)) as error:
            client.schedule("odd", app.add.call(1), **options)
        assert error.value.code == "BADARG"

    refused("it has 4", cron="* * * *")
    refused("invalid field `60`", cron="60 * * * *")
    refused("no date fits", cron="0 0 30 2 *")
    refused("no time zone `Europe/Bonn`", cron="0 0 * * *", zone="Europe/Bonn")
    refused("between start and end", cron="0 0 1 1 *", start=1_900_000_000, end=1_900_000_060)
    refused("are texts", cron=5)
    either = "takes `every` and its `offset`, or `cron` and its `zone`"
    wrong: dict[str, Any]
    for wrong in ({}, {"every": 60, "cron": "@daily"}, {"cron": "@daily", "offset": 5}, {"every": 60, "zone": "UTC"}):
        refused(either, **wrong)
    assert client.schedules() == []


def test_fire_times_that_a_worker_cannot_compute_are_left_to_others(
    client: Client, start: Start, tmp_path: Path
) -> None:
    now = int(client.run(calls.handshake()).now)
    client.run(calls.schedule("mars", "q", "cron Mars/Olympus 0 3 * * *", b"[1]", [now + 1000]))
    client.schedule("report", app.add.call(2), cron="*/5 * * * *")
    start()
    text = "the schedule mars gets no fire times from this worker: BADARG: there is no time zone `Mars/Olympus`"
    until(lambda: text in (tmp_path / "log").read_text(), "no warning")
    assert known(client, "mars") == [now + 1000]

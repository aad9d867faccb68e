"""Workers as real processes, on a real server, with real kills."""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import tasks_for_tests as app
from conftest import HERE, PATIENCE, Start, gone, number, until

from blueque_client import Client, InvalidCall, Refused, TaskCancelled, TaskFailed, Worker
from blueque_client.__main__ import Changes
from blueque_client.scripts import DIGESTS
from blueque_client.testing import Server


def stop(worker: subprocess.Popen[bytes]) -> None:
    worker.terminate()
    assert worker.wait(PATIENCE) == 0


@pytest.mark.parametrize("mode", ["process", "thread", "asyncio"])
def test_functions_run_in_every_mode(client: Client, start: Start, mode: str) -> None:
    worker = start("--mode", mode, "-n", "4")
    assert client.submit(app.add.call(2, b=3)).result(PATIENCE) == 5
    assert client.queue("q").submit([2, 5], method="add").result(PATIENCE) == 7
    assert client.submit(app.again.call()).result(PATIENCE) == 20
    assert client.submit(app.awaits.call()).result(PATIENCE).startswith("awaited")
    assert client.submit(app.first_step.call(1)).result(PATIENCE) == 20
    folder = Path(client.submit(app.keeps.call()).result(PATIENCE))
    until(lambda: not folder.exists(), "its folder is left")
    with pytest.raises(TaskFailed, match="no such film") as error:
        client.submit(app.fails.call()).result(PATIENCE)
    assert error.value.group == "ValueError"
    assert error.value.error.startswith("ValueError: no such film")
    assert "tasks_for_tests.py" in error.value.error
    assert "host.py" not in error.value.error
    many = [client.submit(app.add.call(n)) for n in range(30)]
    if mode == "process":  # what the attempt cost
        cost = json.loads(client.task(many[0].id).wait(PATIENCE).cost or b"")
        assert (cost["attempt"], cost["exit"]) == (1, 0)
        assert cost["max_rss_kib"] > 0
        # The process was made before the attempt began, so either time may be the smaller.
        assert min(cost["wall_ms"], cost["cpu_ms"]) >= 0
    assert [job.result(PATIENCE) for job in many] == [n + 1 for n in range(30)]
    stop(worker)
    assert not client.queue("q").listeners()


def test_maintenance_pauses_by_the_clock_of_the_server(start: Start, namespace: str, tmp_path: Path) -> None:
    """With a clock an hour ahead of the server's, the next due task always seems to be due."""
    # With faketime `time.sleep` fails, so the test changes only `time.time`.
    (tmp_path / "sitecustomize.py").write_text("import time\nright = time.time\ntime.time = lambda: right() + 3600\n")
    with Server() as server, Client(server.url, namespace=namespace) as client:
        start(url=server.url, env={**os.environ, "PYTHONPATH": str(tmp_path)})
        assert client.submit(app.add.call(2, b=3)).result(PATIENCE) == 5
        raw = client.link.server
        raw.config_set("slowlog-max-len", 100_000)
        raw.config_set("slowlog-log-slower-than", 0)
        begun = time.monotonic()
        assert client.submit(app.add.call(1), eta=time.time() + 5).result(PATIENCE) == 2
        called = DIGESTS["maintenance"].encode()
        looks = sum(called in entry["command"] for entry in raw.slowlog_get(-1))
        assert 0 < looks / (time.monotonic() - begun) < 18  # about ten: a round has several parts


@pytest.mark.parametrize(
    ("call", "ended"),
    [
        (app.add.call(1), {"exit": 0}),
        (app.fails.call(), {}),
        (app.ends.call("exit"), {"exit": 3}),
        (app.ends.call("kill"), {"signal": "SIGKILL"}),
    ],
)
def test_the_cost_of_an_attempt_says_how_its_process_ended(
    client: Client, start: Start, call: Any, ended: dict[str, Any]
) -> None:
    start()
    cost = json.loads(client.submit(call).wait(PATIENCE).cost or b"")
    assert {name: cost[name] for name in ("exit", "signal") if name in cost} == ended


def test_a_process_for_each_task_and_a_folder_of_its_own(client: Client, start: Start) -> None:
    worker = start("-n", "2")
    found = [client.submit(app.where.call()).result(PATIENCE) for _ in range(3)]
    assert len({each["pid"] for each in found}) == 3
    assert len({each["folder"] for each in found}) == 3
    assert {each["parent"] for each in found}.isdisjoint({worker.pid})
    until(lambda: not any(Path(each["folder"]).exists() for each in found))
    stop(worker)


def test_a_process_may_be_kept_for_some_tasks(client: Client, start: Start) -> None:
    start("--tasks-per-process", "2")
    pids = [client.submit(app.where.call()).result(PATIENCE)["pid"] for _ in range(4)]
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_a_new_interpreter_where_asked(client: Client, start: Start, tmp_path: Path) -> None:
    start("--spawn", "--grace", "1")
    assert client.submit(app.add.call(2)).result(PATIENCE) == 3
    job = client.submit(app.sleeps.call(str(tmp_path / "pid"), "daemon"))
    pid = number(tmp_path / "pid.daemon")
    assert b"blueque_client.new_interpreter" in Path(f"/proc/{number(tmp_path / 'pid')}/cmdline").read_bytes()
    job.cancel()
    with pytest.raises(TaskCancelled):
        job.result(PATIENCE)
    assert gone(pid)
    assert "Warning" not in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("how", "words", "group"),
    [
        ("exit", "exit code 3", "crashed"),
        ("crash", "SIGSEGV", "crashed"),
        ("kill", "SIGKILL", "crashed"),
        ("close", "before the function did", "crashed"),
        ("memory", "MemoryError", "MemoryError"),
        ("sys.exit", "enough", "SystemExit"),
    ],
)
def test_what_a_task_does_to_its_process_hurts_no_other(
    client: Client, start: Start, tmp_path: Path, how: str, words: str, group: str
) -> None:
    start("-n", "2", "--memory", str(1 << 30))
    beside = client.submit(app.sleeps.call(str(tmp_path / "beside")))
    pid = number(tmp_path / "beside")
    with pytest.raises(TaskFailed, match=words) as error:
        client.submit(app.ends.call(how)).result(PATIENCE)
    assert error.value.group == group
    assert beside.state() == "started"
    assert not gone(pid)
    assert client.submit(app.add.call(1)).result(PATIENCE) == 2


def test_what_a_task_leaves_behind_goes_with_it(client: Client, start: Start, tmp_path: Path) -> None:
    start()
    left = client.submit(app.leaves.call(str(tmp_path / "daemon"))).result(PATIENCE)
    # The worker sends the end only after these processes are gone.
    assert all(gone(int(pid)) for pid in left.split())
    assert client.submit(app.bomb.call()).result(PATIENCE) is None
    assert client.submit(app.add.call(1)).result(PATIENCE) == 2


@pytest.mark.parametrize(
    ("call", "words", "group"),
    [
        (app.returns.call("bytes"), "bytes", "permanent"),
        (app.returns.call("nan"), "nan", "permanent"),
        (app.returns.call("big"), "8 MiB", "toobig"),
        (app.says.call("quota", group="quota"), "quota", "quota"),
        (app.unprintable.call(), "Unprintable", "Unprintable"),
        (app.too_long.call(), "time limit", "timeout"),
        (app.awaits_too_long.call(), "time limit", "timeout"),
    ],
)
def test_failures_are_readable(client: Client, start: Start, call: Any, words: str, group: str | None) -> None:
    start()
    with pytest.raises(TaskFailed, match=words) as error:
        client.submit(call).result(PATIENCE)
    assert error.value.group == group


@pytest.mark.parametrize("mode", ["process", "thread", "asyncio"])
def test_an_end_that_cannot_be_sent_is_a_failure(client: Client, start: Start, mode: str) -> None:
    start("--mode", mode, "-n", "5")
    jobs = [client.submit(app.ends_oddly.call(how)) for how in ("group", "text", "again", "reason", "next")]
    for job in jobs:
        with pytest.raises(TaskFailed):
            job.result(PATIENCE)
        assert job.info().attempt == 1


def test_what_a_function_says_makes_the_worker_no_larger_than_it_may_be(client: Client, start: Start) -> None:
    worker = start()
    for how, said in (("log", "done"), ("checkpoint", "TOOBIG"), ("progress", "TOOBIG")):
        job = client.submit(app.large.call(how, 300 << 20), log_bytes=64 << 20)
        assert job.result(PATIENCE) == said
        log = "".join(entry.text for entry in job.logs())
        # Each second the worker sends what it has, so there may be several gaps.
        assert re.fullmatch(r"(x+\n\[\d+ bytes were left out\]\n)+" if how == "log" else "", log), log[-100:]
    for how in ("reason", "group"):
        job = client.submit(app.large.call(how, 300 << 20), max_releases=0)
        with pytest.raises(TaskFailed) as error:
            job.result(PATIENCE)
        assert re.fullmatch("released" if how == "reason" else "x{100,1000}", error.value.group or "")
    [peak] = re.findall(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{worker.pid}/status").read_text())
    assert int(peak) < 200 << 10


@pytest.mark.parametrize(
    ("head", "body", "text"),
    [
        (2, 0xFFFFFFFF, "[]"),
        (0xFFFFFFFF, 0, ""),
        *(
            (len(text), 0, text)
            for text in (
                "null",
                "{]",
                '["end",[],{}]',
                '["end",1,{}]',
                '["end",1,{"how":"nobody"}]',
                '["end",1,{"how":"complete","next_step":"q"}]',
                '["end",1,{"how":"complete","group":5}]',
                '["checkpoint",1,{}]',
                '["counts",1,{}]',
            )
        ),
    ],
)
def test_a_process_that_says_what_is_no_message_is_killed_and_hurts_no_other(
    client: Client, start: Start, head: int, body: int, text: str
) -> None:
    start("-n", "2")
    job = client.submit(app.scribbles.call(head, body, text), max_failures=0)
    with pytest.raises(TaskFailed) as error:
        job.result(PATIENCE)
    assert error.value.group == "crashed"
    assert client.submit(app.add.call(1)).result(PATIENCE) == 2


@pytest.mark.parametrize("field", ["method", "tags", "error", "name", "id"])
def test_a_record_of_another_client_that_is_no_text_ends_no_worker(
    client: Client, namespace: str, start: Start, field: str
) -> None:
    server, odd = client.link.server, b"\xff\x80"
    job = client.submit(app.add.call(1), max_failures=0)
    record = f"{namespace}_task_{job.id}"
    if field == "id":  # as one that a client of Blueque 1.0 has pushed
        server.hset(
            f"{namespace}_task_".encode() + odd, mapping={"status": "pending", "queue": "q", "parameters": "[1]"}
        )
        server.rpush(f"{namespace}_pending_tasks_q", odd)
    else:
        server.hset(record, field, odd)
    worker = start("--tracing")
    assert client.submit(app.add.call(2)).result(PATIENCE) == 3
    if field == "method":
        with pytest.raises(TaskFailed, match="no function") as error:
            job.result(PATIENCE)
        assert error.value.group == "unknown"
    elif field == "id":
        until(lambda: server.hget(f"{namespace}_task_".encode() + odd, "group") == b"unknown")
    else:
        assert job.result(PATIENCE) == 2
    stop(worker)


def test_the_log_of_a_worker_has_nothing_that_a_terminal_obeys(client: Client, start: Start, tmp_path: Path) -> None:
    worker = start()
    text = "a\x1b[2Jb\x07\x1b]0;title\x07c\x9bd\u202ee\u3164f\rtask forged\tend"
    for call in (app.says.call(text), app.says.call(text, permanent=True)):
        with pytest.raises(TaskFailed):
            client.submit(call, max_failures=0).result(PATIENCE)
    job = client.submit(app.add.call(1), max_failures=0)
    client.link.server.hset(f"{client.link.namespace}_task_{job.id}", "method", "x\x1b[2Jy\nz")
    job.wait(PATIENCE)
    stop(worker)
    log = (tmp_path / "log").read_bytes().decode()
    assert log.count("failed: abcdef task forged end") == 2
    assert all(line.isprintable() for line in log.split("\n")), log


@pytest.mark.parametrize("mode", ["process", "thread"])
def test_a_forked_child_that_returns_does_not_end_the_task(client: Client, start: Start, mode: str) -> None:
    start("--mode", mode)
    assert client.submit(app.forks.call()).result(PATIENCE) == "parent"


def test_a_long_message_leaves_room_for_the_traceback(client: Client, start: Start, tmp_path: Path) -> None:
    start()
    with pytest.raises(TaskFailed, match="in says_much") as error:
        client.submit(app.says_much.call(9 << 20)).result(PATIENCE)
    assert error.value.error.startswith("ValueError: xxx")
    assert max(map(len, (tmp_path / "log").read_text().splitlines())) < 1000


def test_a_result_that_cannot_be_sent_says_so_and_nothing_else(client: Client, start: Start) -> None:
    start()
    with pytest.raises(TaskFailed) as error:
        client.submit(app.returns.call("nan")).result(PATIENCE)
    assert "Traceback" not in error.value.error


def test_a_result_that_is_too_large_is_named_in_the_log(client: Client, start: Start, tmp_path: Path) -> None:
    start()
    client.submit(app.returns.call("big"))
    until(lambda: "failed: the result is over 8 MiB: store it elsewhere\n" in (tmp_path / "log").read_text())


def test_bad_submits_fail_readably(client: Client, start: Start) -> None:
    start()
    queue = client.queue("q")
    assert client.submit(app.returns.call("nothing")).result(PATIENCE) is None
    assert len(client.submit(app.returns.call("large")).result(PATIENCE)) == 2 << 20
    with pytest.raises(TaskFailed, match="no function for the method nobody") as error:
        queue.submit(1, method="nobody").result(PATIENCE)
    assert error.value.group == "unknown"
    with pytest.raises(TaskFailed, match="unexpected keyword argument 'c'"):
        queue.submit({"a": 1, "c": 2}, method="add", max_failures=5).result(PATIENCE)
    with pytest.raises(TaskFailed, match="not JSON"):
        queue.submit_bytes(b"{", method="add").result(PATIENCE)


def test_progress_and_logs_reach_the_server(client: Client, start: Start) -> None:
    start()
    job = client.submit(app.logs.call())
    job.result(PATIENCE)
    text = "".join(entry.text for entry in job.logs())
    assert "from the context\n" in text
    assert "WARNING app: from logging\n" in text


@pytest.mark.parametrize("options", [[], ["--spawn"], ["--mode", "thread"], ["--mode", "asyncio"]])
def test_what_a_function_logs_says_of_which_task_it_is(
    client: Client, start: Start, tmp_path: Path, options: list[str]
) -> None:
    start(*options)
    call = app.awaits_and_says_who if "asyncio" in options else app.says_who
    job = client.submit(call.call(str(tmp_path / "said")))
    job.result(PATIENCE)
    # The task of a thread is known only if the process runs one task at a time.
    alone = "--mode" not in options
    assert (tmp_path / "said").read_text().splitlines() == [
        line
        for attempt in (1, 2)
        for who in [f"{job.id} {attempt} q {call.name}"]
        for line in (f"{who}: from the function", f"{who if alone else 'None None None None'}: from a thread")
    ]
    logged = "".join(entry.text for entry in job.logs())
    assert logged.count("from the function") == 2
    assert logged.count("from a thread") == (2 if alone else 0)


@pytest.mark.parametrize("how", ["", "deaf", "gil", "daemon"])
def test_a_cancel_stops_the_function_for_certain(client: Client, start: Start, tmp_path: Path, how: str) -> None:
    start("--grace", "1")
    file = tmp_path / "pid"
    job = client.submit(app.sleeps.call(str(file), how))
    pid = number(file)
    if how == "daemon":
        pid = number(tmp_path / "pid.daemon")
    assert job.cancel("enough") == "cancelling"
    with pytest.raises(TaskCancelled, match="enough"):
        job.result(PATIENCE)
    assert gone(pid)
    if not how:
        assert (tmp_path / "pid.order").read_text() == "cancel"
        assert job.checkpoint() == {"stopped": "cancel"}
    assert client.submit(app.add.call(1)).result(PATIENCE) == 2


def test_a_cancel_by_force_kills(client: Client, start: Start, tmp_path: Path) -> None:
    start()
    file = tmp_path / "pid"
    job = client.submit(app.sleeps.call(str(file), "deaf"))
    pid = number(file)
    job.cancel(force=True)
    with pytest.raises(TaskCancelled):
        job.result(PATIENCE)
    assert gone(pid)


def test_a_function_is_neither_suspended_nor_signalled_and_the_worker_says_so(
    client: Client, start: Start, tmp_path: Path
) -> None:
    start()
    file = tmp_path / "pid"
    job = client.submit(app.sleeps.call(str(file), ""))
    number(file)
    assert job.suspend() is True
    assert job.signal("USR1") == 2
    until(lambda: job.info().controlled == 2)
    info = job.info()
    assert info.controls is None
    assert (info.control_refused or "").startswith("2 this worker runs the task as")
    assert job.unsuspend() is False
    assert [step.why for step in job.history()][-4:] == ["suspend", "signal", "refused", "refused"]
    job.cancel()
    with pytest.raises(TaskCancelled):
        job.result(PATIENCE)


@pytest.mark.parametrize("mode", ["thread", "asyncio"])
def test_a_cancel_in_threads_and_on_a_loop(client: Client, start: Start, tmp_path: Path, mode: str) -> None:
    start("--mode", mode, "-n", "3")
    job = (
        client.submit(app.awaits.call(600.0))
        if mode == "asyncio"
        else client.submit(app.spins.call(str(tmp_path / "p")))
    )
    until(lambda: job.state() == "started")
    if mode == "thread":
        number(tmp_path / "p")
    job.cancel()
    with pytest.raises(TaskCancelled):
        job.result(PATIENCE)
    assert client.submit(app.add.call(1)).result(PATIENCE) == 2


def is_not_pending(job: Any) -> bool:
    return bool(job.state() != "pending")


def test_threads_are_kept_and_an_order_reaches_no_other_task(client: Client, start: Start) -> None:
    start("--mode", "thread", "-n", "2")
    jobs = [client.submit(app.spins_for.call(0.03)) for _ in range(60)]
    for job in jobs[::2]:
        until(partial(is_not_pending, job))
        with suppress(Refused):  # the task has ended already
            job.cancel()
    assert len({job.result(PATIENCE) for job in jobs[1::2]}) <= 2
    assert {job.info().attempt for job in jobs[1::2]} == {1}


def test_a_task_is_given_back_when_it_is_requeued(client: Client, start: Start, tmp_path: Path) -> None:
    start()
    file = tmp_path / "pid"
    job = client.submit(app.sleeps.call(str(file)))
    number(file)
    client.queue("q").pause("maintenance", by="test", stop=True)
    until(lambda: job.state() == "pending")
    assert (tmp_path / "pid.order").read_text() == "stop"
    assert job.checkpoint() == {"stopped": "stop"}


def test_a_function_that_holds_the_interpreter_keeps_its_lease(client: Client, start: Start, tmp_path: Path) -> None:
    start()
    # The task runs longer than the lease. The lease is long enough for a busy machine.
    job = client.submit(app.sleeps.call(str(tmp_path / "pid"), "gil", 8), lease=6)
    assert job.result(PATIENCE) == "slept"
    assert job.info().attempt == 1


def test_a_process_that_does_not_read_holds_up_no_heartbeat(client: Client, start: Start, tmp_path: Path) -> None:
    start("--mode", "thread", "-n", "12")
    client.queue("q").configure("lease", 4)
    holder = client.submit(app.holds.call(str(tmp_path / "holds"), ""))
    until((tmp_path / "holds").exists)
    # More data than fits between two processes; each of the tasks holds the interpreter.
    jobs = [client.submit(app.holds.call(str(tmp_path / "x"), "x" * (1_000_000))) for _ in range(5)]
    assert [job.result(PATIENCE) for job in (holder, *jobs)] == [0, *[1_000_000] * 5]
    assert [job.info().attempt for job in (holder, *jobs)] == [1] * 6


def test_a_stopped_process_keeps_its_task_and_obeys(client: Client, start: Start, tmp_path: Path) -> None:
    def lease() -> Any:
        return job.why().deadline

    start("--grace", "0.5")
    job = client.submit(app.sleeps.call(str(tmp_path / "pid")), lease=1)
    pid = number(tmp_path / "pid")
    os.kill(pid, signal.SIGSTOP)
    before = lease()
    until(lambda: lease() > before, "its lease is not renewed")
    job.cancel()
    with pytest.raises(TaskCancelled):
        job.result(PATIENCE)
    assert gone(pid)


def test_a_frozen_worker_runs_nothing_at_the_same_time_as_the_next_owner(
    client: Client, start: Start, tmp_path: Path
) -> None:
    worker = start()
    job = client.submit(app.sleeps.call(str(tmp_path / "pid"), "daemon"), lease=2)
    pids = number(tmp_path / "pid"), number(tmp_path / "pid.daemon")
    worker.send_signal(signal.SIGSTOP)
    until(lambda: all(gone(pid) for pid in pids), "they go on without a lease")
    worker.send_signal(signal.SIGCONT)
    # The loss does not count as a failure of the task.
    until(lambda: job.info().attempt == 2)
    assert not job.info().failures


def test_a_password_that_changes_costs_no_task(namespace: str, start: Start, tmp_path: Path) -> None:
    with Server() as server, Client(server.url, namespace) as client:
        start(url=server.url)
        job = client.submit(app.sleeps.call(str(tmp_path / "pid"), seconds=0.5), lease=60)
        pid = number(tmp_path / "pid")
        admin = client.link.server
        admin.config_set("requirepass", "other")
        admin.execute_command("AUTH", "other")
        admin.execute_command("CLIENT", "KILL", "TYPE", "normal")
        until(lambda: gone(pid))
        until(lambda: "refuses the login" in (tmp_path / "log").read_text())
        admin.config_set("requirepass", "")
        assert job.result(PATIENCE) == "slept"
        assert job.info().attempt == 1


@pytest.mark.parametrize("how", ["--spawn", "--quiet"])
def test_no_function_has_a_password_of_the_worker_in_its_environment(
    namespace: str, start: Start, tmp_path: Path, how: str
) -> None:
    with Server() as server, Client(server.url, namespace) as client:
        client.link.server.config_set("requirepass", "se%cret")
        client.link.server.execute_command("AUTH", "se%cret")
        file = tmp_path / "password"
        file.write_text("se%cret")
        environment = {
            **os.environ,
            "BLUEQUE_URL": server.url.replace("://", "://default:se%25cret@") + "?pass=se%25cret&db=0",
            "BLUEQUE_PASSWORD": "se%cret",
            "BLUEQUE_TOPOLOGY": "1=redis://me:se%cret@one,2=redis://:se%cret@two",
            "WITH_A_FILE": f"{server.url}?password_file={file}",
        }
        start(how, url="", env=environment)
        found = client.submit(app.surroundings.call()).result(PATIENCE)
        assert "cret" not in found
        for kept in (server.url.replace("://", "://default@") + "?db=0", "1=redis://me@one,2=redis://@two"):
            assert found.count(f"={kept}") == (3 if how == "--spawn" else 1), found
        # The program has the address, and the password if the address names a file.
        assert (
            client.task(client.submit(app.submits.call("WITH_A_FILE", namespace)).result(PATIENCE)).result(PATIENCE)
            == 2
        )


@pytest.mark.parametrize("option", ["--url", "--from"])
@pytest.mark.parametrize("url", ["redis://:se%cret@h", "redis://me:se%cret@h/1", "unix:///s?pass=se%cret"])
def test_a_password_on_the_command_line_is_refused(option: str, url: str) -> None:
    command = [sys.executable, "-m", "blueque_client", "import-work-queue", "films", option, url]
    said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (said.returncode, "cret" in said.stderr) == (2, False)
    assert f"{option} holds a password" in said.stderr


def test_a_removed_work_folder_is_created_again(client: Client, start: Start, tmp_path: Path) -> None:
    start()
    assert client.submit(app.add.call(1)).result(PATIENCE) == 2
    shutil.rmtree(tmp_path / "work")
    assert client.submit(app.where.call()).result(PATIENCE)["folder"].startswith(str(tmp_path / "work"))


def test_an_interrupt_at_the_terminal_reaches_no_function(client: Client, start: Start, tmp_path: Path) -> None:
    worker = start(start_new_session=True)
    job = client.submit(app.sleeps.call(str(tmp_path / "pid"), seconds=1.0))
    number(tmp_path / "pid")
    os.killpg(worker.pid, signal.SIGINT)
    assert worker.wait(PATIENCE) == 0
    assert job.state() == "complete"


def test_a_killed_worker_takes_its_tasks_with_it_and_another_goes_on(
    client: Client, start: Start, tmp_path: Path
) -> None:
    worker = start()
    file = tmp_path / "steps"
    job = client.submit(app.counts.call(5, str(file)), lease=5)
    pid = number(tmp_path / "steps.begun")
    worker.kill()
    until(lambda: gone(pid), "the function outlives its worker")
    start()
    assert job.result(PATIENCE) == {"first": 1, "attempt": 2}
    assert file.read_text().split() == ["0", "1", "2", "3", "4"]
    assert job.info().losses == 1


def test_a_worker_killed_with_a_report_unread_leaves_no_daemon(client: Client, start: Start, tmp_path: Path) -> None:
    worker = start("-n", "2")
    client.submit(app.sleeps.call(str(tmp_path / "one"), "daemon"))
    client.submit(app.sleeps.call(str(tmp_path / "two")))
    daemon, pid = number(tmp_path / "one.daemon"), number(tmp_path / "two")
    worker.send_signal(signal.SIGSTOP)
    os.kill(pid, signal.SIGKILL)
    until(lambda: not Path(f"/proc/{pid}").exists())
    worker.kill()
    until(lambda: gone(daemon), "a daemon outlives the worker")


def test_a_killed_task_process_fails_the_task_alone(client: Client, start: Start, tmp_path: Path) -> None:
    start()
    job = client.submit(app.sleeps.call(str(tmp_path / "pid")))
    os.kill(number(tmp_path / "pid"), signal.SIGKILL)
    with pytest.raises(TaskFailed, match="SIGKILL"):
        job.result(PATIENCE)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("generation", [1, 2])
def test_without_its_fork_server_a_worker_gives_back_and_ends(
    client: Client, start: Start, tmp_path: Path, generation: int
) -> None:
    worker = start()
    job = client.submit(app.sleeps.call(str(tmp_path / "pid"), "daemon"))
    pids = number(tmp_path / "pid"), number(tmp_path / "pid.daemon")
    between = worker.pid
    for _ in range(generation):  # the fork server's parent, and the fork server
        [between] = children(between)
    os.kill(between, signal.SIGKILL)
    until(lambda: job.info().uncounted == 1)
    assert all(gone(pid) for pid in pids), "the task was given back while something of it runs"
    assert worker.wait(PATIENCE) == 1
    assert "start the worker again" in (tmp_path / "log").read_text()
    start()
    until(lambda: job.info().attempt == 2)


def test_many_workers_and_many_kills_lose_and_double_nothing(client: Client, start: Start, tmp_path: Path) -> None:
    dice = random.Random(7)
    queue = client.queue("q")
    queue.configure("lease", 1)
    jobs = [client.submit(app.appends.call(str(tmp_path / "done"), n), max_losses=100) for n in range(150)]
    workers = [start("-n", "4") for _ in range(3)]
    goals: list[int] = []
    for _ in range(4):
        goals.append(min(queue.counts().complete + 20, 150))
        until(lambda: queue.counts().complete >= goals[-1])
        workers.pop(dice.randrange(3)).kill()
        workers.append(start("-n", "4"))
    assert sorted(job.result(PATIENCE) for job in jobs) == list(range(150))
    # Each name in the file is unique: a task that ended twice did so in different attempts.
    done = (tmp_path / "done").read_text().split()
    assert len(done) == len(set(done))
    assert queue.counts().complete == 150
    assert queue.counts().failed == 0
    for worker in workers:
        worker.terminate()
        assert worker.wait(PATIENCE) in (0, -signal.SIGTERM)  # the last worker may still be starting


def test_a_frozen_worker_loses_its_task_and_discards_it(client: Client, start: Start, tmp_path: Path) -> None:
    worker = start()
    file = tmp_path / "steps"
    job = client.submit(app.counts.call(3, str(file)), lease=5)
    pid = number(tmp_path / "steps.begun")
    worker.send_signal(signal.SIGSTOP)
    start()
    assert job.result(PATIENCE) == {"first": 1, "attempt": 2}
    worker.send_signal(signal.SIGCONT)
    until(lambda: gone(pid), "the function goes on without its lease")
    stop(worker)
    assert job.info().attempt == 2


def test_a_worker_that_is_ordered_to_end_finishes_what_runs(client: Client, start: Start, tmp_path: Path) -> None:
    worker = start()
    job = client.submit(app.sleeps.call(str(tmp_path / "pid"), seconds=1.0))
    number(tmp_path / "pid")
    later = client.submit(app.add.call(1))
    stop(worker)
    assert job.state() == "complete"
    assert later.state() == "pending"


def test_ordered_to_end_twice_it_gives_back_what_runs(client: Client, start: Start, tmp_path: Path) -> None:
    worker = start()
    job = client.submit(app.sleeps.call(str(tmp_path / "pid")))
    number(tmp_path / "pid")
    worker.terminate()
    said = "takes no more, finishes 1 task; a second signal gives back what runs\n"
    until(lambda: said in (tmp_path / "log").read_text())
    stop(worker)
    log = (tmp_path / "log").read_text()
    assert re.search(r"takes tasks of .* as \S+: 1 slot, unix://\S+/socket, namespace \S+, bundle [\d.]+\n", log)
    assert "to stop it: Ctrl-C or SIGTERM" in log
    assert "gives back 1 task\n" in log
    assert job.state() == "pending"
    assert (tmp_path / "pid.order").read_text() == "drain"
    assert job.info().uncounted == 1
    assert not list((tmp_path / "work").glob("*/*"))


def test_a_server_that_is_away_at_the_start_is_logged(start: Start, tmp_path: Path) -> None:
    start(url="", env={**os.environ, "BLUEQUE_URL": f"unix://:secret@{tmp_path}/nobody"})
    until(lambda: "\n" in (tmp_path / "log").read_text())
    said = (tmp_path / "log").read_text()
    time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    assert re.match(rf"{time} WARNING waits up to 30 s for the server unix://{tmp_path}/nobody: .*\n", said)
    assert "secret" not in said


def test_records_may_be_json(client: Client, start: Start, tmp_path: Path) -> None:
    worker = start("--log-format", "json")
    job = client.submit(app.add.call(1))
    assert job.result(PATIENCE) == 2
    stop(worker)
    records = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert records[0]["level"] == "info"
    assert records[0]["message"].startswith("takes tasks of ")
    assert re.fullmatch(r"[\d-]{10}T[\d:]{8}\.\d{3}Z", records[0]["time"])
    [end] = [record for record in records if "complete" in record["message"]]
    assert (end["task"], end["attempt"]) == (job.id, 1)


def held(home: Path) -> bool:
    """Returns true if a process holds the lock of a work folder."""
    with (home / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_what_a_killed_worker_has_left_is_removed_by_the_next_one(client: Client, start: Start, tmp_path: Path) -> None:
    """The pid decides nothing: another process may reuse it, and a worker in another container has no pid here."""
    work = tmp_path / "work" / f"blueque-{os.getuid()}"

    def begun(name: str) -> tuple[subprocess.Popen[bytes], Path]:
        worker = start()
        client.submit(app.sleeps.call(str(tmp_path / name)))
        number(tmp_path / name)
        return worker, next(work.glob(f"{worker.pid}-*"))

    killed, left = begun("first")
    killed.kill()
    until(lambda: not held(left), "its processes live")
    left = left.rename(work / f"{os.getpid()}-left")
    _, mine = begun("second")
    assert not left.exists()
    mine = mine.rename(work / "999999999-mine")
    third = start("-q", "nothing")
    until(lambda: "takes tasks of nothing" in (tmp_path / "log").read_text())
    stop(third)
    assert mine.exists()


def test_a_program_that_a_new_interpreter_cannot_import_is_refused(tmp_path: Path) -> None:
    (tmp_path / "once.py").write_text(
        "import os\nfrom blueque_client import task\nassert not os.environ.get('ONCE'), 'the second time'\n"
        "os.environ['ONCE'] = '1'\n@task(queue='o')\ndef once():\n    pass\n"
    )
    command = [sys.executable, "-m", "blueque_client", "worker", "once", "--spawn", "--url", "unix:///nobody"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "error: BADARG: `spawn`: a new interpreter cannot import the functions: AssertionError: the" in ended.stderr


def test_a_module_that_ends_the_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(0)\n")
    command = [sys.executable, "-m", "blueque_client", "worker", "ends"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert "the module ends ends the program when it is imported" in ended.stderr


def test_queues_by_pattern(client: Client, start: Start) -> None:
    before = client.queue("video-1").submit([1], method="add")
    left_out = client.queue("video-test").submit([1], method="add")
    worker = start("-q", "video-*", "-q", "!video-test", "-n", "2")
    assert before.result(PATIENCE) == 2
    # Queues that are added later also wake the worker; it needs more than one call to read all of them.
    later = [client.queue(f"video-{n}").submit([n], method="add") for n in range(40)]
    assert [job.result(PATIENCE) for job in later] == [n + 1 for n in range(40)]
    [about] = client.workers()
    assert "video-*" in about.queues
    retried = client.queue("video-3").submit(method="fails", max_failures=1, delay=0)
    with pytest.raises(TaskFailed, match="no such film"):
        retried.result(PATIENCE)
    until(lambda: (client.workers()[0].failed or 0) >= 1)
    stop(worker)
    assert left_out.state() == "pending"
    assert not client.queue("video-3").listeners()


def test_patterns_that_only_leave_out(client: Client) -> None:
    with pytest.raises(InvalidCall, match="only leave queues out"):
        Worker(client, app, queues=["!a"])


def test_a_drained_worker_ends(client: Client, start: Start) -> None:
    worker = start()
    [about] = until(lambda: client.workers())
    from blueque_client import calls

    client.run(calls.drain("q", about.listener, True))
    client.run(calls.drain("second", about.listener, True))
    assert worker.wait(PATIENCE) == 0


def test_a_server_that_was_away_gets_the_end(namespace: str, start: Start, tmp_path: Path) -> None:
    with Server() as server, Client(server.url, namespace) as client:
        start(url=server.url)
        job = client.submit(app.sleeps.call(str(tmp_path / "pid"), seconds=0.5), lease=30)
        pid = number(tmp_path / "pid")
        server.kill()
        until(lambda: gone(pid))
        server.start()
        assert job.result(PATIENCE) == "slept"
        assert job.info().attempt == 1


def test_the_program_may_change(client: Client, tmp_path: Path, namespace: str, server: Server) -> None:
    program = tmp_path / "program.py"
    program.write_text("from blueque_client import task\n\n@task(queue='p')\ndef version():\n    return 1\n")
    command = [sys.executable, "-m", "blueque_client", "worker", "program", "--reload", "--url", server.url]
    worker = subprocess.Popen([*command, "--namespace", namespace], cwd=tmp_path)
    try:
        assert client.queue("p").submit(method="version").result(PATIENCE) == 1
        program.write_text(program.read_text().replace("return 1", "return 1 + 1"))
        until(lambda: client.queue("p").submit(method="version").result(PATIENCE) == 2)
    finally:
        worker.kill()
        worker.wait()


class Stops:
    """A worker that supports only a stop."""

    every_second: Callable[[], None]
    stopped = False

    def stop(self, release: bool) -> None:
        self.stopped = release


def test_only_a_change_that_can_be_read_starts_the_program_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    first, later = tmp_path / "seen_first.py", tmp_path / "seen_later.py"
    first.write_text("x = 1")
    later.write_text("x = 1")
    importlib.import_module("seen_first")
    worker = Stops()
    Changes(worker)  # type: ignore[arg-type]
    importlib.import_module("seen_later")
    worker.every_second()
    assert not worker.stopped
    first.write_text("x = (")
    os.utime(first, (1, 1))
    worker.every_second()
    assert not worker.stopped
    assert "waits for the next change" in caplog.text
    first.write_text("x = 2")
    os.utime(first, (2, 2))
    worker.every_second()
    assert worker.stopped


@pytest.mark.parametrize(
    ("tasks", "text"),
    [
        ("nosuch", "there is no module nosuch in "),
        ("tasks_for_tests.py", "write tasks_for_tests, without .py"),
        ("tasks_for_tests:nosuch", "the module tasks_for_tests has no nosuch"),
    ],
)
def test_a_module_that_is_not_there_is_one_line(tasks: str, text: str) -> None:
    command = [sys.executable, "-m", "blueque_client", "worker", tasks]
    ended = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: BADARG: ")
    assert ended.stderr.count("\n") == 1
    assert text in ended.stderr

"""Changes that functions leave in their processes, and properties that these inherit from the worker's starter."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
import tasks_for_tests as app
from conftest import PATIENCE, Start, gone, number, until

from blueque_client import Client, TaskFailed, replies

KEPT = [["--tasks-per-process", "100"], ["--mode", "thread"], ["--mode", "asyncio"]]


@pytest.mark.parametrize("options", [[], *KEPT])
@pytest.mark.parametrize("what", ["closed", "file", "writes", "none", "logging"])
def test_streams_and_handlers_that_a_function_spoils_cost_no_end(
    client: Client, start: Start, tmp_path: Path, what: str, options: list[str]
) -> None:
    start(*options)
    job = client.submit(app.spoils.call(what, str(tmp_path / "file")))
    assert job.result(PATIENCE) == what
    # The next task prints and logs, in the same process if the worker keeps the process.
    after = client.submit(app.prints_and_logs.call("after it"))
    assert after.result(PATIENCE) == "after it"
    assert "WARNING app: after it\n" in "".join(entry.text for entry in after.logs())


@pytest.mark.parametrize("mode", ["process", "thread", "asyncio"])
def test_all_that_a_function_logs_before_its_end_is_kept(client: Client, start: Start, mode: str) -> None:
    start("--mode", mode)
    job = client.submit(app.logs_much.call(500), log_bytes=64 << 20)
    job.result(PATIENCE)
    lines = "".join(entry.text for entry in job.logs()).splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(500))


def without_rights() -> None:
    """Drops the capabilities of root that an ordinary user lacks."""
    prctl = ctypes.CDLL(None).prctl
    for capability in range(1, 4):  # for files of other users, and for files without permissions
        prctl(24, capability, 0, 0, 0)


@pytest.mark.parametrize("how", ["deep", "rights"])
@pytest.mark.parametrize("options", [[], ["--tasks-per-process", "100"]])
def test_folders_that_are_hard_to_remove_hold_up_nothing(
    client: Client, start: Start, tmp_path: Path, how: str, options: list[str]
) -> None:
    start(*options, preexec_fn=without_rights)
    try:
        folder = Path(client.submit(app.leaves_folders.call(how)).result(PATIENCE))
        until(lambda: not folder.exists(), "its folder is left")
        assert client.submit(app.add.call(1)).result(PATIENCE) == 2
    finally:  # pytest cannot remove the folder either
        subprocess.run(["rm", "-rf", tmp_path / "work"], check=False)


@pytest.mark.parametrize("how", ["again", "reason", "failure", "group"])
def test_an_end_that_the_server_does_not_take_fails_that_task_alone(client: Client, start: Start, how: str) -> None:
    worker = start()
    job = client.submit(app.raises_oddly.call(how))
    with pytest.raises(TaskFailed):
        job.result(PATIENCE)
    assert client.submit(app.add.call(1)).result(PATIENCE) == 2
    assert worker.poll() is None


@pytest.mark.parametrize("how", ["ignored", "blocked"])
def test_signals_that_are_ignored_or_blocked_where_a_worker_starts(
    client: Client, start: Start, tmp_path: Path, how: str
) -> None:
    signals = [signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1]

    def given() -> None:
        if how == "ignored":
            for each in signals[:1]:
                signal.signal(each, signal.SIG_IGN)
        else:
            signal.pthread_sigmask(signal.SIG_BLOCK, signals)

    worker = start("--grace", "1", preexec_fn=given)
    assert client.submit(app.add.call(1)).result(PATIENCE) == 2
    job = client.submit(app.sleeps.call(str(tmp_path / "pid")))
    number(tmp_path / "pid")
    job.cancel()
    until(lambda: job.state() == "cancelled")
    assert (tmp_path / "pid.order").read_text() == "cancel"
    worker.terminate()
    assert worker.wait(PATIENCE) == 0


def test_a_killed_fork_server_leaves_nothing_where_sigchld_is_ignored(
    client: Client, start: Start, tmp_path: Path
) -> None:
    start(preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    client.submit(app.sleeps.call(str(tmp_path / "pid"), "daemon"))
    pid, daemon = number(tmp_path / "pid"), number(tmp_path / "pid.daemon")
    server = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    os.kill(server, signal.SIGKILL)
    until(lambda: gone(pid) and gone(daemon), "it runs beside the next attempt")


def test_a_worker_without_standard_streams_runs(client: Client, start: Start) -> None:
    worker = start(preexec_fn=lambda: os.closerange(0, 3))
    assert client.submit(app.prints_and_logs.call("x")).result(PATIENCE) == "x"
    worker.terminate()
    assert worker.wait(PATIENCE) == 0


def test_a_task_goes_before_its_worker_when_memory_runs_out(client: Client, start: Start, tmp_path: Path) -> None:
    worker = start(preexec_fn=lambda: Path("/proc/self/oom_score_adj").write_text("550"))
    client.submit(app.sleeps.call(str(tmp_path / "pid")))
    scores = [int(Path(f"/proc/{pid}/oom_score_adj").read_text()) for pid in (worker.pid, number(tmp_path / "pid"))]
    assert scores == [550, 850]


def test_a_module_that_is_missing_for_a_moment_costs_no_task(client: Client, start: Start, tmp_path: Path) -> None:
    (tmp_path / "its_tasks.py").write_text(
        "import needed_module\nfrom blueque_client import task\n\n@task(queue='q')\ndef doubles(n):\n    return 2 * n\n"
    )
    needed, away = tmp_path / "needed_module.py", tmp_path / "away"
    needed.touch()
    start("--spawn", "-n", "2", tasks="its_tasks", cwd=tmp_path)
    until(lambda: client.queue("q").listeners())
    needed.rename(away)
    jobs = [client.queue("q").submit({"n": n}, method="doubles") for n in range(10)]
    until(lambda: "needed_module" in (tmp_path / "log").read_text())
    away.rename(needed)
    assert [job.result(PATIENCE) for job in jobs] == [2 * n for n in range(10)]
    records = [job.info() for job in jobs]
    assert {each.failures for each in records} <= {None, 0}
    # While the module was missing, most of the tasks were not even taken.
    assert sum(each.attempt or 0 for each in records) < 30


def test_a_release_that_is_removed_while_its_worker_runs_costs_no_task(
    client: Client, start: Start, tmp_path: Path
) -> None:
    release = tmp_path / "release"
    shutil.copytree(Path(replies.__file__).parent, release / "blueque_client")
    start(env={**os.environ, "PYTHONPATH": str(release)})
    until(lambda: client.queue("q").listeners())
    shutil.rmtree(release)
    client.link.server.script_flush()
    job = client.submit(app.logs.call())
    job.result(PATIENCE)
    assert "from the context" in "".join(entry.text for entry in job.logs())

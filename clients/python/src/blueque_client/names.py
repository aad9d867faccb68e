"""Names that a call does not have: the error names what the caller may have meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from .errors import InvalidCall

#: Names in other queues, and what they are called here.
MEANT = {
    **dict.fromkeys(("max_retries", "retries", "retry_count", "attempts", "max_attempts", "max_tries"), "max_failures"),
    **dict.fromkeys(("autoretry_for", "retry_on", "on_exceptions"), "retry_for"),
    **dict.fromkeys(("dont_autoretry_for", "throws", "discard_on"), "permanent_for"),
    **dict.fromkeys(("default_retry_delay", "retry_delay", "interval", "min_backoff"), "delay"),
    **dict.fromkeys(("retry_backoff", "backoff_type"), "backoff"),
    **dict.fromkeys(("retry_backoff_max", "max_backoff"), "max_delay"),
    **dict.fromkeys(("retry_jitter", "random_jitter"), "jitter"),
    **dict.fromkeys(("countdown", "start_at", "run_at", "scheduled_at", "delay_until"), "eta"),
    **dict.fromkeys(("expires", "expire", "expires_in", "ttl"), "deadline"),
    **dict.fromkeys(("soft_time_limit", "timeout", "job_timeout", "execution_timeout"), "time_limit max_run"),
    **dict.fromkeys(("task_id", "job_id"), "id"),
    **dict.fromkeys(("shadow", "description"), "title"),
    **dict.fromkeys(("unique_for", "unique_ttl", "lock_ttl"), "unique_until"),
    **dict.fromkeys(("deduplication", "unique_key", "dedup_id", "lock_key"), "unique"),
    **dict.fromkeys(("depends_on", "parent"), "after_success"),
    **dict.fromkeys(("rate_limit", "limiter", "throttle"), "rate"),
    **dict.fromkeys(("visibility_timeout", "lock_duration", "ack_wait"), "lease"),
    **dict.fromkeys(("result_ttl", "result_expires", "failure_ttl", "remove_on_complete"), "retain"),
    **dict.fromkeys(("pattern", "crontab", "cron_string"), "cron"),
    **dict.fromkeys(("tz", "timezone"), "zone"),
    **dict.fromkeys(("limit", "repeat"), "times"),
    **dict.fromkeys(("state",), "status"),
}


def near(name: str, known: Collection[str]) -> list[str]:
    """Returns the known names that the caller may have meant."""
    if name in known:
        return [name]
    own = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    if meant := [each for each in MEANT.get(own, "").split() if each in known]:
        return meant
    return get_close_matches(own, known, 1, 0.6)


#: Options of a submit that no other call has.
OF_A_SUBMIT = ("id", "eta", "unique", "again")
#: Options that the clients set.
_OWN = ("by", "inputs", "request")


def check_options(what: str, given: Iterable[str], known: Collection[str], *more: str) -> None:
    """Refuses options that do not exist."""
    if not (wrong := [name for name in given if name not in known and name not in more]):
        return
    every = sorted({*known, *more}.difference(_OWN))
    text = f"{what} has no option {_listed(wrong)}"
    found = list(dict.fromkeys(each for name in wrong for each in near(name, every)))
    if found and not set(wrong) <= set(OF_A_SUBMIT):
        raise InvalidCall("BADARG", f"{text}: did you mean {_listed(found)}?")
    if of_a_submit := list(dict.fromkeys(each for name in wrong for each in near(name, OF_A_SUBMIT))):
        raise InvalidCall("BADARG", f"{text}: {_listed(of_a_submit)} is an option of a submit.")
    raise InvalidCall("BADARG", f"{text}; there are {', '.join(every)}.")


def check_setting(name: str, known: Collection[str]) -> None:
    """Refuses a setting that does not exist."""
    if name not in known:
        text, found = f"there is no setting `{name}`", near(name, known)
        end = f": did you mean {_listed(found)}?" if found else f"; there are {', '.join(sorted(known))}."
        raise InvalidCall("BADARG", text + end)


#: Methods in other queues, and the calls here.
_CALLS = {
    **dict.fromkeys(("add", "enqueue", "enqueue_call", "put", "push", "send", "publish"), "submit(…)"),
    **dict.fromkeys(("enqueue_at", "enqueue_in", "add_delayed"), "submit(…, eta=…)"),
    "send_task": "queue(…).submit(…, method=…)",
    **dict.fromkeys(("add_bulk", "enqueue_many"), "submit_many([…])"),
    **dict.fromkeys(("purge", "empty", "drain", "obliterate"), 'bulk("purge")'),
    **dict.fromkeys(("get_jobs", "jobs", "get_job_ids"), "tasks(state)"),
    **dict.fromkeys(("fetch_job", "get_job", "AsyncResult"), "task(id)"),
    **dict.fromkeys(("count", "get_job_counts", "size", "__len__"), "counts()"),
}


def missing(what: str, name: str) -> str:
    """The text of an error for an attribute that does not exist."""
    return f"{what} has no `{name}`" + (f": use `{_CALLS[name]}`" if name in _CALLS else "")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)

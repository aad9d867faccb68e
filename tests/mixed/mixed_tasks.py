"""Tasks that the workers of the client for Python run, and their hooks."""

import os
import random

import handler
from blueque_client import Hooks, context, hooks, reports, task


def work(n, ms, fails=0):
    return handler.handle(context.id, context.attempt, n, ms, fails)


square = task(queue="mixed", name="square")(work)
#: Tasks of Blueque 1.0 have no method: the function with the name of their queue runs them.
mixed = task(queue="mixed", name="mixed")(work)


class Notes(Hooks):
    """Records the calls of the hooks of attempts. Every second attempt's hooks raise."""

    def note(self, what, attempt):
        handler.note(what, attempt.id, attempt.attempt, os.environ["MIXED_WORKER"], file="hooks")
        if attempt.attempt % 2:
            raise RuntimeError("a hook changes no outcome")

    def before_attempt(self, attempt):
        self.note("before", attempt)

    def after_attempt(self, attempt, error):
        self.note("after", attempt)

    def on_success(self, attempt):
        self.note("success", attempt)

    def on_failure(self, attempt):
        self.note("failure", attempt)

    def on_retry(self, attempt):
        self.note("retry", attempt)

    def on_cancel(self, attempt):
        self.note("cancel", attempt)

    def on_release(self, attempt):
        self.note("release", attempt)

    def on_lost(self, attempt):
        self.note("lost", attempt)


notes = Notes()


def break_hooks():
    """Plants defects: some hooks are called twice, others not at all, some exceptions of hooks end the attempt; and no
    fire times are supplied."""
    call = hooks.call

    def careless(them, word, *about, passes=()):
        for _ in range(random.choice((0, 1, 1, 1, 2))):
            call(them, word, *about, passes=random.choice((passes, passes and (Exception,))))

    hooks.call = careless
    reports.supply_times = lambda *_: []


if "MIXED_PLANTED" in os.environ:
    break_hooks()

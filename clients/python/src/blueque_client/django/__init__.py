"""Django: the client of the settings, submits with a transaction, and the command `runworker`.

`INSTALLED_APPS` has `"blueque_client.django"`, and `BLUEQUE` the arguments of `Client`: `{"server": "redis://…",
"namespace": "shop"}`. Without it the client reads the environment.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

from django.conf import settings
from django.db import close_old_connections, transaction

from ..calls import SubmitOptions
from ..hooks import Attempt, Hooks
from ..sync import Client, Task
from ..task_functions import TaskCall
from ..wire import Time, random_id

if TYPE_CHECKING:
    from typing_extensions import Unpack

R = TypeVar("R")


@cache
def client() -> Client:
    """The client of the settings, for all threads of the process."""
    return Client(**getattr(settings, "BLUEQUE", {}))


def submit_on_commit(
    call: TaskCall[R],
    *,
    using: str | None = None,
    id: str | None = None,
    eta: Time | None = None,
    **options: Unpack[SubmitOptions],
) -> Task[R]:
    """Submits a task when the transaction is committed, or at once outside of a transaction.

    The id of the returned task is known before the commit, and may be saved with it. If the process dies between the
    commit and the submit, the task is not submitted: `docs/use/frameworks.md` has an outbox for such tasks.

    using: The name of the database.
    """
    id = id or random_id()
    transaction.on_commit(partial(client().submit, call, id=id, eta=eta, **options), using=using)
    return client().task(id)


class Connections(Hooks):
    """Closes connections to databases that are no longer usable, as Django does around a request."""

    def before_attempt(self, _attempt: Attempt) -> None:
        close_old_connections()

    def after_attempt(self, _attempt: Attempt, _error: BaseException | None) -> None:
        close_old_connections()


__all__ = ["Connections", "client", "submit_on_commit"]

"""Tasks that the workers of the client for Python run."""

import handler
from blueque_client import context, task


def work(n, ms):
    return handler.handle(context.id, context.attempt, n, ms)


square = task(queue="mixed", name="square")(work)
#: Tasks of Blueque 1.0 have no method: the function with the name of their queue runs them.
mixed = task(queue="mixed", name="mixed")(work)

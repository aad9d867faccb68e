"""The web service of `service.py` with Flask: `flask --app flask_service run --port 3000`, in this folder.

It needs `pip install flask`, and uses the server in `BLUEQUE_URL`. In production a server with threads runs it, because
each follower takes one: `gunicorn --threads 32 flask_service:app`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from flask import Flask, Response, request

from blueque_client import BluequeError, Client, Task
from blueque_client.contract import STATES

#: Interval in seconds at which a followed task is polled.
LOOK = 0.2
#: The HTTP status of an error.
REFUSED = {
    **dict.fromkeys(("BADNAME", "TOOBIG", "PAYLOAD", "BADARG"), 400),
    "NOTASK": 404,
    **dict.fromkeys(("STATE", "CLOSED"), 409),
    "UNAVAILABLE": 503,
}

app = Flask(__name__)
# One client for all threads. It connects at its first call, so a server may fork after the import.
client = Client()


@app.errorhandler(BluequeError)
def refused(error: BluequeError) -> tuple[dict[str, str], int]:
    return {"error": str(error)}, REFUSED.get(error.code, 500)


def shown(task: Task[Any]) -> dict[str, Any]:
    info = task.info()
    return {
        "status": info.status,
        "attempt": info.attempt,
        "progress": info.progress,
        "result": info.result,
        "error": info.error,
    }


@app.post("/tasks")
def submit() -> tuple[dict[str, str], int, dict[str, str]]:
    made = client.queue("transcode").submit(request.get_json(), id=request.headers.get("Idempotency-Key"))
    return {"id": made.id}, 202, {"Location": f"/tasks/{made.id}"}


@app.get("/tasks/<id>")
def show(id: str) -> dict[str, Any]:
    return shown(client.task(id))


@app.delete("/tasks/<id>")
def cancel(id: str) -> tuple[dict[str, Any], int]:
    client.task(id).cancel("asked for by the service's client")
    return {}, 202


@app.get("/tasks/<id>/events")
def follow(id: str) -> Response:
    followed = client.task(id)
    first = shown(followed)  # an unknown task is 404

    def events() -> Iterator[str]:
        """Each change. A client that closes the connection ends the loop."""
        before, now = None, first
        while True:
            if now != before:
                yield f"data: {json.dumps(now)}\n\n"
            if STATES[now["status"]].final:
                return
            time.sleep(LOOK)
            try:
                before, now = now, shown(followed)
            except BluequeError as error:
                yield f"data: {json.dumps({'error': str(error)})}\n\n"
                return

    return Response(events(), mimetype="text/event-stream")

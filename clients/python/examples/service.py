"""A web service that submits tasks and follows them: `uvicorn service:app --port 3000`, in this folder.

- `POST /tasks` with any JSON submits a task to the queue `transcode`. A repeated `Idempotency-Key` creates no second
  task.
- `GET /tasks/ID` returns the state of a task, `DELETE /tasks/ID` cancels it.
- `GET /tasks/ID/events` sends each change until the task has ended (server-sent events).

It needs `pip install fastapi uvicorn`, and uses the server in `BLUEQUE_URL`. Another process does the work: a worker of
the queue `transcode` in any language.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Body, FastAPI, Header, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from blueque_client import BluequeError
from blueque_client.aio import Client, Task
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


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with Client() as client:
        await client.check()
        app.state.client = client
        yield


app = FastAPI(lifespan=lifespan)


@app.exception_handler(BluequeError)
async def refused(_: Request, error: BluequeError) -> JSONResponse:
    return JSONResponse({"error": str(error)}, REFUSED.get(error.code, 500))


def task(request: Request, id: str) -> Task[Any]:
    client: Client = request.app.state.client
    return client.task(id)


async def shown(task: Task[Any]) -> dict[str, Any]:
    info = await task.info()
    return {
        "status": info.status,
        "attempt": info.attempt,
        "progress": info.progress,
        "result": info.result,
        "error": info.error,
    }


@app.post("/tasks", status_code=202)
async def submit(
    request: Request,
    response: Response,
    parameters: Annotated[Any, Body()],
    idempotency_key: Annotated[str | None, Header()] = None,
) -> dict[str, str]:
    queue = request.app.state.client.queue("transcode")
    made = await queue.submit(parameters, id=idempotency_key)
    response.headers["Location"] = f"/tasks/{made.id}"
    return {"id": made.id}


@app.get("/tasks/{id}")
async def show(request: Request, id: str) -> dict[str, Any]:
    return await shown(task(request, id))


@app.delete("/tasks/{id}", status_code=202)
async def cancel(request: Request, id: str) -> None:
    await task(request, id).cancel("asked for by the service's client")


@app.get("/tasks/{id}/events")
async def follow(request: Request, id: str) -> StreamingResponse:
    followed = task(request, id)
    first = await shown(followed)  # an unknown task is 404

    async def events() -> AsyncIterator[str]:
        """Each change. A client that closes the connection ends the loop."""
        before, now = None, first
        while True:
            if now != before:
                yield f"data: {json.dumps(now)}\n\n"
            if STATES[now["status"]].final:
                return
            await asyncio.sleep(LOOK)
            try:
                before, now = now, await shown(followed)
            except BluequeError as error:
                yield f"data: {json.dumps({'error': str(error)})}\n\n"
                return

    return StreamingResponse(events(), media_type="text/event-stream")

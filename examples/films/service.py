"""The web service of the film archive: `uvicorn service:app`, in this folder."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from blueque_client import BluequeError, InvalidCall, NotFound, Refused, Unavailable
from blueque_client.aio import Client
from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field

import films

#: Interval in seconds at which a followed film is read.
LOOK = 0.2
ENDED = {"complete", "failed", "cancelled", "deleted"}
STATUS = {NotFound: 404, InvalidCall: 400, Refused: 409, Unavailable: 503}


class NewFilm(BaseModel):
    name: str = Field(pattern=r"^[a-z0-9-]{1,40}$")
    url: str = Field(pattern=r"^https?://")
    heights: list[int] = Field([480, 1080], min_length=1, max_length=8)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with Client() as client:
        await client.check()
        # The same call at each start: it changes the schedule only if it differs.
        await client.schedule("nightly", films.report.call(), cron="0 3 * * *", zone="Europe/Berlin", overlap="skip")
        app.state.client = client
        yield


app = FastAPI(title="Films", lifespan=lifespan)


@app.exception_handler(BluequeError)
async def refused(_: Request, error: BluequeError) -> JSONResponse:
    status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 500)
    return JSONResponse({"error": str(error)}, status)


def connected(request: Request) -> Client:
    client: Client = request.app.state.client
    return client


Connected = Annotated[Client, Depends(connected)]


async def shown(client: Client, name: str) -> dict[str, Any]:
    """A film: the state of each task, and the progress of those that run."""
    tasks: dict[str, Any] = {}
    for item in await client.graph(f"film-{name}").tasks():
        about: dict[str, Any] = {"status": item.status}
        if item.status == "started":
            about["progress"] = await client.task(item.id).progress()
        elif item.status == "failed" and not item.cause:  # no other task caused it
            about["error"] = str((await client.task(item.id).info()).error or "").strip().split("\n")[-1]
        tasks[item.label or item.id] = about
    return {"status": tasks["publish"]["status"], "tasks": tasks}


@app.post("/films", status_code=202)
async def add(new: NewFilm, client: Connected, response: Response) -> dict[str, str]:
    await client.submit_graph(films.film(new.name, new.url, new.heights))
    response.headers["Location"] = f"/films/{new.name}"
    return {"name": new.name}


@app.get("/films/{name}")
async def show(name: str, client: Connected) -> dict[str, Any]:
    return await shown(client, name)


@app.get("/films/{name}/events")
async def follow(name: str, client: Connected) -> StreamingResponse:
    first = await shown(client, name)  # an unknown film is 404

    async def events() -> AsyncIterator[str]:
        """Each change, as server-sent events, until the film is published, or its files are removed."""
        before, now = None, first
        while True:
            if now != before:
                yield f"data: {json.dumps(now)}\n\n"
            if all(each["status"] in ENDED for each in now["tasks"].values()):
                return
            await asyncio.sleep(LOOK)
            before, now = now, await shown(client, name)

    return StreamingResponse(events(), media_type="text/event-stream")


@app.delete("/films/{name}", status_code=202)
async def cancel(name: str, client: Connected) -> None:
    """Cancels all tasks that are only needed to publish the film. Then `tidy` removes its files."""
    await client.graph(f"film-{name}").cancel("cancelled by its owner", task=f"film-{name}-publish")


@app.post("/films/{name}/retry", status_code=202)
async def retry(name: str, client: Connected) -> None:
    """Runs everything again, from the beginning, because the files may have been removed."""
    await client.graph(f"film-{name}").retry(task=f"film-{name}-fetch")

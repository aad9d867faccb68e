#!/usr/bin/env python3
"""A task through its whole life, with nothing but the bundle and redis-py.

    python examples/life.py dist/blueque-lua-VERSION [redis://127.0.0.1:6379]
"""
import os
import socket
import uuid

import redis
from bundle import Bundle

call = Bundle.of_arguments(__doc__).call
listener = f"{socket.gethostname().replace('_', '-')}:-{uuid.uuid4().hex[:6]}_{os.getpid()}"
queue, task = "transcode", str(uuid.uuid4())

call("handshake")
call("register", queue, listener)
print("submit   ", call("submit", queue, 1, task, "", '{"input":"movie.mkv"}')[0].decode())

id_, _, token, attempt, deadline, lease, *_, parameters, checkpoint = call(
    "reserve", listener, 1, queue, "lease", "60", "request", str(uuid.uuid4())
)
print("reserve  ", id_.decode(), "attempt", attempt, parameters.decode())
print("start    ", call("start", task, token, os.getpid()))
print("heartbeat", call("heartbeat", queue, listener, "60", 1, task, token)[1].decode())
print("progress ", call("progress", task, token, '{"done":1,"total":2}').decode())
print("complete ", call("complete", task, token, '{"output":"movie.mp4"}').decode())
print("complete ", call("complete", task, token, "again").decode(), "(sent again: the first answer)")

try:
    call("checkpoint", task, token, "late")
except redis.exceptions.ResponseError as refused:
    print("late     ", str(refused).split()[0])

record = call("get", task)
record = dict(zip(record[::2], record[1::2]))
print("get      ", record[b"status"].decode(), record[b"result"].decode())
call("delete", task)
call("unregister", queue, listener)

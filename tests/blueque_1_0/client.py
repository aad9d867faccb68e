"""A client of Blueque 1.0 under command: one JSON object per line in, one per line out.

client.py URL [HOSTNAME]. A command is {"do": NAME, ...its arguments}; the answer is {"ok": value}
or {"error": "Type: text"}. Only the package `blueque` touches Redis, apart from `pop`,
which is the first half of its dequeue."""
import json
import os
import socket
import sys

import blueque
from blueque.forking_runner import ForkingRunner
from blueque.redis_queue import RedisQueue


class Commands:
    def __init__(self, url):
        self.client = blueque.Client(url)
        self.listeners = {}

    def hello(self):
        return {"host": socket.getfqdn(), "pid": os.getpid()}

    def enqueue(self, queue, parameters):
        return self.client.get_queue(queue).enqueue(parameters)

    def schedule(self, queue, parameters, eta):
        return self.client.get_queue(queue).schedule(parameters, eta)

    def enqueue_due_tasks(self, queue):
        self.client.get_queue(queue).enqueue_due_tasks()

    def register(self, queue):
        if queue not in self.listeners:
            self.listeners[queue] = self.client.get_listener(queue)
        return self.listeners[queue]._name

    def add(self, queue):
        """Asks for a listener again, as a process does."""
        return self.client.get_listener(queue)._name

    def unregister(self, queue):
        return self.listeners[queue]._queue.remove_listener(self.register(queue))

    def seen_listeners(self, queue):
        self.register(queue)
        listener = self.listeners[queue]
        return sorted(listener._parse_name(name) for name in listener._queue.get_listeners())

    def listen(self, queue):
        """The body of Listener.listen, run once and without its sleep."""
        name = self.register(queue)
        return self.listeners[queue]._queue.dequeue(name)

    def pop(self, queue):
        """The first of the two commands of RedisQueue.dequeue."""
        name = self.register(queue)
        own = self.listeners[queue]._queue
        return own._redis.rpoplpush(own._pending_name, own._reserved_key(name))

    def update(self, queue, id):
        """The second command."""
        name = self.register(queue)
        own = self.listeners[queue]._queue
        own._redis.hset("blueque_task_" + id, mapping={"status": "reserved", "node": name, "updated": 1.5})

    def claim_orphan(self, queue):
        self.register(queue)
        task = self.listeners[queue].claim_orphan()
        return task and task.id

    def processor(self, id):
        return self.client.get_processor(self.client.get_task(id))

    def start(self, id):
        self.processor(id).start(os.getpid())

    def complete(self, id, result):
        self.processor(id).complete(result)

    def late_complete(self, queue, id, node, pid):
        """The `complete` of a processor that has read its task before."""
        RedisQueue(queue, self.client._redis).complete(id, node, pid, "late")

    def fail(self, id, error):
        self.processor(id).fail(error)

    def delete(self, queue, id):
        self.client.get_queue(queue).delete_task(self.client.get_task(id))

    def get(self, id):
        task = self.client.get_task(id)
        names = ("status", "queue", "parameters", "result", "error", "node", "pid", "created", "updated")
        return {name: getattr(task, name) for name in names}

    def run(self, queue):
        """Takes orphans, then tasks, each in a process of its own; never answers."""
        ForkingRunner(self.client, queue, lambda task: "ran " + task.parameters).run()

    def exit(self):
        os._exit(1)


def main():
    commands = Commands(sys.argv[1])
    if sys.argv[2:] and sys.argv[2]:
        socket.getfqdn = lambda: sys.argv[2]
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = {"ok": getattr(commands, command.pop("do"))(**command)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

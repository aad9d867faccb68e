"""The bundle's scripts, with nothing but redis-py."""
import json
import pathlib
import sys

import redis


class Bundle:
    """The bundle in a folder, and a connection to a server."""

    def __init__(self, folder, url="redis://127.0.0.1:6379"):
        self.folder = pathlib.Path(folder)
        self.server = redis.Redis.from_url(url)
        self.commands = json.loads((self.folder / "manifest.json").read_text())["commands"]

    @classmethod
    def of_arguments(cls, usage):
        """Reads the command line: the folder, and optionally the server."""
        if len(sys.argv) < 2:
            sys.exit(usage)
        return cls(*sys.argv[1:3])

    def call(self, command, *args):
        """Makes a transition: EVALSHA, or EVAL if the server has not seen the script yet."""
        entry = self.commands[command]
        argv = (1, "blueque_meta", "", *args)  # the key; '' = the server's time
        try:
            return self.server.evalsha(entry["sha1"], *argv)
        except redis.exceptions.NoScriptError:
            return self.server.eval((self.folder / entry["file"]).read_text(), *argv)

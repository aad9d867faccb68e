"""Handling of errors of redis-py: another try, or an error for the caller."""

from __future__ import annotations

import random
import re
import socket
import ssl
import time
from collections.abc import Callable
from typing import Any

import redis
from redis import exceptions

from . import contract
from .address import Unreadable
from .bounds import TooLong
from .errors import BluequeError, ConnectionFailed, ReplyError, Unavailable, verdict

# redis-py removes some codes from the text of an error.
_PARSE: Callable[[str], Exception] = redis.connection.DefaultParser.parse_error
_STRIPPED = {
    type(error): code
    for code in [*contract.ERRORS, "NOSCRIPT", "WRONGPASS", "NOAUTH"]
    for error in [_PARSE(f"{code} 1 127.0.0.1:1")]  # for example MOVED, whose text is parsed
    if not str(error).startswith(code)
}
# Clients for clusters parse further codes.
_STRIPPED.update(
    {
        exceptions.AskError: "ASK",
        exceptions.ClusterDownError: "CLUSTERDOWN",
        exceptions.MasterDownError: "MASTERDOWN",
        exceptions.MovedError: "MOVED",
        exceptions.TryAgainError: "TRYAGAIN",
    }
)

#: Exceptions that redis-py raises because of a server.
TROUBLE = (exceptions.RedisError, exceptions.RedisClusterException, OSError)
#: Errors after which the next try may succeed. Replies of the server are handled separately.
PASSING = (exceptions.ConnectionError, exceptions.TimeoutError, exceptions.RedisClusterException, OSError)


def code_of(error: Exception) -> tuple[str, str]:
    """The code of a server's error, and its text."""
    text = str(error)
    if code := _STRIPPED.get(type(error)):
        return code, text
    code, _, rest = text.partition(" ")
    return code, rest or text


#: The refusal of a login among the errors of Sentinels.
REFUSED_LOGIN = re.compile(
    r"^No master found .*Error\(['\"]((?:NOAUTH|WRONGPASS|NOPERM|Authentication |invalid username).*?)\.?['\"]\)"
)
SENTINEL = "Add `sentinel_user` and `sentinel_password_file` to the URL, or correct them."


#: Errors if the server is of another kind than in the URL, or has no such database; with cause and remedy.
_MISTAKES = {
    "DB index is out of range": (
        "the server has no database with the number in the URL",
        "Correct that number, or leave it out: a server has 16, from 0 on, unless its setting `databases` says "
        "otherwise.",
    ),
    "unknown command 'SENTINEL'": (
        "the URL names Sentinels, and what answers there is a server, not a Sentinel",
        "Name the Sentinels, whose port is usually 26379; or write redis://host:port for the server itself.",
    ),
    "mode is not enabled": (
        "the URL is that of a cluster, and the server is none",
        "Write redis://host:port.",
    ),
}


#: Seconds for which the first call of a client tries to connect to an address that refuses connections.
FIRST_REFUSAL = 0.5
NO_SERVER = "Start it, or name another one: Client(url), or BLUEQUE_URL for Client()."


class Tries:
    """The tries of one call to a server, within its time limit. `first`: the server has not replied to any call yet."""

    def __init__(self, limit: float, place: str, first: bool = False) -> None:
        self.limit, self.until, self.pause, self.place = limit, time.monotonic() + limit, contract.FIRST_PAUSE, place
        self._refusal_until = time.monotonic() + FIRST_REFUSAL if first else self.until
        #: True if the script itself must be sent.
        self.whole = False

    @property
    def left(self) -> float | None:
        """The time limit of the next try in seconds. None: only each reply has a limit."""
        return max(self.until - time.monotonic(), 0) if self.limit else None

    def after(self, error: Exception) -> float:
        """Returns the pause before the next try, or raises the error for the caller."""
        for said, (cause, remedy) in _MISTAKES.items():
            if said in str(error):
                raise ConnectionFailed("CONNECTION", f"{cause}: {str(error).strip()}.", remedy) from error
        if isinstance(error, exceptions.RedisClusterException):
            # The error of the node that was asked last.
            error = error.__cause__ if isinstance(error.__cause__, (exceptions.RedisError, OSError)) else error
        if isinstance(error, TooLong):
            raise ReplyError("REPLY", f"{error}.") from error
        if isinstance(error, Unreadable):
            raise ConnectionFailed("CONNECTION", str(error)) from None
        # redis-py tries each Sentinel, and reports their errors as text.
        if refusal := REFUSED_LOGIN.search(str(error)):
            raise ConnectionFailed("CONNECTION", f"a Sentinel refuses the login: {refusal[1]}.", SENTINEL) from None
        # Before the login a server reports any long command as an error of the protocol.
        unknown = isinstance(error, exceptions.ResponseError) and ": unauthenticated " in str(error)
        if unknown or isinstance(error, (exceptions.AuthenticationError, exceptions.AuthorizationError)):
            text = str(error).rstrip(".")
            asks = unknown or text.startswith(("NOAUTH", "HELLO must be called", "Authentication required"))
            text = "it asks for a password" if asks else text
            raise ConnectionFailed("CONNECTION", f"the server refuses the login: {text}.") from None
        if isinstance(error, exceptions.ResponseError) or type(error) in _STRIPPED:
            code, text = code_of(error)
            if code == "NOSCRIPT" and not self.whole:
                self.whole = True
                return 0
            known = contract.ERRORS.get(code)
            # An error that lasts until an operator frees memory or disk is raised to the caller.
            if not (known and known.repeat) or code in ("OOM", "MISCONF"):
                raise verdict(code, text) from error
        elif _distrusts(error):
            raise ConnectionFailed("CONNECTION", f"the server's certificate is not trusted: {error}.") from None
        elif not isinstance(error, PASSING):
            raise verdict("", str(error)) from error
        if self._refusal_until - time.monotonic() <= self.pause and (why := _refusal(error)):
            raise Unavailable("UNAVAILABLE", f"no server answers at {self.place}: {why}.", NO_SERVER) from None
        if self.until - time.monotonic() <= self.pause:
            if isinstance(error, exceptions.ResponseError) or type(error) in _STRIPPED:
                raise verdict(*code_of(error)) from error
            raise self._out_of_time(error) from None
        pause = self.pause * random.uniform(0.5, 1)  # so that clients do not retry at the same time
        self.pause = min(self.pause * 2, contract.LONGEST_PAUSE)
        return pause

    def _out_of_time(self, error: Exception) -> BluequeError:
        within = f" within {self.limit:g} s" if self.limit else ""
        # A server without TLS takes the TLS handshake for the beginning of a command, and waits for the rest.
        tls = "Check that the server runs, is reachable, and speaks TLS: one that does not has the URL redis://, with "
        tls += "its own port."
        text = f"no answer from the server{within}: {str(error).rstrip('.')}."
        return Unavailable("UNAVAILABLE", text, tls if self.place.startswith("rediss") else None)


def unread(error: Exception, place: str) -> ReplyError:
    """The error for the caller if redis-py cannot read a reply, and raises a general Python exception."""
    text = f"what {place} answers cannot be read, as if it were no Redis ({type(error).__name__})"
    return ReplyError("REPLY", text)


def _refusal(error: BaseException | None) -> str | None:
    """The reason why there is no server at the address; None if there may be a server."""
    if "Connect call failed" in str(error):  # asyncio, of several addresses
        return "Connection refused"
    while error and not isinstance(error, (ConnectionRefusedError, FileNotFoundError, socket.gaierror)):
        error = error.__cause__ or error.__context__
    return str(error.strerror) if isinstance(error, OSError) else None


def _distrusts(error: BaseException | None) -> bool:
    """Returns true if TLS refused the server, so that no further try can succeed."""
    while error and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error is not None


def suitable(server: Any) -> None:
    """Refuses values other than clients of redis-py, and clients that decode replies: payloads are bytes."""
    if not callable(getattr(server, "execute_command", None)):
        raise ConnectionFailed(
            "CONNECTION", f"{server!r} is neither a URL nor a client of redis-py.", "Pass one of these."
        )
    pool = getattr(server, "connection_pool", None)
    options = pool.connection_kwargs if pool else getattr(server, "_connection_kwargs", {})
    if options.get("decode_responses"):
        raise ConnectionFailed("CONNECTION", "the connection must not have decode_responses: payloads are bytes.")

"""The address of a server: converts the URLs of `blueque` to the options of redis-py.

An option of a URL that this client does not support is refused by its name. No option is ignored silently.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from redis import ConnectionPool
from redis.connection import parse_url
from redis.credentials import CredentialProvider
from redis.exceptions import AuthenticationError

from .errors import ConnectionFailed

#: Options with files for TLS, and their names in redis-py.
TLS = {"ca": "ssl_ca_certs", "cert": "ssl_certfile", "key": "ssl_keyfile"}
FILES = ("password_file", "sentinel_password_file", *TLS)
OWN = (*FILES, "sentinel_user", "read")
#: Maximum length of a password.
LONGEST = 64 << 10


class Unreadable(AuthenticationError):
    """A password that cannot be read. A subclass of an error of redis-py, so redis-py gives up the connection."""


class PasswordFile(CredentialProvider):
    """A user with a password in a file. The file is read at each connection and may be replaced at any time."""

    def __init__(self, user: str | None, path: str) -> None:
        self.user, self.path = user, path

    def get_credentials(self) -> tuple[str, str] | tuple[str]:
        """The user, if named, and the password."""
        try:
            file = Path(self.path)
            if not file.is_file() or file.stat().st_size > LONGEST:
                raise Unreadable(f"{self.path} is no file with a password.")
            password = file.read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, ValueError) as error:
            raise Unreadable(f"the file with the password cannot be read: {error}.") from None
        if not password:
            raise Unreadable(f"the file with the password, {self.path}, is empty.")
        return (self.user, password) if self.user else (password,)


@dataclass(frozen=True, repr=False)
class Address:
    """A server, the Sentinels that name the server, or nodes of its cluster."""

    #: `""`, `sentinel` or `cluster`.
    kind: str
    #: Sentinels, or nodes of a cluster.
    nodes: list[tuple[str, int]]
    #: Name of the master at the Sentinels.
    service: str
    #: The URL of a single server, for redis-py.
    url: str
    #: Options of connections to servers.
    options: dict[str, Any]
    #: Options of connections to Sentinels.
    sentinel: dict[str, Any]


def patience(limit: float) -> dict[str, Any]:
    """The time limits of a reply and of a connection: at most the limit of a call."""
    return {name: min(most, limit or most) for name, most in (("socket_timeout", 15), ("socket_connect_timeout", 5))}


def place_of(url: str) -> str:
    """A URL for messages, without its login and its parameters."""
    scheme, separator, rest = url.partition("?")[0].partition("://")
    authority, slash, path = rest.partition("/")
    return scheme + separator + authority.rpartition("@")[2] + slash + path


def without_passwords(text: str) -> str:
    """URLs without their passwords."""
    text = re.sub(r"(://[^:@/?]*):[^/?]*@", r"\1@", text)
    return re.sub(r"(?<=[?&])pass(?:word)?=[^&,]*&?", "", text)


def parse(url: str, limit: float = 30) -> Address:
    """Reads a URL. Raises `ConnectionFailed`, which describes the fault without the password."""
    scheme, separator, rest = url.partition("://")
    plain, _, kind = scheme.partition("+")
    plain = plain.replace("valkey", "redis")
    if not separator or plain not in ("redis", "rediss", "unix") or kind not in ("", "sentinel", "cluster"):
        raise _wrong("the URL must begin with redis://, rediss:// or unix://, or with redis+sentinel:// or its like")
    if kind and plain == "unix":
        raise _wrong(f"Sentinels and clusters are reached by redis+{kind}://, not by unix+{kind}://")
    rest, _, query = rest.partition("?")
    authority, _, path = rest.partition("/")
    login, at, hosts = authority.rpartition("@")
    service = ""
    if kind == "sentinel":
        service, _, path = path.partition("/")
        if not service:
            raise _wrong("the URL of Sentinels needs the name of the master: redis+sentinel://host/name")
    if plain != "unix" and not (path.rstrip("/") or "0").isdigit():
        raise _wrong("what follows the / in the URL is no number of a database")
    if kind == "cluster" and path.strip("/0"):
        raise _wrong("a cluster has only the database 0")
    if not kind and plain != "unix" and "," in hosts:
        raise _wrong("of several hosts this client takes Sentinels and clusters: redis+sentinel://, redis+cluster://")
    own, others = _parameters(query, plain, kind)
    names = hosts.split(",")

    def one(login: str) -> str:
        return f"{plain}://{login}{names[0]}/{path}" + (f"?{urlencode(others)}" if others else "")

    found = _options(one(login + at))
    options: dict[str, Any] = {**patience(limit), **{TLS[name]: file for name, file in own.items() if name in TLS}}
    if plain == "rediss" and kind != "cluster":  # redis-py omits this setting
        options["ssl_check_hostname"] = True
    if "password_file" in own and "password" not in found:
        # redis-py does not accept a password file together with a user.
        options["credential_provider"] = PasswordFile(found.pop("username", None), own["password_file"])
        others.pop("username", None)
        login = at = ""
    if not kind:
        return Address("", [], "", one(login + at), options, {})
    options.update({name: given for name, given in found.items() if name not in PLACE})
    sentinel: dict[str, Any] = patience(limit)
    if "sentinel_password_file" in own:
        sentinel["credential_provider"] = PasswordFile(own.get("sentinel_user"), own["sentinel_password_file"])
    if plain == "rediss":
        options["ssl"] = True
        sentinel.update({name: given for name, given in options.items() if name.startswith("ssl")})
    port = 26379 if kind == "sentinel" else 6379
    each = [_options(f"{plain}://{name}") for name in names]
    nodes = [(node.get("host", "localhost"), node.get("port", port)) for node in each]
    return Address(kind, nodes, service, "", options, sentinel)


def completed(url: str, environ: Mapping[str, str]) -> str:
    """Adds the settings of the environment to a URL, as `blueque` does. The environment's password takes precedence."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    rest, _, query = rest.partition("?")
    at = rest.partition("/")[0].rfind("@")
    user, colon, password = rest[: max(at, 0)].partition(":")
    given = dict(parse_qsl(query, keep_blank_values=True))
    if value := environ.get("BLUEQUE_USER"):
        user = user or ("" if {"user", "username"} & given.keys() else quote(value, safe=""))
    if value := environ.get("BLUEQUE_PASSWORD"):
        colon, password = ":", quote(value, safe="")
        for name in ("pass", "password"):
            given.pop(name, None)
    for name in OWN:
        matters = {"ca": "ss", "cert": "ss", "key": "ss"}.get(name, "sentinel" if name.startswith("sentinel") else "")
        if matters in scheme and (value := environ.get(f"BLUEQUE_{name.upper()}")):
            given.setdefault(name, value)
    login = user + colon + password
    return f"{scheme}://{login}{'@' if login else ''}{rest[at + 1 :]}" + (f"?{urlencode(given)}" if given else "")


#: The server if neither a program nor the environment names one.
DEFAULT_URL = "redis://127.0.0.1:6379"
#: Stands for the server in the environment. `None` is refused, because it may be a variable that is not set.
FROM_ENVIRONMENT: Any = object()


def from_environment(environ: Mapping[str, str]) -> tuple[str, str]:
    """The URL and the namespace that `blueque` takes from these variables."""
    url = environ.get("BLUEQUE_URL") or DEFAULT_URL
    return completed(url, environ), environ.get("BLUEQUE_NAMESPACE") or "blueque"


#: Options of a URL that redis-py does not treat as options of connections.
PLACE = ("host", "port", "connection_class")


def _wrong(what: str) -> ConnectionFailed:
    return ConnectionFailed("CONNECTION", f"{what}.")


def _parameters(query: str, plain: str, kind: str) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the parameters of Blueque, and the parameters for redis-py."""
    given = dict(parse_qsl(query, keep_blank_values=True))
    if plain == "unix":
        for short, name in (("user", "username"), ("pass", "password")):
            if short in given:
                given[name] = given.pop(short)
    own = {name: given.pop(name) for name in OWN if name in given}
    if own.pop("read", "master") != "master":
        raise _wrong(
            "`read` in the URL: this client asks the master alone; replicas are read by `blueque` and the crate"
        )
    for name in FILES:
        if name in own and not own[name].startswith("/"):
            raise _wrong(f"`{name}` in the URL must be an absolute path")
        if name in own and name in TLS and plain != "rediss":
            raise _wrong(f"`{name}` in the URL is for TLS, and the URL is not rediss://")
    for name in ("sentinel_user", "sentinel_password_file"):
        if name in own and kind != "sentinel":
            raise _wrong(f"`{name}` in the URL is for Sentinels: redis+sentinel://")
    for name, needed in (("cert", "key"), ("key", "cert"), ("sentinel_user", "sentinel_password_file")):
        if name in own and needed not in own:
            raise _wrong(f"`{name}` in the URL needs `{needed}`")
    return own, given


def _options(url: str) -> dict[str, Any]:
    """Returns the options that redis-py reads in the URL of a single server."""
    try:
        options: dict[str, Any] = dict(parse_url(url))
    except ValueError:
        # The error text contains parts of the URL, possibly of the password.
        raise _wrong("the URL is malformed; in a password %2F stands for /, %3A for a colon, %40 for @") from None
    known = {"max_connections", "connection_class"}
    for each in options.get("connection_class", ConnectionPool().connection_class).__mro__:
        known.update(inspect.signature(each.__init__).parameters)
    if unknown := [name for name in options if name not in known]:
        raise _wrong(
            f"`{unknown[0]}` in the URL is no parameter of this client: it knows {', '.join(OWN)}, and redis-py's"
        )
    return options

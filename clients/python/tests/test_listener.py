"""The ids of listeners."""

import os
import re

from blueque_client.listener import listener_id


def test_each_listener_has_an_id_of_its_own_with_the_identity_of_the_host() -> None:
    one, other = listener_id(), listener_id()
    assert one != other
    shape = re.compile(rf"[A-Za-z0-9.-]+:([0-9a-f]{{8}})?-[0-9a-f]{{6}}_{os.getpid()}")
    assert shape.fullmatch(one)
    assert one.split("-")[:-1] == other.split("-")[:-1]

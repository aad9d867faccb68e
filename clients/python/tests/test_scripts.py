"""The scripts, which the package keeps as one text."""

from __future__ import annotations

from hashlib import sha1

from blueque_client.composer import compose
from blueque_client.scripts import DIGESTS


def test_each_script_is_composed_as_the_bundle_has_it() -> None:
    assert len(DIGESTS) > 50
    wrong = [name for name, digest in DIGESTS.items() if sha1(compose(name)).hexdigest() != digest]
    assert not wrong

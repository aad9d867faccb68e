"""Writes the reference of all public names to build/reference. Unknown kinds of names are errors. `check` runs this."""

import typing
import warnings
from pathlib import Path

import pdoc

from blueque_client import calls

warnings.simplefilter("error")
for each in vars(calls).values():
    if isinstance(each, type) and hasattr(each, "_fields"):
        # What makes a NamedTuple does not know the names of its module.
        each.__new__.__annotations__ = typing.get_type_hints(each)
pdoc.pdoc(
    "blueque_client",
    "blueque_client.aio",
    "blueque_client.django",
    "blueque_client.testing",
    "blueque_client.importing",
    output_directory=Path(__file__).parent / "build" / "reference",
)

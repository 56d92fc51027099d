"""One line from what Spark throws: a Java stack of a hundred lines has its reason in the middle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from butler_contracts.errors import InternalFailure

__all__ = ["readable", "reason_of"]

_CAUSE: Final = re.compile(r"^\s*Caused by: (?:[\w.$]+(?:Exception|Error): )?(.+)$", re.MULTILINE)
_CLASS: Final = re.compile(r"^(?:[\w.$]+(?:Exception|Error): )+")
_LONGEST: Final = 300


@contextmanager
def readable(what: str) -> Iterator[None]:
    """Turn an exception of Spark or of its bridge into one `InternalFailure` that says why."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise InternalFailure(f"{what}: Spark: {reason_of(str(error))}") from error


def reason_of(text: str) -> str:
    """The innermost cause of a Java stack in words."""
    causes = _CAUSE.findall(text)
    if causes:
        return str(causes[-1])[:_LONGEST]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = next((line for line in lines if not line.startswith(("An error occurred", "at ", ":"))), "")
    first = next(
        (line.removeprefix(": ") for line in lines if line.startswith(": ")), told or "no reason given"
    )
    return _CLASS.sub("", first)[:_LONGEST]

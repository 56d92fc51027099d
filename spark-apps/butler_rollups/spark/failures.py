"""Reduces a Spark exception to one line: a Java stack of a hundred lines has its reason in the middle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from butler_contracts.errors import InternalFailure

__all__ = ["readable", "reason_of"]

_CAUSE: Final = re.compile(r"^(?:: |\s*Caused by: )(.+)$", re.MULTILINE)
_CLASS: Final = re.compile(r"^(?:[\w.$]+(?:Exception|Error): )+")
_DATABASE: Final = "org.postgresql."
_LONGEST: Final = 300


@contextmanager
def readable(what: str) -> Iterator[None]:
    """Turn an exception of Spark or of its bridge into one `InternalFailure` that says why."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise InternalFailure(f"{what}: Spark: {reason_of(error)}") from error


def reason_of(error: Exception) -> str:
    """Return what the database said, if it is in the chain of causes; else the innermost cause."""
    causes = [
        cause for text in _chain(error) for cause in (_CAUSE.findall(text) or text.strip().splitlines()[:1])
    ]
    told = next((cause for cause in causes if cause.startswith(_DATABASE)), causes[-1] if causes else "")
    return _CLASS.sub("", told)[:_LONGEST] or type(error).__name__


def _chain(error: BaseException) -> Iterator[str]:
    """Yield the texts of an exception and its causes in Java, as PySpark keeps them."""
    cause: BaseException | None = error
    while cause is not None:
        yield str(cause)
        cause = getattr(cause, "_cause", None)

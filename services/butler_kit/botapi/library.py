"""python-telegram-bot, loaded without what only reads passports.

That part of it is an extra (`passport`), which is there as soon as cryptography is installed for anything else, and
costs a process 7.5 MB. A module that `sys.modules` has as None is one that cannot be found
(https://docs.python.org/3/reference/import.html#the-module-cache), so the library does without, as it is made to.
A process that has cryptography already keeps it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Bot", "error"]


@contextmanager
def _absent(package: str) -> Iterator[None]:
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[package]


with _absent("cryptography"):
    from telegram import Bot, error

"""python-telegram-bot, loaded without its support for passports.

That support is an extra (`passport`), active as soon as cryptography is installed for anything else, and costs a
process 7.5 MB. A module whose entry in `sys.modules` is None cannot be found
(https://docs.python.org/3/reference/import.html#the-module-cache), so the library does without it, as designed.
A process that has loaded cryptography already keeps it.
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

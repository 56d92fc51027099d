"""Show something once, or repeatedly until Ctrl-C."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Final

import click

__all__ = ["shown", "watch_option_conflict"]

WATCH_EVERY_S: Final = 2.0


def watch_option_conflict(*, watch: bool, as_json: bool) -> None:
    """Refuse `-w` together with `--json`."""
    if watch and as_json:
        raise click.UsageError("--json prints one document; use it without -w.")


def shown(show: Callable[[], None], *, watch: bool) -> None:
    """Call `show`; with `watch` every two seconds, on a cleared terminal."""
    show()
    while watch:
        time.sleep(WATCH_EVERY_S)
        if sys.stdout.isatty():
            click.clear()
        show()

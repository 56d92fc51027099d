"""The time zone and currency of this machine, as proposals."""

from __future__ import annotations

import locale
import os
from pathlib import Path

from butler_contracts.currencies import CURRENCIES

__all__ = ["currency_here", "timezone_here"]

LOCALTIME = Path("/etc/localtime")
_FOLDER = "/zoneinfo/"


def timezone_here() -> str:
    """Return the IANA name of the machine's time zone; UTC if it is unknown."""
    named = os.environ.get("TZ", "").lstrip(":")
    if "/" in named and not named.startswith("/"):
        return named
    try:
        target = os.path.realpath(LOCALTIME)
    except OSError:
        return "UTC"
    return target.rpartition(_FOLDER)[2] if _FOLDER in target else "UTC"


def currency_here() -> str:
    """Return the currency of the user's locale; empty if it has none."""
    try:
        locale.setlocale(locale.LC_MONETARY, "")
        code = str(locale.localeconv()["int_curr_symbol"]).strip()
    except locale.Error:
        return ""
    return code if code in CURRENCIES else ""

"""The browser that the pages are tested in, as `tests/web/chromium.sh` looks for it."""

from __future__ import annotations

import os
import shutil

__all__ = ["ARGUMENTS", "find_chromium"]

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Tests run as root in places without a sandbox; nothing may ask for anything beside what is tested."""


def find_chromium() -> str | None:
    """Its path, or None."""
    named = os.environ.get("CHROMIUM")
    names = (
        *((named,) if named else ()),
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
    )
    return next((found for name in names if (found := shutil.which(name))), None)

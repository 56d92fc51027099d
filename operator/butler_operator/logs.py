"""Log kopf's records in the project's format: the object as `key`, without kopf's settings."""

from __future__ import annotations

import logging
from typing import Final

from butler_kit.telemetry import configure_logging

__all__ = ["configure_operator_logging"]

_CHATTY: Final = ("kopf.objects", "kopf.activities", "kopf._cogs", "kopf._core", "aiohttp.access", "httpx")
"""Loggers whose per-event and per-call lines duplicate our own log lines and metrics."""


def configure_operator_logging(level: str, fmt: str) -> None:
    """Send every line of this process to stderr as `fmt` (json or console)."""
    configure_logging("butlers-operator", level, fmt)
    if level != "debug":
        for name in _CHATTY:
            logging.getLogger(name).setLevel(logging.WARNING)
    for handler in logging.getLogger().handlers:
        handler.addFilter(_named_object)


def _named_object(record: logging.LogRecord) -> bool:
    """Replace `k8s_ref` with `key` and drop the settings, both of which kopf attaches to each record."""
    vars(record).pop("settings", None)
    vars(record).pop("k8s_skip", None)
    found = vars(record).pop("k8s_ref", None)
    if isinstance(found, dict):
        record.key = f"{found.get('kind')}/{found.get('namespace')}/{found.get('name')}"
    return True

"""The framework's own log lines in our form: the object as `key`, nothing of its settings."""

from __future__ import annotations

import logging
from typing import Final

from butler_kit.telemetry import configure_logging

__all__ = ["configure_operator_logging"]

_CHATTY: Final = ("kopf.objects", "kopf.activities", "kopf._cogs", "kopf._core", "aiohttp.access", "httpx")
"""What they say of each event and call, our own lines and metrics say better."""


def configure_operator_logging(level: str, fmt: str) -> None:
    """Send every line of this process to stderr as `fmt` (json or console)."""
    configure_logging("butlers-operator", level, fmt)
    if level != "debug":
        for name in _CHATTY:
            logging.getLogger(name).setLevel(logging.WARNING)
    for handler in logging.getLogger().handlers:
        handler.addFilter(_named_object)


def _named_object(record: logging.LogRecord) -> bool:
    """kopf gives each record the whole of its settings, and the object as `k8s_ref`."""
    vars(record).pop("settings", None)
    vars(record).pop("k8s_skip", None)
    found = vars(record).pop("k8s_ref", None)
    if isinstance(found, dict):
        record.key = f"{found.get('kind')}/{found.get('namespace')}/{found.get('name')}"
    return True

"""The operator's entry point: `python -m butler_operator`."""

from __future__ import annotations

import asyncio
import os
import sys

import httpx

from butler_kit.telemetry import configure_metrics
from butler_operator.cluster.client import connect
from butler_operator.control.runtime import Runtime
from butler_operator.handlers import backfill, butler, children, connector, login, operation
from butler_operator.logs import configure_operator_logging
from butler_operator.process import serve, signals_set
from butler_operator.settings import OperatorSettings, SettingsError

__all__ = ["HANDLERS", "main"]

HANDLERS = (login, butler, connector, backfill, operation, children)
"""Importing a handler module registers it with kopf."""


def main() -> int:
    """Run until SIGTERM; return 2 if the settings are invalid."""
    try:
        settings = OperatorSettings.from_env(os.environ)
    except SettingsError as error:
        print(f"butlers-operator: {error}", file=sys.stderr)
        return 2
    configure_operator_logging(settings.log_level, settings.log_format)
    configure_metrics("operator", os.environ)
    asyncio.run(_run(settings))
    return 0


async def _run(settings: OperatorSettings) -> None:
    stop = asyncio.Event()
    runtime = Runtime(settings=settings, cluster=await connect(), http=httpx.AsyncClient(trust_env=False))
    await serve(runtime, stop=stop, claim_signals=signals_set(stop))

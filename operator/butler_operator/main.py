"""The operator's entry point: `python -m butler_operator`; `kopf run -m butler_operator.main` works as well."""

from __future__ import annotations

import os
import sys
from typing import Any, cast

import kopf

from butler_operator.handlers import backfill, butler, children, connector, operation, startup
from butler_operator.logs import configure_operator_logging
from butler_operator.settings import OperatorSettings, SettingsError

__all__ = ["HANDLERS", "main"]

HANDLERS = (startup, butler, connector, backfill, operation, children)
"""Importing a handler module registers it with kopf."""


def main() -> int:
    """Run until SIGTERM; exit status 2 for settings that cannot be used."""
    try:
        settings = OperatorSettings.from_env(os.environ)
    except SettingsError as error:
        print(f"butlers-operator: {error}", file=sys.stderr)
        return 2
    configure_operator_logging(settings.log_level, settings.log_format)
    kopf.run(
        standalone=True,
        # Otherwise kopf asks for the name of the process's user, which a container's user need not have.
        identity=cast(Any, os.environ.get("HOSTNAME", "butlers-operator")),
        namespaces=settings.namespaces,
    )
    return 0

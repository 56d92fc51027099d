"""`python -m butler_connectors`: the connector that `CONNECTOR_TYPE` names, configured by its environment."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from typing import Final

from butler_kit.config import ConfigError, ConfigProblem
from butler_kit.service import ServiceApp, run_service
from butler_kit.telemetry import configure_logging, configure_metrics, configure_tracing

_TYPES: Final = ("telegram_bot", "imap", "webhook")


def main() -> int:
    """Serve until a signal; an error that a person can correct is one line on stderr and exit code 1."""
    return run_service(lambda: _service(os.environ))


def _service(env: Mapping[str, str]) -> ServiceApp:
    kind = env.get("CONNECTOR_TYPE", "").strip()
    if kind not in _TYPES:
        problem = f"is '{kind[:40]}'" if kind else "is not set"
        fix = f"set it to {', '.join(_TYPES[:-1])} or {_TYPES[-1]}"
        raise ConfigError("environment", [ConfigProblem("CONNECTOR_TYPE", problem, fix)])
    level = env.get("BUTLERS_LOG_LEVEL", "").strip() or "info"
    known = level in ("debug", "info", "warning", "error")
    name = f"connector-{kind}"
    configure_logging(name, level if known else "info", env.get("BUTLERS_LOG_FORMAT", "").strip() or "json")
    configure_tracing(name, env)
    configure_metrics(name, env)
    # Only the wanted type is imported: the mail libraries cost a Telegram connector nothing.
    app = importlib.import_module(f"butler_connectors.{kind}.app")
    service: ServiceApp = app.build_service(env)
    return service


if __name__ == "__main__":
    sys.exit(main())

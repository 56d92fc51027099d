"""`python -m butler_dashboard`: configured by its environment alone (`settings`)."""

from __future__ import annotations

import os
import sys

from butler_dashboard.app import NAME, build_service
from butler_dashboard.settings import DashboardEnvironment
from butler_kit.config import read_environment
from butler_kit.service import ServiceApp, run_service
from butler_kit.telemetry import configure_logging, configure_metrics, configure_tracing


def main() -> int:
    """Serve until a signal."""
    return run_service(_build)


def _build() -> ServiceApp:
    environment = read_environment(DashboardEnvironment, os.environ)
    configure_logging(NAME, environment.log_level, environment.log_format)
    configure_tracing(NAME, os.environ)
    configure_metrics(NAME, os.environ)
    return build_service(os.environ)


if __name__ == "__main__":
    sys.exit(main())

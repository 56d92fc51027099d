"""`python -m butler_specialist --config butler.toml`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from butler_kit.config import ProcessEnvironment, load_config, read_environment
from butler_kit.service import ServiceApp, run_service
from butler_kit.telemetry import configure_logging, configure_tracing
from butler_specialist.app import build_service
from butler_specialist.settings import SpecialistConfig


def main() -> int:
    """Serve until a signal."""
    parser = argparse.ArgumentParser(
        prog="butler_specialist", description="Keeps what it is told and answers from it."
    )
    parser.add_argument("--config", type=Path, required=True, help="this butler's butler.toml")
    arguments = parser.parse_args()
    return run_service(lambda: _service(arguments.config, os.environ))


def _service(path: Path, env: Mapping[str, str]) -> ServiceApp:
    config = load_config(path, SpecialistConfig, env)
    environment = read_environment(ProcessEnvironment, env)
    configure_logging(config.butler.name, environment.log_level, environment.log_format)
    configure_tracing(config.butler.name, env)
    return build_service(config, env)


if __name__ == "__main__":
    sys.exit(main())

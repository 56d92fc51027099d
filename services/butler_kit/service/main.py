"""The entry point of a butler's process: `python -m PROGRAM --config butler.toml` (MSG-11)."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from butler_kit.config import ButlerConfig, ProcessEnvironment, load_config, read_environment
from butler_kit.service.app import ServiceApp, run_service
from butler_kit.telemetry import configure_logging, configure_metrics, configure_tracing

__all__ = ["Errand", "service_main"]

C = TypeVar("C", bound=ButlerConfig)


@dataclass(frozen=True, slots=True)
class Errand:
    """What the program does instead of serving when given `flag`; `run` returns the exit code."""

    flag: str
    help: str
    run: Callable[[Path, Mapping[str, str]], int]


def service_main(
    program: str,
    description: str,
    config_type: type[C],
    build: Callable[[C, Mapping[str, str]], ServiceApp],
    *,
    errand: Errand | None = None,
) -> int:
    """Read the command line and serve until a signal; return the exit code.

    `build` makes the service from its `butler.toml` and environment; an error that a person can correct is
    one line on stderr.
    """
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--config", type=Path, required=True, help="this butler's butler.toml")
    if errand is not None:
        parser.add_argument(errand.flag, dest="errand", action="store_true", help=errand.help)
    arguments = parser.parse_args()
    if errand is not None and arguments.errand:
        return errand.run(arguments.config, os.environ)
    return run_service(lambda: _configured(arguments.config, os.environ, config_type, build))


def _configured(
    path: Path,
    env: Mapping[str, str],
    config_type: type[C],
    build: Callable[[C, Mapping[str, str]], ServiceApp],
) -> ServiceApp:
    config = load_config(path, config_type, env)
    environment = read_environment(ProcessEnvironment, env)
    configure_logging(config.butler.name, environment.log_level, environment.log_format)
    configure_tracing(config.butler.name, env)
    configure_metrics(config.butler.name, env)
    return build(config, env)

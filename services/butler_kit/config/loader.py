"""Loads `butler.toml`: every problem at once, each with file, key and fix (MSG-11.1, MSG-11.2)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from butler_kit.config.checks import environment_problems, inline_secret_problems, reference_problems
from butler_kit.config.defaults import with_role_defaults
from butler_kit.config.errors import ConfigError, ConfigProblem
from butler_kit.config.models import CONFIG_VERSION
from butler_kit.config.report import file_problems

__all__ = ["load_config", "parse_config"]

T = TypeVar("T", bound=BaseModel)


def load_config(path: Path, model: type[T], env: Mapping[str, str]) -> T:
    """Read the file at `path` into `model` and check its variables in `env`; `ConfigError` otherwise."""
    return parse_config(_read(path), str(path), model, env)


def parse_config(text: str, file: str, model: type[T], env: Mapping[str, str]) -> T:
    """Like `load_config`, for text already in memory; `file` is only named in problems."""
    data = _parse_toml(text, file)
    secrets = [*inline_secret_problems(data), *reference_problems(data)]
    config, shape = _validate(with_role_defaults(data), model, _newer_version(data))
    named = {problem.key for problem in secrets}
    problems = secrets + [problem for problem in shape if problem.key not in named]
    # With a valid model its defaults count too: a scope that names no variable still needs the default one.
    named |= {problem.key for problem in problems}
    unset = environment_problems(data if config is None else config.model_dump(by_alias=True), env)
    problems += [problem for problem in unset if problem.key not in named]
    if config is None or problems:
        raise ConfigError(file, problems)
    return config


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        problem = ConfigProblem("", f"is not UTF-8 text (byte {error.start})", "save it as UTF-8")
    except OSError as error:
        problem = ConfigProblem(
            "", f"cannot be read ({error.strerror})", "check the path given with --config"
        )
    raise ConfigError(str(path), [problem])


def _parse_toml(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = str(error).replace("at end of document", f"at line {text.count(chr(10)) + 1}, the end")
        raise ConfigError(
            file, [ConfigProblem("", f"is not valid TOML: {said}", "correct that line")]
        ) from None
    except RecursionError:
        raise ConfigError(file, [ConfigProblem("", "is nested too deeply", "flatten its arrays")]) from None


def _newer_version(data: Mapping[str, Any]) -> str | None:
    version = data.get("config_version", CONFIG_VERSION)
    if not isinstance(version, int) or version <= CONFIG_VERSION:
        return None
    return f"config_version {version} is newer than the {CONFIG_VERSION} known here: upgrade, or drop the key"


def _validate(
    data: Mapping[str, Any], model: type[T], newer: str | None
) -> tuple[T | None, list[ConfigProblem]]:
    # Through JSON, because strict JSON mode takes arrays for tuples and still refuses "3" for 3.
    try:
        return model.model_validate_json(json.dumps(data, default=_date_text), strict=True), []
    except ValidationError as error:
        return None, file_problems(error, model, newer)


def _date_text(value: date | datetime | time) -> str:
    return value.isoformat()

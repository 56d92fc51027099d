"""The instructions to a specialist's model: in `butler.toml`, or in a file that an environment variable names (D58).

They are read once, at the start: changing the file needs a restart, so one process always works by one text.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from butler_kit.config import ConfigError, ConfigProblem
from butler_kit.config.models import ButlerSection

__all__ = ["instructions_of"]

_MOST_CHARACTERS: Final = 8_000
_MOST_BYTES: Final = 4 * _MOST_CHARACTERS
"""The limit in bytes of UTF-8, which uses at most four per character."""


def instructions_of(butler: ButlerSection, env: Mapping[str, str]) -> str | None:
    """Return the instructions, or None. Raises `ConfigError` that names the variable and the file."""
    variable = butler.instructions_file_env
    if variable is None:
        return butler.instructions
    named = env.get(variable, "").strip()
    if not named:
        raise _wrong(variable, "is not set", "name the file with the instructions")
    try:
        with Path(named).open("rb") as file:
            text = file.read(_MOST_BYTES + 1).decode("utf-8")
    except (OSError, ValueError) as error:
        problem = f"{named} cannot be read ({type(error).__name__})"
        raise _wrong(variable, problem, "name a text file that this process may read") from error
    if not text.strip():
        raise _wrong(variable, f"{named} is empty", "write what the butler is to do")
    if len(text) > _MOST_CHARACTERS:
        raise _wrong(variable, f"{named} has more than {_MOST_CHARACTERS} characters", "shorten it")
    return text


def _wrong(variable: str, problem: str, fix: str) -> ConfigError:
    return ConfigError("environment", [ConfigProblem(variable, problem, fix)])

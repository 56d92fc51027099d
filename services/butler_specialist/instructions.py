"""What the manifest tells a specialist's model of its work: in `butler.toml`, or in a file of its place (D58).

Read once, at the start: who changes the file starts the process anew, so that all of one process is told the same.
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
"""Of UTF-8: no character takes more than four."""


def instructions_of(butler: ButlerSection, env: Mapping[str, str]) -> str | None:
    """The text; None where there is none. Raises `ConfigError` that names the variable and the file."""
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

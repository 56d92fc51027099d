"""The database's URL from a file, for deployments where a step before the service writes one.

The file is read at every start and for every new connection: its writer may have changed the password.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from butler_kit.config.errors import ConfigProblem

__all__ = ["DATABASE_URL", "DATABASE_URL_FILE", "url_from_file"]

DATABASE_URL: Final = "BUTLERS_DATABASE_URL"
DATABASE_URL_FILE: Final = "BUTLERS_DATABASE_URL_FILE"
MAX_BYTES: Final = 16_384


def url_from_file(env: Mapping[str, str]) -> str | ConfigProblem | None:
    """Return the content of the file that `env` names, or what is wrong with it; None when it names none."""
    if DATABASE_URL_FILE not in env:
        return None
    if DATABASE_URL in env:
        return ConfigProblem(DATABASE_URL_FILE, f"is set beside {DATABASE_URL}", "set one of the two")
    path = Path(env[DATABASE_URL_FILE])
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8").strip()
    except (OSError, ValueError) as error:
        problem = f"{path} cannot be read ({type(error).__name__})"
        return ConfigProblem(DATABASE_URL_FILE, problem, "name a text file that this process may read")
    return text or ConfigProblem(DATABASE_URL_FILE, f"{path} is empty", "write the URL into it")

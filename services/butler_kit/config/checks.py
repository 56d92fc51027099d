"""Checks beyond the shape of the tables: no inline secret, and every named variable is set (MSG-11).

Pure: works on the parsed tables, returns problems, never repeats a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from butler_kit.config.errors import ConfigProblem
from butler_kit.config.secrets import is_secret_key, looks_like_secret

__all__ = ["environment_problems", "inline_secret_problems", "reference_problems"]

_ENV_SUFFIX: Final = "_env"
_MAY_BE_UNSET: Final = frozenset(
    {
        "runtime.api_key_env",
        "runtime.canary.api_key_env",
        "modules.calendar.secret_env",
        "modules.attachments.token_env",
    }
)
"""Variables that may be unset: the part that needs them reports it while the process runs (D28)."""
_ENV_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class _Leaf:
    path: str
    key: str
    value: Any
    enabled: bool
    """False inside any table that says `enabled = false`."""
    under_secret: bool
    """True below a table whose own name promises secrets."""


def _leaves(table: Mapping[str, Any], path: str, enabled: bool, under_secret: bool) -> Iterator[_Leaf]:
    enabled = enabled and table.get("enabled") is not False
    for key, value in table.items():
        yield from _descend(value, key, f"{path}.{key}" if path else key, enabled, under_secret)


def _descend(value: Any, key: str, path: str, enabled: bool, under_secret: bool) -> Iterator[_Leaf]:
    if isinstance(value, Mapping):
        yield from _leaves(value, path, enabled, under_secret or is_secret_key(key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _descend(item, key, f"{path}.{index}", enabled, under_secret)
    else:
        yield _Leaf(path, key, value, enabled, under_secret)


def inline_secret_problems(data: Mapping[str, Any]) -> list[ConfigProblem]:
    """Find secrets written into the file, by the name of their key or by how they look."""
    found = []
    for leaf in _leaves(data, "", True, False):
        kind = _inline_secret(leaf)
        if kind is not None:
            found.append(ConfigProblem(leaf.path, f"holds {kind}", _fix_for_inline(leaf)))
    return found


def _inline_secret(leaf: _Leaf) -> str | None:
    if leaf.key.endswith(_ENV_SUFFIX) or isinstance(leaf.value, bool):
        return None
    if leaf.under_secret or is_secret_key(leaf.key):
        return "an inline secret"
    kind = looks_like_secret(leaf.value) if isinstance(leaf.value, str) else None
    return f"what looks like an inline secret ({kind})" if kind else None


def _fix_for_inline(leaf: _Leaf) -> str:
    name = re.sub(r"\W", "_", leaf.key)
    return (
        f"put the value into an environment variable and name that: {name}{_ENV_SUFFIX} = "
        f'"BUTLER_{name.upper()}"'
    )


def reference_problems(data: Mapping[str, Any]) -> list[ConfigProblem]:
    """Find `*_env` keys whose value cannot be the name of a variable."""
    found = []
    for leaf in _leaves(data, "", True, False):
        if leaf.key.endswith(_ENV_SUFFIX) and not _is_env_name(leaf.value):
            problem = "is empty" if leaf.value == "" else "is not the name of an environment variable"
            found.append(
                ConfigProblem(
                    leaf.path, problem, "write a name of letters, digits and _, such as BUTLER_TOKEN"
                )
            )
    return found


def environment_problems(data: Mapping[str, Any], env: Mapping[str, str]) -> list[ConfigProblem]:
    """Find variables that enabled tables name and `env` does not hold; disabled ones need none."""
    found = []
    for leaf in _leaves(data, "", True, False):
        wanted = leaf.key.endswith(_ENV_SUFFIX) and leaf.enabled and _is_env_name(leaf.value)
        wanted = wanted and leaf.path not in _MAY_BE_UNSET
        if wanted and not env.get(leaf.value, "").strip():
            table = leaf.path.rpartition(".")[0]
            found.append(
                ConfigProblem(
                    leaf.path,
                    f"environment variable {leaf.value} is not set",
                    f"set it, or switch the table off with enabled = false in [{table}]",
                )
            )
    return found


def _is_env_name(value: Any) -> bool:
    return isinstance(value, str) and _ENV_NAME.match(value) is not None

"""SQL kept in `.sql` files, addressed by name.

A file holds blocks opened by `-- name: some_name`; everything up to the next opener is the statement.
Names are looked up at import, so a misspelt name stops the program before it serves anyone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources

__all__ = ["NamedQueries", "QueryFileError", "quote_identifier"]

_OPENER = re.compile(r"^--\s*name:\s*(\S+)\s*$", re.MULTILINE)
_NAME = re.compile(r"[a-z][a-z0-9_]*")


class QueryFileError(LookupError):
    """A `.sql` file is missing, malformed, or has no block of the asked name."""


class NamedQueries:
    """The statements of one `.sql` file of a package, by name.

    `file` is relative to `package`. Raises `QueryFileError` when the file or a name does not exist.
    """

    def __init__(self, package: str, file: str) -> None:
        self._origin = f"{package}/{file}"
        try:
            text = resources.files(package).joinpath(file).read_text(encoding="utf-8")
        except (FileNotFoundError, ModuleNotFoundError) as error:
            raise QueryFileError(f"{self._origin}: no such SQL file") from error
        self._queries = _blocks(text, self._origin)

    def __getitem__(self, name: str) -> str:
        try:
            return self._queries[name]
        except KeyError:
            known = ", ".join(sorted(self._queries))
            raise QueryFileError(f"{self._origin}: no query named {name!r}; it has: {known}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._queries

    def names(self) -> tuple[str, ...]:
        """Return every name of the file, in order."""
        return tuple(self._queries)

    def render(self, name: str, **identifiers: str) -> str:
        """Return the statement with its `{placeholder}`s replaced by quoted SQL identifiers or literals."""
        statement = self[name]
        for placeholder, replacement in identifiers.items():
            marked = "{" + placeholder + "}"
            if marked not in statement:
                raise QueryFileError(f"{self._origin}: query {name!r} has no placeholder {marked}")
            statement = statement.replace(marked, replacement)
        return statement


def quote_identifier(name: str) -> str:
    """Return `name` as a quoted SQL identifier; a dotted name is quoted part by part."""
    parts = name.split(".")
    if not all(parts) or "\x00" in name:
        raise ValueError(f"not an SQL identifier: {name!r}")
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def _blocks(text: str, origin: str) -> Mapping[str, str]:
    openers = list(_OPENER.finditer(text))
    queries: dict[str, str] = {}
    for index, opener in enumerate(openers):
        name = opener.group(1)
        end = openers[index + 1].start() if index + 1 < len(openers) else len(text)
        statement = text[opener.end() : end].strip().rstrip(";").rstrip()
        if not _NAME.fullmatch(name):
            raise QueryFileError(f"{origin}: {name!r} is not a lower_case query name")
        if name in queries:
            raise QueryFileError(f"{origin}: query {name!r} is defined twice")
        if not statement:
            raise QueryFileError(f"{origin}: query {name!r} is empty")
        queries[name] = statement
    if not queries:
        raise QueryFileError(f"{origin}: no `-- name: …` block found")
    return queries

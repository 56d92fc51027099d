"""The contacts file of a state directory, for a household that is up or not: read it, or add a person.

Invariant: only usable contacts are written; the file is replaced in one step, mode 600; of two concurrent additions
both succeed.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from butler_cli.errors import UserError
from butler_cli.local.prepare import contact_problems, limit_problems
from butler_cli.local.secrets import Secrets
from butler_cli.local.state import StateDir, write_private
from butler_cli.local.status import read_status
from butler_resources.kinds import (
    Contacts,
    ManifestError,
    Manifests,
    SecretRef,
    load_manifests,
    parse_contacts,
)

__all__ = ["ContactsFile", "contacts_file", "known_people", "with_entry"]

USUAL: Final = SecretRef(name="contacts", key="contacts.yaml")
"""The name used by `butlers init` and the examples; any other is in the manifests."""

_UNKNOWN: Final = Manifests(butlers=(), connectors=())

_NOBODY: Final = "there are no contacts at {path}; `butlers init` makes a household, --state DIR names one"


@dataclass(frozen=True)
class ContactsFile:
    """Where the contacts are, and the butlers that they may name; without any, no name is looked at."""

    path: Path
    known: Manifests = _UNKNOWN

    def add(self, entry: dict[str, Any]) -> bool:
        """Add a person; return whether the rest stayed as written. Raises `UserError`, `ManifestError`."""
        with _alone(self.path.parent):
            before = self._text()
            text, kept = with_entry(before, entry)
            problems = contact_problems(text, where=str(self.path))
            if not problems and self.known.butlers:
                problems = limit_problems(self.known, text)
            if problems:
                raise ManifestError(problems)
            write_private(self.path, text)
        return kept

    def _text(self) -> str:
        return self.path.read_text(encoding="utf-8")


def contacts_file(state: StateDir, manifests: Path | None) -> ContactsFile:
    """Return the file that the given or the running manifests name. Raises `UserError` if there is none."""
    known, ref = _said(state, manifests)
    path = state.secrets_dir / ref.name / ref.key
    if path.is_file():
        Secrets(state, {}, known).find(ref)  # refuses a file that others can read
        return ContactsFile(path, known)
    if Secrets(state, os.environ, known).find(ref):
        raise UserError(
            f"the contacts of this household come from a variable or from its manifests; put them into {path}"
        )
    raise UserError(_NOBODY.format(path=path))


def known_people(state: StateDir, manifests: Path | None = None) -> Contacts:
    """Return whom the household knows, from a file, a variable, or its manifests. Raises as above."""
    known, ref = _said(state, manifests)
    path, text = state.secrets_dir / ref.name / ref.key, Secrets(state, os.environ, known).find(ref)
    if not text:
        raise UserError(_NOBODY.format(path=path))
    return parse_contacts(text, where=str(path) if path.is_file() else f"secret {ref.name}")


def _said(state: StateDir, manifests: Path | None) -> tuple[Manifests, SecretRef]:
    """Return the manifests that run, or those of the directory, and the reference to their contacts."""
    told = read_status(state) if manifests is None else None
    directory = manifests or (Path(told.manifests) if told is not None else None)
    known = load_manifests(directory) if directory is not None else _UNKNOWN
    named = (butler.spec.contacts_from for butler in known.with_role("messenger"))
    return known, next((source.secret_ref for source in named if source is not None), USUAL)


def with_entry(text: str, entry: dict[str, Any]) -> tuple[str, bool]:
    """PURE: return the file with one more person, and whether the rest, comments included, is unchanged."""
    former = yaml.safe_load(text)
    wanted = [*(former if isinstance(former, list) else []), entry]
    appended = text.rstrip() + "\n" + yaml.safe_dump([entry], sort_keys=False, allow_unicode=True)
    if _says(appended, wanted):
        return appended, True
    return yaml.safe_dump(wanted, sort_keys=False, allow_unicode=True), False


def _says(text: str, wanted: list[Any]) -> bool:
    try:
        return bool(yaml.safe_load(text) == wanted)
    except yaml.YAMLError:
        return False


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Allow one writer at a time; the lock ends with its process."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)

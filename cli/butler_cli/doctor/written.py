"""Probe the files of a household: manifests, secrets, contacts, and what they leave open."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from butler_cli.doctor.findings import Finding, finding
from butler_cli.doctor.rounds import LeftOut
from butler_cli.local.notes import calendars_off, unproven_mail
from butler_cli.local.prepare import settle
from butler_cli.local.secrets import Secrets
from butler_cli.local.state import StateDir
from butler_resources.kinds import ManifestError, Manifests
from butler_resources.kinds.names import USABLE_BY_LABEL, USABLE_BY_US
from butler_resources.kinds.secret import Secret

__all__ = ["manifests_and_secrets", "settled"]


def settled(state: StateDir, directory: Path | None) -> tuple[Manifests, Secrets]:
    """Return manifests and secrets as they would be used. Raises `LeftOut`, `ManifestError`, `UserError`."""
    if directory is None:
        raise LeftOut("no manifests are known: -f DIR names them")
    found = settle(directory, state=state, env=os.environ)
    return found.manifests, found.secrets


def manifests_and_secrets(state: StateDir, directory: Path | None) -> Sequence[Finding]:
    """Everything that `butlers up` would refuse, and what runs but should be changed."""
    try:
        manifests, secrets = settled(state, directory)
    except ManifestError as wrong:
        do = f"correct it, then butlers check -f {directory}"
        return [finding("broken", "manifests", str(problem), do) for problem in wrong.problems]
    found = [
        finding("risk", "mail", note, "set trustedAuthservIds as the line says, then butlers restart")
        for note in unproven_mail(manifests)
    ]
    found += [
        finding("risk", "calendar", note, "do as the line says, then butlers restart")
        for note in calendars_off(manifests, secrets.what_to_do)
    ]
    if manifests.household.timezone is None:
        said = "nobody says in which time zone the household lives, so its days end at midnight UTC"
        do = "set spec.household.timezone of the Switchboard, such as Europe/Berlin, then butlers restart"
        found.append(finding("risk", "time zone", said, do))
    return found + [_unshared(secret.name) for secret in manifests.secrets if not _is_shared(secret)]


def _is_shared(secret: Secret) -> bool:
    return secret.metadata.labels.get(USABLE_BY_LABEL) == USABLE_BY_US


def _unshared(name: str) -> Finding:
    """Here, access to the directory is access to the household; on a cluster it is not."""
    said = (
        f"a cluster would not let the household use Secret {name}: it lacks a label that nothing here needs"
    )
    do = f"give its manifest the label {USABLE_BY_LABEL}: {USABLE_BY_US} before it is applied to a cluster"
    return finding("note", "secrets", said, do)

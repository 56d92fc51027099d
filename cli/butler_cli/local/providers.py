"""Point a household's manifests at other providers: test servers in the demo, a local Bot API server.

The copy is an ordinary directory of manifests: the models check it like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from butler_cli.local.state import write_private

__all__ = ["ProviderAddresses", "retarget", "write_retargeted"]


@dataclass(frozen=True)
class ProviderAddresses:
    """The providers' addresses; None keeps the manifests'. Mail servers as (host, port), without TLS."""

    telegram_api: str | None = None
    imap: tuple[str, int] | None = None
    smtp: tuple[str, int] | None = None


def retarget(document: dict[str, Any], addresses: ProviderAddresses) -> dict[str, Any]:
    """Return the manifest with every provider's address replaced. Pure: `document` stays as it is."""
    changed: dict[str, Any] = yaml.safe_load(yaml.safe_dump(document))
    spec = changed.get("spec") or {}
    for bot in _bots(spec):
        if addresses.telegram_api is not None:
            bot["apiBaseUrl"] = addresses.telegram_api
    email = ((spec.get("modules") or {}).get("email") or {}).get("bot") or {}
    for block, address in (
        (spec.get("imap"), addresses.imap),
        (email.get("smtp"), addresses.smtp),
        (email.get("sentMailbox"), addresses.imap),
        (email.get("inbox"), addresses.imap),
    ):
        if block is not None and address is not None:
            block.update(host=address[0], port=address[1], tls="none")
    return changed


def write_retargeted(source: Path, target: Path, addresses: ProviderAddresses) -> None:
    """Copy the manifests of `source` into `target`, with the addresses replaced."""
    for path in sorted(source.glob("*.yaml")):
        documents = [
            document for document in yaml.safe_load_all(path.read_text(encoding="utf-8")) if document
        ]
        changed = [retarget(document, addresses) for document in documents]
        write_private(target / path.name, yaml.safe_dump_all(changed, sort_keys=False, allow_unicode=True))


def _bots(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    module = ((spec.get("modules") or {}).get("telegram") or {}).get("bot")
    yield from (block for block in (spec.get("telegramBot"), module) if block is not None)

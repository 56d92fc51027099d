"""One short manifest of each kind, for the reference page; tests put them to the models and to the server."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["EXAMPLES"]

EXAMPLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Butler": """\
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata:
  name: finance
spec:
  role: specialist
  profile: finance
  timezone: Europe/Berlin
""",
        "Connector": """\
apiVersion: butlers.dev/v1alpha1
kind: Connector
metadata:
  name: mail
spec:
  type: imap
  endpointIdentity: imap:household@example.com
  imap:
    host: imap.example.com
    username: household@example.com
    passwordSecretRef: {name: mail-account, key: password}
""",
        "BackfillJob": """\
apiVersion: butlers.dev/v1alpha1
kind: BackfillJob
metadata:
  name: mail-january
spec:
  connectorRef: mail
  dateFrom: 2026-01-01
  dateTo: 2026-01-31
  rateLimitPerHour: 200
""",
        "ButlerOperation": """\
apiVersion: butlers.dev/v1alpha1
kind: ButlerOperation
metadata:
  generateName: quarantine-
spec:
  action: quarantine
  target: {kind: Butler, name: finance}
  reason: answers about the wrong account
  requestedBy: ada@example.com
""",
    }
)

"""PURE: the manifests and the secrets of a household, from the answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import yaml

from butler_cli.setup.answers import Answers
from butler_cli.setup.mail_hosts import trusted_authserv
from butler_resources.kinds.base import API_VERSION, Server

__all__ = ["api_name", "manifests_of", "secrets_of"]

PROFILES: Final = ("general", "relationship", "health", "finance", "travel")
_TELEGRAM: Final = {"name": "telegram-bot", "key": "token"}
_MAIL: Final = {"name": "mail-account", "key": "password"}
_WEBHOOK: Final = {"name": "webhook", "key": "token"}
_CONTACTS: Final = {"name": "contacts", "key": "contacts.yaml"}
_ABOUT: Final = (
    "# Written by `butlers init`; yours to change. `butlers check -f DIR` tells what is wrong with it.\n"
    "# Every field: docs/reference/resources.md. Secrets are named here and kept in the state directory.\n"
)
_ABOUT_CONTACTS: Final = (
    "# The people of the household: one owner; members are answered too. `butlers contacts add` adds one.\n"
)


def manifests_of(answers: Answers) -> dict[str, str]:
    """File name → content, for the directory of manifests."""
    butlers = [_switchboard(answers), _messenger(answers), *(_specialist(name) for name in PROFILES)]
    return {"butlers.yaml": _written(butlers), "connectors.yaml": _written(_connectors(answers))}


def secrets_of(answers: Answers, *, webhook_token: str) -> dict[str, str]:
    """`name/key` → value, for the folder of secrets."""
    secrets = {"contacts/contacts.yaml": _ABOUT_CONTACTS + _yaml([_owner(answers)])}
    if answers.telegram_token is not None:
        secrets["telegram-bot/token"] = answers.telegram_token + "\n"
    if answers.mail_password is not None:
        secrets["mail-account/password"] = answers.mail_password + "\n"
    if answers.http:
        secrets["webhook/token"] = webhook_token + "\n"
    return secrets


def api_name(answers: Answers) -> str:
    """Return the name under which the owner writes over HTTP: the first name."""
    return answers.name.split()[0].casefold()


def _owner(answers: Answers) -> dict[str, Any]:
    ways = [("telegram", answers.telegram_id), ("email", answers.own_mail)]
    ways += [("api", api_name(answers))] if answers.http else []
    identifiers: list[dict[str, Any]] = [{"type": kind, "value": value} for kind, value in ways if value]
    if identifiers:
        identifiers[0]["primary"] = True
    return {"name": answers.name, "role": "owner", "identifiers": identifiers}


def _switchboard(answers: Answers) -> dict[str, Any]:
    household = {"timezone": answers.timezone}
    if answers.currency is not None:
        household["currency"] = answers.currency
    spec: dict[str, Any] = {"role": "switchboard", "household": household}
    authserv = trusted_authserv(answers.imap) if answers.imap is not None else None
    if authserv is not None:
        spec["routing"] = {"trustedAuthservIds": [authserv]}
    return _resource("Butler", "switchboard", spec)


def _messenger(answers: Answers) -> dict[str, Any]:
    modules: dict[str, Any] = {}
    if answers.telegram_token is not None:
        modules["telegram"] = {"bot": _bot(answers)}
    if answers.smtp is not None and answers.imap is not None:
        bot: dict[str, Any] = {
            "address": answers.mail_address,
            "passwordSecretRef": _MAIL,
            "smtp": _server(answers.smtp),
        }
        if answers.sent_mailbox is not None:
            bot["sentMailbox"] = {**_server(answers.imap), "name": answers.sent_mailbox}
        bot["inbox"] = _server(answers.imap)
        modules["email"] = {"bot": bot}
    spec: dict[str, Any] = {"role": "messenger", "contactsFrom": {"secretRef": _CONTACTS}}
    return _resource("Butler", "messenger", spec | ({"modules": modules} if modules else {}))


def _bot(answers: Answers) -> dict[str, Any]:
    elsewhere = {"apiBaseUrl": answers.telegram_api} if answers.telegram_api is not None else {}
    return {"tokenSecretRef": _TELEGRAM, **elsewhere}


def _specialist(name: str) -> dict[str, Any]:
    return _resource("Butler", name, {"role": "specialist", "profile": name})


def _connectors(answers: Answers) -> Iterable[dict[str, Any]]:
    if answers.telegram_token is not None:
        yield _connector(
            "telegram",
            "telegram_bot",
            f"telegram:bot:{answers.telegram_bot}",
            {"telegramBot": _bot(answers)},
        )
    if answers.imap is not None:
        mailbox = {**_server(answers.imap), "username": answers.mail_address, "passwordSecretRef": _MAIL}
        yield _connector("mail", "imap", f"imap:{answers.mail_address}", {"imap": mailbox})
    if answers.http:
        yield _connector("webhook", "webhook", "webhook:household", {"webhook": {"tokenSecretRef": _WEBHOOK}})


def _connector(name: str, kind: str, identity: str, block: Mapping[str, Any]) -> dict[str, Any]:
    return _resource("Connector", name, {"type": kind, "endpointIdentity": identity, **block})


def _resource(kind: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": dict(spec)}


def _server(server: Server) -> dict[str, Any]:
    return {"host": server.host, "port": server.port, "tls": server.tls}


def _written(documents: Iterable[dict[str, Any]]) -> str:
    return _ABOUT + "---\n".join(_yaml(document) for document in documents)


def _yaml(value: object) -> str:
    return yaml.dump(value, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=110)


class _Plain(yaml.SafeDumper):
    """Writes a repeated mapping out again instead of as an alias: people read these files."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

"""The command `butlers`: a table of verbs, one file each, loaded when they are used."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Final

import click

from butler_cli import program
from butler_cli.program import VerbTable

__all__ = ["cli", "main"]

VERBS: Final[Mapping[str, str]] = {
    "init": "butler_cli.verbs.init:init",
    "up": "butler_cli.verbs.up:up",
    "check": "butler_cli.verbs.check:check",
    "doctor": "butler_cli.verbs.doctor:doctor",
    "down": "butler_cli.verbs.down:down",
    "restart": "butler_cli.verbs.restart:restart",
    "status": "butler_cli.verbs.status:status",
    "logs": "butler_cli.verbs.logs:logs",
    "dashboard": "butler_cli.verbs.dashboard:dashboard",
    "send": "butler_cli.verbs.send:send",
    "trace": "butler_cli.verbs.trace:trace",
    "sessions": "butler_cli.verbs.sessions:sessions",
    "records": "butler_cli.verbs.records:records",
    "schedules": "butler_cli.verbs.schedules:schedules",
    "requests": "butler_cli.verbs.requests:requests",
    "deliveries": "butler_cli.verbs.deliveries:deliveries",
    "messenger": "butler_cli.verbs.messenger:messenger",
    "inbox": "butler_cli.verbs.inbox:inbox",
    "dead-letters": "butler_cli.verbs.dead_letters:dead_letters",
    "contacts": "butler_cli.verbs.contacts:contacts",
    "connectors": "butler_cli.verbs.connectors:connectors",
    "backfills": "butler_cli.verbs.backfills:backfills",
    "circuits": "butler_cli.verbs.circuits:circuits",
    "usage": "butler_cli.verbs.usage:usage",
    "skills": "butler_cli.verbs.skills:skills",
    "quality": "butler_cli.verbs.quality:quality",
    "slo": "butler_cli.verbs.slo:slo",
    "reset-circuit": "butler_cli.verbs.reset_circuit:reset_circuit",
    "reset-slo": "butler_cli.verbs.reset_slo:reset_slo",
    "approvals": "butler_cli.verbs.approvals:approvals",
    "approve": "butler_cli.verbs.approve:approve",
    "deny": "butler_cli.verbs.deny:deny",
    "suppressions": "butler_cli.verbs.suppressions:suppressions",
    "learned": "butler_cli.verbs.learned:learned",
    "memory": "butler_cli.verbs.memory:memory",
    "quarantine": "butler_cli.verbs.quarantine:quarantine",
    "release": "butler_cli.verbs.release:release",
    "replay": "butler_cli.verbs.replay:replay",
    "discard": "butler_cli.verbs.discard:discard",
    "cancel": "butler_cli.verbs.cancel:cancel",
    "complete": "butler_cli.verbs.complete:complete",
    "reroute": "butler_cli.verbs.reroute:reroute",
    "correct": "butler_cli.verbs.correct:correct",
    "backup": "butler_cli.verbs.backup:backup",
    "restore": "butler_cli.verbs.restore:restore",
    "rollup": "butler_cli.verbs.rollup:rollup",
    "route": "butler_cli.verbs.route:route",
    "token": "butler_cli.verbs.token:token",
}
"""Verb → where its click command is; in the order of `butlers --help`."""


@click.group(cls=VerbTable, verbs=VERBS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="butlers", message="%(version)s")
def cli() -> None:
    """Run a household of butlers on this machine."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the console script."""
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: list[str]) -> int:
    """Perform one command line and return its exit code; errors are printed."""
    return program.run(cli, arguments, name="butlers")


if __name__ == "__main__":
    main()

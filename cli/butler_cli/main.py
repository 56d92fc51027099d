"""The command `butlers`: a table of verbs, one file each, loaded when they are used.

Invariant: whatever goes wrong, the person reads a line that says what to do, never a traceback; the exit code is
0 on success only. `BUTLERS_DEBUG=1` shows the traceback of a defect.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final

import click

from butler_cli.errors import UserError

__all__ = ["cli", "main"]

VERBS: Final[Mapping[str, str]] = {
    "up": "butler_cli.verbs.up:up",
    "down": "butler_cli.verbs.down:down",
    "status": "butler_cli.verbs.status:status",
    "send": "butler_cli.verbs.send:send",
    "trace": "butler_cli.verbs.trace:trace",
    "requests": "butler_cli.verbs.requests:requests",
    "deliveries": "butler_cli.verbs.deliveries:deliveries",
    "dead-letters": "butler_cli.verbs.dead_letters:dead_letters",
    "connectors": "butler_cli.verbs.connectors:connectors",
    "backfills": "butler_cli.verbs.backfills:backfills",
    "quarantine": "butler_cli.verbs.quarantine:quarantine",
    "release": "butler_cli.verbs.release:release",
    "replay": "butler_cli.verbs.replay:replay",
    "discard": "butler_cli.verbs.discard:discard",
    "route": "butler_cli.verbs.route:route",
    "token": "butler_cli.verbs.token:token",
}
"""Verb → where its click command is; in the order of `butlers --help`."""

DEFECT_EXIT_CODE: Final = 70


class VerbTable(click.Group):
    """A group that imports a verb's file only when it is needed, so that every verb starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs, in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of one verb, or None when there is no such verb."""
        if cmd_name not in VERBS:
            return None
        module, _, attribute = VERBS[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        return command if isinstance(command, click.Command) else None


@click.group(cls=VerbTable, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="butlers", message="%(version)s")
def cli() -> None:
    """Run a household of butlers on this machine."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the console script."""
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: list[str]) -> int:
    """Perform one command line and return its exit code; errors are printed."""
    try:
        result = cli.main(args=arguments, prog_name="butlers", standalone_mode=False)
    except UserError as error:
        error.show()
        return error.exit_code
    except click.UsageError as error:
        return _usage(error)
    except click.ClickException as error:
        click.echo(f"butlers: {error.format_message()}", err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("butlers: interrupted", err=True)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        return _unexpected(error)
    return result if isinstance(result, int) else 0


def _usage(error: click.UsageError) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return error.exit_code
    command = error.ctx.command_path if error.ctx is not None else "butlers"
    said = " ".join(error.format_message().split())
    click.echo(f"butlers: {said} See `{command} --help`.", err=True)
    return error.exit_code


def _unexpected(error: Exception) -> int:
    """Print errors of the parts below, which say what to do, as they are; anything else is a defect."""
    if os.environ.get("BUTLERS_DEBUG"):
        raise error
    from butler_cli.readable import readable

    text = readable(error)
    if text is not None:
        click.echo("\n".join(f"butlers: {line}" for line in text.splitlines()), err=True)
        return 1
    summary = " ".join(f"{type(error).__name__}: {error}".split())
    click.echo(f"butlers: defect: {summary} (BUTLERS_DEBUG=1 shows where)", err=True)
    return DEFECT_EXIT_CODE


if __name__ == "__main__":
    main()

"""Run a command line: verbs loaded when they are used, errors as one line, exit codes.

Invariant: whatever goes wrong, the person reads a line that says what to do, never a traceback; the exit code is
0 on success only. `BUTLERS_DEBUG=1` shows the traceback of a defect.
"""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from butler_cli.errors import UserError

__all__ = ["VerbTable", "run"]

DEFECT_EXIT_CODE: Final = 70


class _ReaderGone(Exception):
    """The reader of our output has ended, as `head` does when it has enough."""


class VerbTable(click.Group):
    """A group that imports a verb's file only when it is needed, so that every verb starts fast.

    `verbs`: verb → where its click command is, as `module:name`, in the order of `--help`.
    """

    def __init__(self, *arguments: Any, verbs: Mapping[str, str], **rest: Any) -> None:
        super().__init__(*arguments, **rest)
        self.verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs, in the order of the table."""
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of one verb, or None if there is no such verb."""
        if cmd_name not in self.verbs:
            return None
        module, _, attribute = self.verbs[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        return command if isinstance(command, click.Command) else None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises `_ReaderGone` where click would end with a failure that nobody sees."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as gone:
            raise _ReaderGone from gone

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the verb; raises `UsageError` with the nearest one if there is none of that name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = difflib.get_close_matches(args[0], self.verbs, n=1)
            if not near:
                raise
            said = f"{error.message.rstrip('.')}; did you mean {near[0]}?"
            raise click.UsageError(said, ctx) from error


def run(command: click.Command, arguments: Sequence[str], *, name: str) -> int:
    """Perform one command line of the program `name` and return its exit code; errors are printed."""
    try:
        result = command.main(args=list(arguments), prog_name=name, standalone_mode=False)
    except UserError as error:
        click.echo(f"{name}: {error.message}", err=True)
        return error.exit_code
    except click.UsageError as error:
        return _usage(error, name)
    except click.ClickException as error:
        click.echo(f"{name}: {error.format_message()}", err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo(f"{name}: interrupted", err=True)
        return 130
    except (_ReaderGone, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        return _unexpected(error, name)
    return result if isinstance(result, int) else 0


def _usage(error: click.UsageError, name: str) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return error.exit_code
    command = error.ctx.command_path if error.ctx is not None else name
    said = " ".join(error.format_message().split())
    said += "" if said.endswith((".", "?", "!")) else "."
    click.echo(f"{name}: {said} See `{command} --help`.", err=True)
    return error.exit_code


def _unexpected(error: Exception, name: str) -> int:
    """Print errors from lower layers as they are, since they say what to do; anything else is a defect."""
    if os.environ.get("BUTLERS_DEBUG"):
        raise error
    from butler_cli.readable import readable

    text = readable(error)
    if text is not None:
        click.echo("\n".join(f"{name}: {line}" for line in text.splitlines()), err=True)
        return 1
    summary = " ".join(f"{type(error).__name__}: {error}".split())
    click.echo(f"{name}: defect: {summary} (BUTLERS_DEBUG=1 shows where)", err=True)
    return DEFECT_EXIT_CODE

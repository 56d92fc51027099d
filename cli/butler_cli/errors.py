"""What a person sees when a command cannot do its work: one line on stderr that says what to do."""

from __future__ import annotations

from typing import IO, Any

import click

__all__ = ["UserError"]


class UserError(click.ClickException):
    """A refusal in words; the command ends with exit code 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message, and nothing else, to stderr."""
        click.echo(f"butlers: {self.message}", file=file, err=True)

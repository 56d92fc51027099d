"""`butlers init`: from nothing to a household that has replied, in ten answers."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import click

from butler_cli.errors import UserError
from butler_cli.local.state import StateDir, command_to_start, place_of
from butler_cli.setup.answers import Answers
from butler_cli.verbs.options import port_base_option, state_option
from butler_cli.verbs.send import send
from butler_resources.kinds.base import Server

__all__ = ["init"]

FIRST_MESSAGE = "What can you do?"
ANSWER_S = 90.0
"""How long to wait for the first answer of a household that has just come up."""


@click.command(short_help="Ask a few questions, then write and start a household.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--answers",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Take the answers from a YAML file (mode 600, - for stdin) instead of asking.",
)
@click.option("--start/--no-start", default=True, show_default=True, help="Start it and send a message.")
@click.option("--telegram-api", metavar="URL", help="URL of your own Bot API server.")
@state_option
@port_base_option
@click.pass_context
def init(
    context: click.Context,
    directory: Path,
    file: Path | None,
    start: bool,
    telegram_api: str | None,
    state: StateDir,
    port_base: int | None,
) -> None:
    """Ask at most ten questions, test each account, write the household to DIR and start it.

    Manifests go into DIR, secrets into the state directory, readable only by you. Nothing is overwritten, and
    nothing is written until every answer has been tested.

    \b
    Example:
        butlers init household
    """
    from butler_cli.setup.writing import refuse_unusable

    refuse_unusable(directory, state)
    if start:
        _refuse_taken_ports(port_base)
    answers = _answers(file, Answers(telegram_api=telegram_api.rstrip("/") if telegram_api else None))
    _write(answers, directory, state)
    click.echo(f"written: the manifests into {directory}, the secrets into {state.secrets_dir}")
    again = command_to_start(state, directory, port_base)
    if not start:
        click.echo(f"start it with `{again}`")
        return
    _start(directory, state, port_base, again)
    click.echo(f"you say: {FIRST_MESSAGE}")
    context.invoke(send, **_first_message(answers), state=state)
    click.echo(f"it goes on until `butlers down{place_of(state)}`; `{again}` starts it again")


def _refuse_taken_ports(port_base: int | None) -> None:
    """Refuse taken ports before the first question: those of a household with every channel."""
    from butler_cli.setup.documents import manifests_of
    from butler_cli.setup.writing import refuse_ports

    mailbox = Server(host="localhost", port=1)
    sample = Answers(
        name="Nobody", timezone="UTC", telegram_token="0:0", telegram_bot="none",  # noqa: S106 - nobody's
        mail_address="nobody@localhost.invalid", imap=mailbox, smtp=mailbox, http=True,
    )  # fmt: skip
    refuse_ports(manifests_of(sample), port_base)


def _answers(file: Path | None, answers: Answers) -> Answers:
    from butler_cli.setup.asking import answers_of_file, ask
    from butler_cli.setup.checks import Providers

    providers = Providers(say=click.echo, waits=file is None)
    if file is not None:
        return answers_of_file(file, answers, providers)
    if not sys.stdin.isatty():
        raise UserError("init asks at a terminal and this is none; give the answers with --answers FILE")
    click.echo("Ctrl-C ends this at any time; nothing is written before the last answer.")
    return ask(answers, providers)


def _write(answers: Answers, directory: Path, state: StateDir) -> None:
    from butler_cli.setup.documents import manifests_of, secrets_of
    from butler_cli.setup.writing import write_household

    given = secrets_of(answers, webhook_token=secrets.token_urlsafe(32))
    write_household(directory, state, manifests=manifests_of(answers), secrets=given)


def _start(directory: Path, state: StateDir, port_base: int | None, again: str) -> None:
    from butler_cli.local.detach import start_detached

    try:
        start_detached(directory, state=state, port_base=port_base, report=click.echo)
    except UserError as error:
        raise UserError(f"{error.message}; the household is written, `{again}` starts it") from error


def _first_message(answers: Answers) -> dict[str, object]:
    """Return the options of `butlers send`, as the owner over the first channel that there is."""
    from butler_cli.setup.documents import api_name

    ways = (("telegram", answers.telegram_id), ("email", answers.own_mail), ("api", api_name(answers)))
    channel, sender = next((channel, sender) for channel, sender in ways if sender)
    return {
        "channel": channel, "sender": sender, "thread": None, "tier": None, "wait": True, "timeout_s": ANSWER_S,
        "text": (FIRST_MESSAGE,), "as_json": False,
    }  # fmt: skip

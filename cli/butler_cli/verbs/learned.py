"""`butlers learned`: rules that members agreed to after their corrections agreed: list them, end one."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.filters import limit_option
from butler_cli.client.household import running_household
from butler_cli.client.learned import ask_learned, end_learned, learned_rule_of, try_learned
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.lists.learned import differences_table, summary_of, table_of, tried_summary
from butler_cli.output.screen import line_of, print_document, show
from butler_cli.verbs.options import json_option, state_option

__all__ = ["learned", "show_tried"]


@click.group("learned", invoke_without_command=True, short_help="List rules learned from corrections.")
@click.option("--all", "every", is_flag=True, help="Include offers, declined and ended rules.")
@limit_option
@json_option
@state_option
@click.pass_context
def learned(context: click.Context, every: bool, limit: int, as_json: bool, state: StateDir) -> None:
    """List routing rules that members agreed to: whose messages, like which texts, go to which butler.

    The last line says whether the household's own corrections decide too. `butlers learned end ID` ends a rule.
    """
    if context.invoked_subcommand is not None:
        return
    answer = ask_learned(running_household(state), every=every, limit=limit)
    found = entries_of(answer, "rules")
    if as_json:
        print_document(answer)
    else:
        show(table_of(found, now=datetime.now(UTC)) if found else "no rules")
        click.echo(line_of(summary_of(answer)))


@learned.command("end", short_help="End a learned rule.")
@click.argument("own_id", metavar="ID")
@click.option("--reason", default="ended at the command line", metavar="TEXT", help="Reason; kept with it.")
@json_option
@state_option
def end(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """End a rule now. Messages like its texts are decided anew each time.

    ID is from `butlers learned`; a unique prefix is enough.
    """
    if not reason.strip():
        raise UserError("--reason is empty; say why")
    household = running_household(state)
    answer = end_learned(household, learned_rule_of(household, own_id), reason)
    if as_json:
        print_document(answer)
    else:
        click.echo(line_of(f"such messages do not go to {answer.get('butler')} by rule any more"))


def show_tried(state: StateDir, *, days: int, as_json: bool) -> None:
    """Print which of the last days' messages would go elsewhere by what was learned; nothing is sent."""
    answer = try_learned(running_household(state), days=days)
    found = entries_of(answer, "differences")
    if as_json:
        print_document(answer)
        return
    if found:
        show(differences_table(found, now=datetime.now(UTC)))
    click.echo(line_of(tried_summary(answer)))

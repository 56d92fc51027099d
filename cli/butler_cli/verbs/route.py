"""`butlers route`: classify messages against the registry that a manifest directory declares, and do nothing else.

No process is started and no message is kept. Results go to stdout, one line per message; with `--json` as JSON Lines.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.local.status import read_status
from butler_cli.output.explained import explained, explanation_document
from butler_cli.output.screen import document_text, line_of, show
from butler_cli.output.words import order
from butler_cli.verbs.options import state_option
from butler_contracts.text import storable
from butler_kit.runtime.history import Earlier
from butler_switchboard.routing.everybody import verdict_of_all
from butler_switchboard.routing.message import RoutingMessage, Spoken
from butler_switchboard.routing.prompt import prompt_version
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.router import DEFAULT_THRESHOLD, RulesDecision, RulesRouter
from butler_switchboard.routing.verdict import Provenance, Verdict, verdict

if TYPE_CHECKING:
    from butler_cli.client.model import ModelAsked
    from butler_resources.kinds import Manifests

__all__ = ["registry_of", "route"]

FAMILIES: Final = ("rules", "api", "codex", "claude-code", "opencode")
TIERS: Final = ("default", "interactive", "high_priority")
CHANNELS: Final = ("telegram", "email", "api", "mcp", "slack")
DEFAULT_MANIFESTS: Final = Path("examples/household")
MAX_LINE_CHARS: Final = 1_000_000
_AGO: Final = timedelta(minutes=5)


@dataclass(frozen=True)
class Routed:
    """One classified message: its id, the family's decision, the verdict made of it, and the time taken."""

    id: str
    message: RoutingMessage
    decision: RulesDecision | None
    verdict: Verdict
    ms: float
    measured: str = ""
    """The measure of a model's prompt."""

    def as_json(self) -> dict[str, Any]:
        """Return the JSON Lines form."""
        return {
            "id": self.id,
            "targets": [
                {"butler": target.butler, "prompt": target.prompt, "segment": target.segment.as_json()}
                for target in self.verdict.targets
            ],
            "confidence": self.verdict.confidence,
            "fallback": self.verdict.fallback,
            "reason": self.verdict.reason,
            "model": self.verdict.model_version,
            "prompt_version": self.verdict.prompt_version,
            "ms": round(self.ms, 3),
            **({"order": self.verdict.order} if self.verdict.order != "parallel" else {}),
        }


@click.command()
@click.option(
    "--family", type=click.Choice(FAMILIES), default="rules", show_default=True, help="Runtime family."
)
@click.option(
    "-f",
    "--filename",
    "directory",
    type=click.Path(path_type=Path),
    help="Manifests that declare the butlers; else those of the household in the state directory, "
    f"else {DEFAULT_MANIFESTS}.",
)
@click.argument("message", required=False, metavar="[TEXT]")
@click.option("--text", help="One message to classify; the same as TEXT.")
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path),
    help='Messages, one JSON object per line: {"id", "text"}; for a model also "history": [{"text", "answer"}].',
)
@click.option(
    "--channel", type=click.Choice(CHANNELS), default="api", show_default=True, help="Incoming channel."
)
@click.option(
    "--after", metavar="BUTLER", help="Butler that spoke last in the conversation, five minutes before."
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=None,
    help=f"Minimum confidence for a specialist; by default the manifest's, else {DEFAULT_THRESHOLD}.",
)
@click.option(
    "--tier",
    type=click.Choice(TIERS),
    default="default",
    show_default=True,
    help="Tier whose model and time limit apply, if a model is asked.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON Lines.")
@click.option(
    "--explain",
    is_flag=True,
    help="Explain the decision: rule, confidence, evidence for each butler; for a model, prompt length.",
)
@click.option(
    "--learned",
    is_flag=True,
    help="Decide the household's stored messages again by what its corrections taught, and list the differences.",
)
@click.option(
    "--days",
    type=click.IntRange(1, 365),
    default=30,
    show_default=True,
    help="How far back --learned looks.",
)
@state_option
def route(
    family: str,
    directory: Path | None,
    message: str | None,
    text: str | None,
    file: Path | None,
    channel: str,
    after: str | None,
    threshold: float | None,
    tier: str,
    as_json: bool,
    explain: bool,
    learned: bool,
    days: int,
    state: StateDir,
) -> None:
    """Show which butlers would get a message, without sending it. Families other than rules ask the manifests' model.

    This is a dry run: session limits apply, but no daily budget is checked or charged.
    """
    given = [one for one in (message, text) if one is not None]
    if learned:
        _try_learned(given, file, state, days=days, as_json=as_json)
        return
    if len(given) + (file is not None) != 1:
        raise UserError('give one message, butlers route "TEXT", or a file of messages with --file F.jsonl')
    if given and not given[0].strip():
        raise UserError("the message is empty; give it some text")
    from butler_resources.kinds import load_manifests

    manifests = load_manifests(directory or _manifests_here(state))
    registry, decide = registry_of(manifests), _router(family, manifests, state, tier)
    threshold = threshold_of(manifests) if threshold is None else threshold
    one = (
        ("1", RoutingMessage(text=storable(said), channel=channel, spoke=_spoken(after)), ())
        for said in given
    )
    for name, read, before in _read(file, channel) if file is not None else one:
        routed = decide(registry, read, before, name=name, threshold=threshold)
        _print(routed, as_json=as_json, explain=explain)


def _try_learned(
    given: Sequence[str], file: Path | None, state: StateDir, *, days: int, as_json: bool
) -> None:
    """Print where the running household's stored messages would go by what was learned."""
    if given or file is not None:
        raise UserError("--learned decides stored messages again; give it no text and no file")
    from butler_cli.verbs.learned import show_tried

    show_tried(state, days=days, as_json=as_json)


def _manifests_here(state: StateDir) -> Path:
    """Return the manifests with which the household of this state directory is up."""
    told = read_status(state)
    return Path(told.manifests) if told is not None else DEFAULT_MANIFESTS


def threshold_of(manifests: Manifests) -> float:
    """Return the confidence threshold of the manifests' Switchboard."""
    said = (switchboard.spec.routing for switchboard in manifests.with_role("switchboard"))
    chosen = (routing.confidence_threshold for routing in said if routing is not None)
    return next((threshold for threshold in chosen if threshold is not None), DEFAULT_THRESHOLD)


def registry_of(manifests: Manifests) -> RegistryView:
    """Return the specialists that the manifests declare; a suspended or held one is not eligible."""
    from butler_resources.render.profiles import capabilities_of, defaults_of, triggers_of

    return RegistryView.of(
        ButlerProfile(
            name=butler.name,
            description=butler.spec.description
            or (defaults_of(butler).description if not butler.spec.triggers else ""),
            triggers=tuple(triggers_of(butler)),
            capabilities=tuple(capabilities_of(butler)),
            required_information=butler.spec.required_information,
            eligible=not butler.spec.suspend and butler.spec.eligibility.quarantine is None,
        )
        for butler in manifests.with_role("specialist")
    )


_Read = tuple[str, RoutingMessage, Sequence[Earlier]]
"""A message with its id and the earlier messages of its thread, the newest first."""


def _read(file: Path, channel: str) -> Iterator[_Read]:
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _parsed(line, channel, where=f"{file}:{number}", number=number)


def _parsed(line: str, channel: str, *, where: str, number: int) -> _Read:
    try:
        data = json.loads(line) if len(line) <= MAX_LINE_CHARS else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or not isinstance(data.get("text"), str):
        raise UserError(
            f'{where}: expected one JSON object per line with "text", for example {{"id": "1", "text": "hello"}}'
        )
    given, subject = data.get("channel"), data.get("subject")
    message = RoutingMessage(
        text=storable(data["text"]),
        channel=given if given in CHANNELS else channel,
        subject=storable(subject) if isinstance(subject, str) else None,
        sender_class="other" if data.get("sender_class") == "other" else "household",
        spoke=_spoken(after if isinstance(after := data.get("after"), str) else None),
    )
    return str(data.get("id", number)), message, tuple(reversed(_earlier(data.get("history"), where=where)))


def _earlier(given: object, *, where: str) -> list[Earlier]:
    said = given if isinstance(given, list) else []
    if not all(isinstance(one, dict) and isinstance(one.get("text"), str) for one in said):
        raise UserError(f'{where}: expected "history" as a list of objects with "text", the oldest first')
    return [
        Earlier("writer", storable(one["text"]), storable(str(one["answer"])) if one.get("answer") else None)
        for one in said
    ]


def _spoken(butler: str | None) -> tuple[Spoken, ...]:
    return (Spoken(butler, _AGO),) if butler else ()


def _router(family: str, manifests: Manifests, state: StateDir, tier: str) -> Callable[..., Routed]:
    if family == "rules":
        return partial(_routed, RulesRouter())
    from butler_cli.client.model import model_of
    from butler_cli.local.secrets import Secrets

    return partial(_asked, model_of(manifests, Secrets(state, os.environ, manifests), tier, family))


def _asked(
    model: ModelAsked,
    registry: RegistryView,
    message: RoutingMessage,
    before: Sequence[Earlier],
    *,
    name: str,
    threshold: float,
) -> Routed:
    message = model.with_history(message, before)
    started = time.perf_counter()
    made = verdict_of_all(message, registry) or model.verdict(message, registry, threshold)
    ms = (time.perf_counter() - started) * 1000
    return Routed(name, message, None, made, ms, model.measured(message, registry))


def _routed(
    router: RulesRouter,
    registry: RegistryView,
    message: RoutingMessage,
    _before: Sequence[Earlier],
    *,
    name: str,
    threshold: float,
) -> Routed:
    started = time.perf_counter()
    decision = router.decide(message, registry, threshold=threshold)
    made = verdict_of_all(message, registry)
    if made is not None:
        decision = replace(decision, explanation=replace(decision.explanation, rule=made.reason))
    else:
        source = Provenance("rules", router.model_version, prompt_version())
        made = verdict(decision.calls, registry, message, threshold, provenance=source)
    return Routed(name, message, decision, made, (time.perf_counter() - started) * 1000)


def _print(routed: Routed, *, as_json: bool, explain: bool) -> None:
    if routed.decision is None:
        told: dict[str, Any] = {"prompt": routed.measured} if explain else {}
        lines = [_shown(routed), *([f"   {_versions(routed)}", f"   {routed.measured}"] if explain else [])]
        click.echo(document_text(routed.as_json() | told) if as_json else "\n".join(lines))
        return
    why = routed.decision.explanation
    if as_json:
        told = {"explanation": explanation_document(routed.message, why)} if explain else {}
        click.echo(document_text(routed.as_json() | told))
    elif explain:
        show(explained(routed.message, routed.verdict, why, name=routed.id), _versions(routed), "")
    else:
        click.echo(_shown(routed))


def _versions(routed: Routed) -> str:
    made = routed.verdict
    return (
        f"decided by: {made.family}, model {made.model_version or '-'}, prompt {made.prompt_version or '-'}"
    )


def _shown(routed: Routed) -> str:
    made = routed.verdict
    names = " + ".join(target.butler for target in made.targets) or f"nobody ({made.error})"
    lines = [
        f"{line_of(routed.id)}: {names}  ({made.reason}, confidence {made.confidence:.2f}, {routed.ms:.1f} ms)"
    ]
    if len(made.targets) > 1:
        lines += [f"   {target.butler}: {line_of(target.prompt)}" for target in made.targets]
        lines += [f"   {order(made.order)}"] if made.order != "parallel" else []
    return "\n".join(lines)

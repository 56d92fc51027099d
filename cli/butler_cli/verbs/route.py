"""`butlers route`: classify messages against the registry that a manifest directory declares, and do nothing else.

No process is started and no message is kept. Results go to stdout, one line per message; with `--json` as JSON Lines.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from butler_cli.errors import UserError
from butler_cli.output.screen import document_text, line_of
from butler_contracts.text import storable
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.prompt import prompt_version
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.router import DEFAULT_THRESHOLD, RulesDecision, RulesRouter
from butler_switchboard.routing.verdict import Provenance, Verdict, verdict

__all__ = ["registry_of", "route"]

FAMILIES: Final = ("rules", "codex", "claude-code", "opencode")
CHANNELS: Final = ("telegram", "email", "api", "mcp", "slack")
DEFAULT_MANIFESTS: Final = Path("examples/household")
MAX_LINE_CHARS: Final = 1_000_000


@dataclass(frozen=True)
class Routed:
    """One classified message: its id, what the family decided, what was made of it, and how long it took."""

    id: str
    decision: RulesDecision
    verdict: Verdict
    ms: float

    def as_json(self) -> dict[str, Any]:
        """The JSON Lines form."""
        return {
            "id": self.id,
            "targets": [
                {"butler": target.butler, "prompt": target.prompt, "segment": target.segment.as_json()}
                for target in self.verdict.targets
            ],
            "confidence": self.verdict.confidence,
            "fallback": self.verdict.fallback,
            "reason": self.verdict.reason,
            "ms": round(self.ms, 3),
        }

    def explanation(self) -> list[dict[str, Any]]:
        """The evidence, strongest first: rule, what it saw, what it spoke for, its weight in log-odds."""
        seen = sorted(self.decision.evidence, key=lambda item: -item.weight)
        return [
            {"rule": item.rule, "text": item.text, "for": item.topic, "weight": item.weight} for item in seen
        ]


@click.command()
@click.option(
    "--family", type=click.Choice(FAMILIES), default="rules", show_default=True, help="Runtime family."
)
@click.option(
    "-f",
    "--filename",
    "directory",
    type=click.Path(path_type=Path),
    default=DEFAULT_MANIFESTS,
    show_default=True,
    help="Directory of manifests that declares the butlers.",
)
@click.option("--text", help="One message to classify.")
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path),
    help='Messages, one JSON object per line: {"id", "text"}.',
)
@click.option(
    "--channel", type=click.Choice(CHANNELS), default="api", show_default=True, help="Channel it came by."
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=DEFAULT_THRESHOLD,
    show_default=True,
    help="Least confidence of a specialist.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON Lines.")
@click.option("--explain", is_flag=True, help="Show evidence, rule and confidence.")
def route(
    family: str,
    directory: Path,
    text: str | None,
    file: Path | None,
    channel: str,
    threshold: float,
    as_json: bool,
    explain: bool,
) -> None:
    """Say which butlers would get a message, without sending it."""
    if family != "rules":
        raise UserError(f"the runtime family {family} is not available in this version; use --family rules")
    registry = registry_of(directory)
    router = RulesRouter()
    for name, message in _messages(text, file, channel):
        routed = _routed(router, registry, message, name=name, threshold=threshold)
        click.echo(_line(routed, explain=explain) if as_json else _shown(routed, explain=explain))


def _messages(text: str | None, file: Path | None, channel: str) -> Iterator[tuple[str, RoutingMessage]]:
    if text is not None and file is None:
        yield "1", RoutingMessage(text=storable(text), channel=channel)
    elif file is not None and text is None:
        yield from _read(file, channel)
    else:
        raise UserError("give the message with --text TEXT, or a file of messages with --file F.jsonl")


def registry_of(directory: Path) -> RegistryView:
    """The specialists that the manifests in `directory` declare; a suspended or held one is not eligible."""
    from butler_resources.kinds import load_manifests
    from butler_resources.render.profiles import capabilities_of, defaults_of, triggers_of

    specialists = load_manifests(directory).with_role("specialist")
    return RegistryView.of(
        ButlerProfile(
            name=butler.name,
            description=defaults_of(butler).description if not butler.spec.triggers else "",
            triggers=tuple(triggers_of(butler)),
            capabilities=tuple(capabilities_of(butler)),
            eligible=not butler.spec.suspend and butler.spec.eligibility.quarantine is None,
        )
        for butler in specialists
    )


def _read(file: Path, channel: str) -> Iterator[tuple[str, RoutingMessage]]:
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _parsed(line, channel, where=f"{file}:{number}", number=number)


def _parsed(line: str, channel: str, *, where: str, number: int) -> tuple[str, RoutingMessage]:
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
    )
    return str(data.get("id", number)), message


def _routed(
    router: RulesRouter, registry: RegistryView, message: RoutingMessage, *, name: str, threshold: float
) -> Routed:
    started = time.perf_counter()
    decision = router.decide(message, registry, threshold=threshold)
    source = Provenance("rules", router.model_version, prompt_version())
    made = verdict(decision.calls, registry, message, threshold, provenance=source)
    return Routed(name, decision, made, (time.perf_counter() - started) * 1000)


def _line(routed: Routed, *, explain: bool) -> str:
    shown = routed.as_json() | ({"evidence": routed.explanation()} if explain else {})
    return document_text(shown)


def _shown(routed: Routed, *, explain: bool) -> str:
    names = (
        " + ".join(target.butler for target in routed.verdict.targets) or f"nobody ({routed.verdict.error})"
    )
    made = routed.verdict
    lines = [
        f"{line_of(routed.id)}: {names}  ({made.reason}, confidence {made.confidence:.2f}, {routed.ms:.1f} ms)"
    ]
    if len(routed.verdict.targets) > 1:
        lines += [f"   {target.butler}: {line_of(target.prompt)}" for target in routed.verdict.targets]
    if explain:
        lines += [
            f"   {item['weight']:+.2f} {item['for']}: {item['rule']} “{line_of(item['text'])}”"
            for item in routed.explanation()
        ]
    return "\n".join(lines)

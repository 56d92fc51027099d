"""Decisions of routers on messages that they were not fitted on: by fold, and by writer.

Invariant: a message with all its parts and variants is in one fold; a held-out writer is held out entirely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from butler_kit.textmodel.model import read_model
from butler_kit.textmodel.training.fit import packed
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import GENERAL, ButlerProfile, RegistryView
from butler_switchboard.routing.rules.router import RulesRouter
from butler_switchboard.routing.rules.training.__main__ import PER_LINE, SEED, TEMPERATURE, fitted
from butler_switchboard.routing.rules.training.corpus import TEMPLATES, Template, load, load_several
from butler_switchboard.routing.rules.training.expand import samples

__all__ = [
    "REGISTRY",
    "SPECIALISTS",
    "Outcome",
    "butler_of",
    "by_fold",
    "by_writer",
    "message_of",
    "outcome",
    "router_of",
]

SPECIALISTS = ("finance", "health", "relationship", "travel")
REGISTRY = RegistryView.of(ButlerProfile(name) for name in (*SPECIALISTS, GENERAL))
_SUBJECTS = (
    "Subject: ",
    "Betreff: ",
    "Objet : ",
    "Asunto: ",
    "Oggetto: ",
    "Onderwerp: ",
    "Assunto: ",
    "Temat: ",
)
_SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The expected and the actual decision on one message, and its confidence."""

    text: str
    writer: str
    channel: str
    expected: tuple[str, ...]
    decided: tuple[str, ...]
    confidence: float

    @property
    def exact(self) -> bool:
        """Whether the set of butlers is the expected one."""
        return self.decided == self.expected

    @property
    def wrong(self) -> bool:
        """Whether an unexpected specialist got it."""
        return bool(set(self.decided) - set(self.expected) - {GENERAL})


def message_of(text: str, writer: str) -> RoutingMessage:
    """Return a corpus message as its channel delivers it; companies are strangers, all others are of the household."""
    label = next((label for label in _SUBJECTS if text.startswith(label)), None)
    subject = text[len(label) :].partition("\n")[0] if label else None
    channel = "email" if label else "api" if writer == "api" else "telegram"
    return RoutingMessage(text, channel, subject, "other" if writer == "company" else "household")


def outcome(router: RulesRouter, message: RoutingMessage, *, writer: str, expected: Iterable[str]) -> Outcome:
    """Return the decision on one message beside the expected one."""
    made = router.decide(message, REGISTRY)
    decided = tuple(sorted(call.butler for call in made.calls))
    return Outcome(message.text, writer, message.channel, tuple(sorted(expected)), decided, made.confidence)


def by_fold(folds: int, *, workers: int) -> list[Outcome]:
    """Return decisions on every message of the corpus, each by a router fitted on the other folds."""
    return _spread(_fold, [(n, folds) for n in range(folds)], workers)


def by_writer(groups: int, *, workers: int) -> list[Outcome]:
    """Return decisions on every message, each by a router fitted without its writer and the writer's group."""
    writers = sorted({template.writer for template in load()} - {TEMPLATES, _SEVERAL})
    return _spread(_without, [tuple(writers[n::groups]) for n in range(groups)], workers)


def _spread(
    run: Callable[..., list[Outcome]], jobs: Sequence[tuple[object, ...]], workers: int
) -> list[Outcome]:
    with ProcessPoolExecutor(max_workers=workers) as pool:
        return [item for found in pool.map(run, jobs) for item in found]


def _fold(job: tuple[int, int]) -> list[Outcome]:
    fold, folds = job
    templates = load()
    router = router_of([item for item in templates if item.number % folds != fold])
    several = [
        outcome(
            router,
            message_of(item.text, _SEVERAL),
            writer=_SEVERAL,
            expected={butler_of(t) for t, _ in item.parts},
        )
        for item in load_several()
        if item.number % folds == fold
    ]
    return [*_outcomes(router, [item for item in templates if item.number % folds == fold]), *several]


def _without(writers: tuple[str, ...]) -> list[Outcome]:
    templates = load()
    router = router_of([item for item in templates if item.writer not in writers])
    return _outcomes(router, [item for item in templates if item.writer in writers])


def router_of(templates: Sequence[Template]) -> RulesRouter:
    """Return a router with weights fitted on `templates` alone."""
    model = fitted(samples(templates, per_line=PER_LINE, seed=SEED))
    return RulesRouter(read_model(packed(model, temperature=TEMPERATURE, series="held-out", corpus="")))


def _outcomes(router: RulesRouter, templates: Sequence[Template]) -> list[Outcome]:
    return [
        outcome(
            router, message_of(item.text, item.writer), writer=item.writer, expected=[butler_of(item.topic)]
        )
        for item in templates
        if item.literal and item.writer != _SEVERAL
    ]


def butler_of(topic: str) -> str:
    """Return the butler responsible for `topic`."""
    return topic if topic in SPECIALISTS else GENERAL

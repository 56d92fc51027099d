"""Make labelled samples from the corpus: alternations, slots, other names and places, frames, typing errors.

Deterministic: the same corpus and seed give the same samples on every Python (own generator, no `random`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from butler_kit.textmodel.features import fold
from butler_kit.textmodel.lexicon import lexicon
from butler_kit.textmodel.training.dice import Dice
from butler_switchboard.routing.rules.training.corpus import CORPUS, Template, lines, topics
from butler_switchboard.routing.rules.units import clauses, sentences

__all__ = ["Sample", "samples"]

_CHOICE = re.compile(r"\(([^()]*)\)")
_SLOT = re.compile(r"\{(\w+)\}")
_CAPITAL = re.compile(r"\b[A-ZÄÖÜÉ][a-zäöüßéèêëáíóúñç]{2,}\b")
_LONG = 240
_PART, _SHORTEST = 40, 8
_SYLLABLES = (
    "ka lo mi ra ten vor sel ba nu dri pa esh or lin ga to wen zu fa ri mo que sta hel ny bor".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One generated message with its topic, the number of its template, the style put on it, and the writer.

    `plain` says that it is a writer's message exactly as written: what figures are made of.
    """

    text: str
    topic: str
    template: int
    style: str
    writer: str
    plain: bool = False


class Writer:
    """Fills templates as many different writers would."""

    def __init__(self, dice: Dice, folder: Path = CORPUS) -> None:
        self._dice = dice
        self._slots = {
            name: [v.strip() for v in values.split("|")]
            for name, _, values in (line.partition(":") for line in lines(folder / "slots.txt"))
        }
        frames = [line.partition(": ") for line in lines(folder / "frames.txt")]
        self._frames = [(style, frame.replace("\\n", "\n")) for style, _, frame in frames]
        self._topics = topics(folder)
        self._people = frozenset(value for value in self._slots["person"] if " " not in value)

    def write(self, template: Template) -> tuple[str, str]:
        """One text for `template`, and the name of the style it was written in."""
        if template.literal:
            text = self._renamed(self._shortened(template.text))
        elif template.text.startswith("~"):
            return self._term(template.text[1:]), "term"
        else:
            text = self._fill(template.text)
        style = "plain"
        if self._dice.chance(30) and not text.startswith("Subject:") and "{" not in text:
            style, frame = self._frames[self._dice.below(len(self._frames))]
            text = self._fill(frame.replace("{x}", "\x00")).replace("\x00", text)
        return self._scribble(text), style

    def _renamed(self, text: str) -> str:
        """`text` with other people and other places, so that no name carries a subject."""

        def other(match: re.Match[str]) -> str:
            word = match.group()
            place = "city" in lexicon().get(fold(word), ())
            if (word not in self._people and not place) or self._dice.chance(30):
                return word
            if self._dice.chance(40):
                return self._invented()
            return self._dice.pick(self._slots["city" if place else "person"])

        return _CAPITAL.sub(other, text)

    def _shortened(self, text: str) -> str:
        """A long text, sometimes only its first lines or one of its halves."""
        if len(text) < _LONG or not self._dice.chance(40):
            return self._part(text) if self._dice.chance(_PART) else text
        cut = len(text) // 2
        middle = text.rfind(" ", 0, cut)
        return text[:middle] if self._dice.chance(60) else text[middle + 1 :]

    def _part(self, text: str) -> str:
        """One clause of `text`, as the router judges it: what a clause says in passing is its message's subject too."""
        found = [clause for unit in sentences(text, [(0, len(text))]) for clause in clauses(text, unit)]
        said = [unit.of(text) for unit in found if unit.end - unit.start >= _SHORTEST]
        return self._dice.pick(said) if len(found) > 1 and said else text

    def _term(self, term: str) -> str:
        shapes = (
            "{}",
            "{}",
            "my {}",
            "the {}",
            "{} tomorrow",
            "something about {}",
            "{} again",
            "question about {}",
            "new {}",
            "{}?",
            "check {}",
        )
        return self._scribble(self._fill(self._dice.pick(shapes).format(term)))

    def _fill(self, text: str) -> str:
        for _ in range(4):
            text = _CHOICE.sub(lambda m: self._dice.pick(m.group(1).split("|")), text)
            text = _SLOT.sub(lambda m: self._slot(m.group(1)), text)
        return re.sub(r"[ ]{2,}", " ", text).strip()

    def _slot(self, name: str) -> str:
        if name in ("person", "city") and self._dice.chance(30):
            return self._invented()
        if name in self._slots:
            return self._dice.pick(self._slots[name])
        return self._made(name)

    def _invented(self) -> str:
        return "".join(self._dice.pick(_SYLLABLES) for _ in range(2 + self._dice.below(2))).capitalize()

    def _made(self, name: str) -> str:
        d = self._dice
        whole, cents = str(1 + d.below(1900)), f"{d.below(100):02d}"
        if name == "amount":
            return d.pick(
                [
                    f"{whole} EUR",
                    f"€{whole}.{cents}",
                    f"${whole}",
                    f"{whole} bucks",
                    f"{whole}.{cents}",
                    f"{whole},{cents} €",
                    f"£{whole}",
                    f"CHF {whole}",
                    f"{whole} euros",
                    f"{whole} dollars",
                    f"${whole}.{cents}",
                    f"{whole}€",
                    f"1,{cents}0 USD",
                ]
            )
        made = {
            "num": str(3 + d.below(9000)),
            "small": str(2 + d.below(8)),
            "time": d.pick(
                [
                    f"{d.below(24)}:{d.below(60):02d}",
                    f"{1 + d.below(12)} pm",
                    f"{1 + d.below(12)}am",
                    f"{d.below(24)} h",
                ]
            ),
            "date": d.pick(
                [
                    f"{1 + d.below(28)} {d.pick(self._slots['month'])}",
                    f"{1 + d.below(28)}.{1 + d.below(12)}.",
                    f"2026-0{1 + d.below(9)}-1{d.below(9)}",
                    f"{d.pick(self._slots['month'])} {1 + d.below(28)}",
                    "the 9th",
                    d.pick(self._slots["weekday"]),
                ]
            ),
            "phone": f"+49 17{d.below(10)} {1000 + d.below(9000)}{100 + d.below(900)}",
            "flight": d.pick(["LH", "BA", "FR", "UA", "AF", "KL", "EK", "U2", "DL"])
            + str(100 + d.below(1800)),
            "pnr": "X7" + "".join(d.pick("ABCDEFGHJK") for _ in range(3)) + str(d.below(10)),
            "iata": d.pick(["FRA", "LIS", "JFK", "LHR", "CDG", "AMS", "MUC", "BCN", "VIE", "DXB"]),
            "year": str(2020 + d.below(8)),
            "bp": d.pick(
                [f"{105 + d.below(50)}/{65 + d.below(30)}", f"{105 + d.below(50)} over {65 + d.below(30)}"]
            ),
            "pulse": str(50 + d.below(120)),
            "kg": f"{52 + d.below(50)}.{d.below(10)}",
            "glucose": d.pick([f"{4 + d.below(6)}.{d.below(10)}", str(80 + d.below(90))]),
            "temp": f"3{6 + d.below(4)}.{d.below(10)}",
        }
        return d.pick(self._topics) if name == "topic" else made[name]

    def _scribble(self, text: str) -> str:
        d = self._dice
        if d.chance(35):
            text = text.lower()
        elif d.chance(50):
            text = text[:1].upper() + text[1:]
        if d.chance(25):
            text = text.rstrip(".!?") or text
        if d.chance(3):
            text = text.upper()
        if d.chance(8) and len(text) > 12:
            at = 2 + d.below(len(text) - 4)
            text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        return text


def _count(template: Template, per_line: int) -> int:
    if template.literal:
        return per_line - 1
    if template.text.startswith("~"):
        return 2
    return per_line * (1 + min(2, template.text.count("|") // 6))


def samples(
    templates: Sequence[Template], *, per_line: int, seed: int, folder: Path = CORPUS
) -> list[Sample]:
    """`per_line` samples of each template (terms get half as many), longer alternations more."""
    writer = Writer(Dice(seed), folder)
    found: list[Sample] = []
    for template in templates:
        if template.literal:
            found.append(
                Sample(template.text, template.topic, template.number, "plain", template.writer, plain=True)
            )
        for _ in range(_count(template, per_line)):
            text, style = writer.write(template)
            found.append(Sample(text, template.topic, template.number, style, template.writer))
    return found

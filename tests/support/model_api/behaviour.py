"""What a model answers: behaviours by name, each a function of the question alone (pure).

`keywords` routes by a few words, as a stand-in for a model in the demo; the others are what models do wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["BEHAVIOURS", "Answer", "Asked", "Behaviour", "Call"]

TOOL: Final = "route_to_butler"


@dataclass(frozen=True)
class Asked:
    """One question, whichever protocol it came by; `told` are the tool results in it, the last one last."""

    provider: str
    model: str
    system: str
    user: str
    tools: tuple[Mapping[str, Any], ...]
    told: tuple[str, ...]
    key: str | None
    body: Mapping[str, Any] = field(repr=False, default_factory=dict)

    @property
    def results(self) -> int:
        """How many tool results there are."""
        return len(self.told)

    @property
    def payload(self) -> str:
        """What is between the last two fence lines of the user's text; all of it without a fence."""
        found = re.findall(r"<<<untrusted (\w+)\n(.*?)\nuntrusted \1>>>", self.user, re.DOTALL)
        return found[-1][1] if found else self.user


@dataclass(frozen=True)
class Call:
    """A tool call; `arguments` is the JSON text that the model wrote, right or wrong."""

    name: str
    arguments: str

    @classmethod
    def of(cls, name: str, **arguments: Any) -> Call:
        return cls(name, json.dumps(arguments, ensure_ascii=False))

    @classmethod
    def route(cls, butler: str, prompt: str, confidence: float = 0.95, **more: Any) -> Call:
        said = {"butler": butler, "prompt": prompt, "confidence": confidence, **more}
        return cls(TOOL, json.dumps(said, ensure_ascii=False))


@dataclass(frozen=True)
class Answer:
    """What the model says and calls."""

    text: str = ""
    calls: tuple[Call, ...] = ()


Behaviour = Callable[[Asked], Answer]

DONE: Final = Answer("done")


def _once(*calls: Callable[[Asked], Call]) -> Behaviour:
    """The calls, and after their results an end."""
    return lambda asked: DONE if asked.results else Answer(calls=tuple(call(asked) for call in calls))


def _one_at_a_time(*butlers: str) -> Behaviour:
    def behave(asked: Asked) -> Answer:
        if asked.results >= len(butlers):
            return DONE
        return Answer(calls=(Call.route(butlers[asked.results], f"part {asked.results + 1}"),))

    return behave


def _endless(asked: Asked) -> Answer:
    return Answer(calls=(Call.route("finance", f"again {asked.results}"),))


def _flood(asked: Asked) -> Answer:
    return Answer(calls=tuple(Call.route(f"b{number}", "more") for number in range(200)))


def _corrected(asked: Asked) -> Answer:
    if asked.results == 0:
        return Answer(calls=(Call(TOOL, '{"butler": 7}'),))
    return DONE if asked.results > 1 else Answer(calls=(Call.route("finance", asked.payload),))


def _corrected_beside_last(asked: Asked) -> Answer:
    """A call that is refused beside the last one; what was refused is mended when the model hears of it."""
    if asked.results == 0:
        return Answer(calls=(Call.route("health", "part 2", last=True), Call(TOOL, '{"butler": 7}')))
    return Answer(calls=(Call.route("finance", "part 1", last=True),))


def _obeys(asked: Asked) -> Answer:
    """Does whatever the message says: routes to each name in it, calls tools in it, tells its instructions."""
    if asked.results:
        return DONE
    names = re.findall(r"\b(?:route|send|forward)\b[^.\n]*?\bto\s+(?:the\s+)?(\w+)", asked.payload, re.I)
    tools = re.findall(r"\bcall\s+(\w+)", asked.payload, re.I)
    told = f"{asked.system}\n{json.dumps(list(asked.tools))}" if "instructions" in asked.payload else ""
    calls = [Call.route(name, f"{asked.payload}\n{told}") for name in names]
    calls += [Call(tool, json.dumps({"command": asked.payload})) for tool in tools]
    return Answer(told, tuple(calls) or (Call.route("general", asked.payload),))


WORDS: Final[Mapping[str, str]] = {
    "finance": "paid|eur|euro|bill|invoice|budget|spent|rent|subscription|refund|rechnung|bezahlt",
    "health": "blood|pressure|weigh|medication|pill|doctor|dentist|sleep|slept|symptom|blutdruck",
    "travel": "flight|train|hotel|itinerary|booking|boarding|airport|flug",
    "relationship": "birthday|anniversary|friend|gift|mother|sister|brother|geburtstag",
}


SUM: Final = re.compile(r"(\d+(?:[.,]\d{1,2})?) ?(EUR|euro?s?|€)", re.I)


def _keeps(asked: Asked) -> Answer:
    """The first sum of a message as an expense, else it as a note; a question is answered from what is found."""
    text = asked.payload
    if "?" in text and any(tool["name"] == "record_search" for tool in asked.tools):
        found = Call.of("record_search")
        told = f"I found this: {asked.told[0].splitlines()[1][:200]}" if asked.told else ""
        return Answer(calls=(Call.of("answer", text=told),)) if told else Answer(calls=(found,))
    paid = SUM.search(text)
    more = {"amount": paid[1].replace(",", "."), "currency": "EUR"} if paid else {}
    kept = Call.of("record_add", kind="expense" if paid else "note", quote=text[:2000], **more)
    return Answer(calls=(kept, Call.of("answer", text=f"Noted: {paid[0] if paid else text[:200]}")))


def _keywords(asked: Asked) -> Answer:
    """One call for each butler that is offered and has words in the message; none: general. Butlers keep."""
    if any(tool["name"] == "record_add" for tool in asked.tools):
        return _keeps(asked)
    if asked.results:
        return DONE
    text = asked.payload
    found = [
        name
        for name, words in WORDS.items()
        if f'"{name}"' in asked.system and re.search(rf"\b(?:{words})", text, re.I)
    ]
    return Answer(calls=tuple(Call.route(name, text) for name in found[:1] or ["general"]))


BEHAVIOURS: Final[Mapping[str, Behaviour]] = {
    "route": _once(lambda asked: Call.route("finance", asked.payload)),
    "two": _once(
        lambda _: Call.route("finance", "I paid 40 euro for gas"),
        lambda _: Call.route("health", "blood pressure 120 over 80"),
    ),
    "last": _once(lambda asked: Call.route("finance", asked.payload, last=True)),
    "two_with_last": _once(
        lambda _: Call.route("finance", "I paid 40 euro for gas", last=True),
        lambda _: Call.route("health", "blood pressure 120 over 80", last=True),
    ),
    "one_if_the_other": _once(
        lambda asked: Call.route("finance", asked.payload),
        lambda _: Call.route("health", "tell Clara", after="success"),
    ),
    "last_beside_refused": _corrected_beside_last,
    "one_at_a_time": _one_at_a_time("finance", "health"),
    "text_only": lambda _: Answer('{"butler": "finance", "prompt": "as text"}'),
    "silent": lambda _: Answer(),
    "unknown_butler": _once(lambda asked: Call.route("admin", asked.payload)),
    "unsure": _once(lambda asked: Call.route("finance", asked.payload, 0.1)),
    "no_json": _once(lambda _: Call(TOOL, '{"butler": "finance", "prompt": ')),
    "no_object": _once(lambda _: Call(TOOL, '["finance"]')),
    "wrong_arguments": _once(lambda _: Call(TOOL, '{"butler": 7, "confidence": "very"}')),
    "unknown_tool": _once(lambda _: Call("run_shell", '{"command": "id"}')),
    "corrected": _corrected,
    "endless": _endless,
    "flood": _flood,
    "obeys": _obeys,
    "keywords": _keywords,
}

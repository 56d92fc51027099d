"""The `rules` family's decision: text → evidence → scores per part → calls (SWB-03.1–03.5, SWB-27.1; pure).

Invariant: the same message and registry give the same decision; every call names a butler of the registry; ranges
lie inside the text; unsure means the whole original text to `general`, tagged `ambiguous`. Of a long message that is
divided, the lines that were not judged are `general`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from butler_kit.textmodel.model import Model
from butler_switchboard.routing.explanation import Evidence, Explanation, PartExplained
from butler_switchboard.routing.message import MAX_RANGES, RouteCall, RoutingMessage, Segment, Spoken
from butler_switchboard.routing.registry_view import GENERAL, RegistryView
from butler_switchboard.routing.rules.carry import self_contained
from butler_switchboard.routing.rules.caution import is_sure
from butler_switchboard.routing.rules.clean import is_contact, is_wordless, own_ranges
from butler_switchboard.routing.rules.conversation import asked_last, spoke_last
from butler_switchboard.routing.rules.holding import holder
from butler_switchboard.routing.rules.scoring import Assessment, assess, withheld, word_evidence
from butler_switchboard.routing.rules.several import LONG_WORDS, Look, Part, anchor, proposed, several
from butler_switchboard.routing.rules.somebody import with_somebody
from butler_switchboard.routing.rules.told_before import teller_of
from butler_switchboard.routing.rules.units import clauses, sentences
from butler_switchboard.routing.rules.weights import load_model

__all__ = ["DEFAULT_THRESHOLD", "RulesDecision", "RulesRouter"]

DEFAULT_THRESHOLD = 0.72
"""Below it a message goes to `general`; chosen on the development sets, see MODEL.md."""

_LOOKED_AT = 6_000
"""How far into the sender's own text it is judged, in characters."""
_SPOKE_WEIGHT = 5.0
_KEEPS_CONTACTS = "relationship"
Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RulesDecision:
    """What the rules family would record. `reason`: `single`, `several`, `follow_up`, `holder`, `general`, `ambiguous`.

    `rule` is a key of `DECIDING_RULES`; `explanation` holds everything that the decision is based on.
    """

    calls: tuple[RouteCall, ...]
    confidence: float
    fallback: bool
    reason: str
    evidence: tuple[Evidence, ...]
    rule: str
    explanation: Explanation


class RulesRouter:
    """Decides with the model that ships with the package, or one given."""

    def __init__(self, model: Model | None = None) -> None:
        self._model = model or load_model()

    @property
    def model_version(self) -> str:
        """The version of the weights, recorded with every decision."""
        return self._model.version

    def decide(
        self, message: RoutingMessage, registry: RegistryView, *, threshold: float = DEFAULT_THRESHOLD
    ) -> RulesDecision:
        """Return the calls for `message`; `threshold` is the least confidence of a specialist."""
        if is_wordless(message.text):
            return _nobodys(message, registry)
        own = _own(message)
        ranges = _looked_at(own)
        known: dict[str, Assessment] = {}

        def look(text: str) -> Assessment:
            if text not in known:
                known[text] = assess(self._model, registry, text)
            return known[text]

        whole = look(_with_subject(message, ranges))
        finely = whole.words <= LONG_WORDS and message.sender_class != "other"
        parts = _parts(message.text, ranges, look, finely=finely)
        chosen = several(parts, whole, message, partial(withheld, self._model, registry))
        chosen = _to_the_end_of_the_line(chosen, ranges, own)
        made = _decomposed(message, chosen, own[len(ranges) :]) if chosen else None
        if made is None or made.confidence < threshold:
            chosen, made = [], _single(message, whole, parts, threshold)
        answered = spoke_last(message, registry, look, clear=_clear(made))
        if answered is not None:
            chosen, made = [], _answering(message, answered, "points back at")
        elif (asked := asked_last(message, registry, clear=_clear(made))) is not None:
            chosen, made = [], _answering(message, asked, "answers")
        elif (held := _held(message, registry, clear=_clear(made))) is not None and not chosen:
            made = _holding(message, held)
        made = _about_somebody(message, made)
        shown = [part.score for part in chosen] or [whole]
        words = tuple(item for score in shown for item in word_evidence(self._model, registry, score))
        return _explained(replace(made, evidence=(*made.evidence, *words)), whole, chosen, threshold)

    def claimed(self, message: RoutingMessage, registry: RegistryView) -> list[tuple[str, tuple[float, ...]]]:
        """Return the further butlers that parts of `message` speak for, with the findings for each claim."""
        ranges = _looked_at(_own(message))
        whole = assess(self._model, registry, _with_subject(message, ranges))
        finely = whole.words <= LONG_WORDS and message.sender_class != "other"
        parts = _parts(message.text, ranges, lambda text: assess(self._model, registry, text), finely=finely)
        made = proposed(parts, whole, message)
        hold = partial(withheld, self._model, registry)
        further = sorted(made.names - {made.first}) if made else []
        return [(name, made.findings(name, whole, hold)) for name in further if made]


def _made(
    calls: tuple[RouteCall, ...],
    confidence: float,
    *,
    reason: str,
    rule: str,
    evidence: tuple[Evidence, ...] = (),
) -> RulesDecision:
    bare = Explanation(rule=rule, confidence=confidence, threshold=DEFAULT_THRESHOLD)
    return RulesDecision(calls, confidence, reason == "ambiguous", reason, evidence, rule, bare)


def _explained(
    made: RulesDecision, whole: Assessment, parts: Sequence[Part], threshold: float
) -> RulesDecision:
    """Return the decision with its explanation."""
    scores = sorted(whole.butlers.items(), key=lambda item: (-item[1], item[0]))
    explanation = Explanation(
        rule=made.rule,
        confidence=made.confidence,
        threshold=threshold,
        scores=tuple((name, round(value, 4)) for name, value in scores),
        parts=tuple(
            PartExplained(part.unit.start, part.unit.end, part.butler, round(part.score.of(part.butler), 4))
            for part in parts
            if part.butler is not None
        ),
        evidence=made.evidence,
    )
    return replace(made, explanation=explanation)


def _about_somebody(message: RoutingMessage, made: RulesDecision) -> RulesDecision:
    """Return the decision; if one butler gets the message, with who "he" or "she" is."""
    if len(made.calls) != 1:
        return made
    [call] = made.calls
    return replace(made, calls=(replace(call, prompt=with_somebody(call.prompt, message, call.butler)),))


def _own(message: RoutingMessage) -> Ranges:
    return own_ranges(message.text, subject=message.subject, mail=message.channel == "email")


def _looked_at(own: Ranges) -> Ranges:
    """Return the beginning of the sender's own text, which is what is judged."""
    most = own[0][0] + _LOOKED_AT if own else 0
    return tuple((start, min(end, most)) for start, end in own if start < most)


def _to_the_end_of_the_line(parts: list[Part], looked_at: Ranges, own: Ranges) -> list[Part]:
    """Return the parts, the last one with all of the line in which the judged text ends."""
    end = own[len(looked_at) - 1][1] if parts else 0
    if not parts or looked_at[-1][1] == end:
        return parts
    last = parts[-1]
    return [*parts[:-1], replace(last, unit=replace(last.unit, end=end))]


def _parts(text: str, ranges: Ranges, look: Look, *, finely: bool) -> list[Part]:
    """Return the sentences, or a short text's clauses, each with its score and its sure butler, if any."""
    units = sentences(text, ranges)
    if finely:
        units = [clause for sentence in units for clause in clauses(text, sentence)]
    scored = [(unit, look(unit.of(text))) for unit in units]
    return [Part(unit, score, anchor(score)) for unit, score in scored]


def _with_subject(message: RoutingMessage, ranges: Ranges) -> str:
    own = "\n".join(message.text[start:end] for start, end in ranges)
    return f"{message.unsaid_subject}\n{own}" if message.unsaid_subject else own


def _clear(made: RulesDecision) -> str | None:
    """Return the specialist that is clearly meant, without a look at the conversation."""
    return made.calls[0].butler if made.reason in ("single", "several") else None


def _answering(message: RoutingMessage, spoken: Spoken, how: str) -> RulesDecision:
    """Route the whole message to the butler that it answers."""
    since = max(0, round(spoken.ago.total_seconds() / 60))
    why = f"{how} what {spoken.butler} said {since} min before"
    call = RouteCall(spoken.butler, message.text, Segment.whole(message.text, why), 1.0)
    seen = Evidence("conversation", f"{spoken.butler}, {since} min before", spoken.butler, _SPOKE_WEIGHT)
    return _made((call,), 1.0, reason="follow_up", rule="follow_up", evidence=(seen,))


def _held(message: RoutingMessage, registry: RegistryView, *, clear: str | None) -> Spoken | None:
    """Return who was told what it names; for a question, only if no specialist is clearly meant."""
    held = holder(message, registry, clear=clear)
    return teller_of(message, registry) if held is None and clear is None else held


def _holding(message: RoutingMessage, told: Spoken) -> RulesDecision:
    """Route the whole message to the butler that was told what it names."""
    why = f"names what {told.butler} was told before"
    call = RouteCall(told.butler, message.text, Segment.whole(message.text, why), 1.0)
    seen = Evidence("conversation", f"{told.butler} was told", told.butler, _SPOKE_WEIGHT)
    return _made((call,), 1.0, reason="holder", rule="holder", evidence=(seen,))


def _nobodys(message: RoutingMessage, registry: RegistryView) -> RulesDecision:
    """Route a message without words, without doubt: a member's shared contact to who keeps contacts."""
    shared = message.sender_class == "household" and is_contact(message.text)
    if shared and registry.eligible(_KEEPS_CONTACTS):
        segment = Segment.whole(message.text, "a shared contact")
        call = RouteCall(_KEEPS_CONTACTS, message.text, segment, 1.0)
        return _made((call,), 1.0, reason="single", rule="shared_contact")
    segment = Segment.whole(message.text, "no words to judge by")
    return _made((RouteCall(GENERAL, message.text, segment),), 1.0, reason="general", rule="wordless")


def _decomposed(message: RoutingMessage, parts: list[Part], unread: Ranges) -> RulesDecision:
    """Make one call per butler, in the order of first mention; what was not judged is the catch-all's."""
    names = [part.butler for part in parts if part.butler]
    order = list(dict.fromkeys([*names, GENERAL] if unread else names))
    calls = tuple(_call(message, name, parts, unread if name == GENERAL else ()) for name in order)
    evidence = tuple(item for part in parts for item in part.score.evidence)
    least = min(call.confidence for call in calls)
    return _made(calls, least, reason="several", rule="several_parts", evidence=evidence)


def _call(message: RoutingMessage, butler: str, parts: list[Part], unread: Ranges) -> RouteCall:
    own = [part for part in parts if part.butler == butler]
    rest = ((unread[0][0], unread[-1][1]),) if unread else ()
    ranges = _at_most((*_ranges(message.text, parts, butler), *rest))
    segment = Segment(char_ranges=ranges, rationale=_rationale(butler, own))
    before = message.text[: segment.char_ranges[0][0]]
    prompt = self_contained(segment.excerpt(message.text), before)
    return RouteCall(
        butler, prompt, segment, round(max((part.score.of(butler) for part in own), default=1.0), 3)
    )


def _ranges(text: str, parts: list[Part], butler: str) -> Ranges:
    """Return the butler's ascending ranges, neighbours on a line joined."""
    spans: list[tuple[int, int]] = []
    previous: str | None = None
    for part in parts:
        if part.butler == butler:
            gap = text[spans[-1][1] : part.unit.start] if previous == butler else "\n"
            if "\n" in gap:
                spans.append((part.unit.start, part.unit.end))
            else:
                spans[-1] = (spans[-1][0], part.unit.end)
        previous = part.butler
    return tuple(spans)


def _at_most(spans: Ranges) -> Ranges:
    """Return at most `MAX_RANGES` ranges: the last one reaches to the end of what is too many."""
    if len(spans) <= MAX_RANGES:
        return spans
    return (*spans[: MAX_RANGES - 1], (spans[MAX_RANGES - 1][0], spans[-1][1]))


def _rationale(butler: str, parts: list[Part]) -> str:
    if not parts:
        return "beyond what is judged of a long message"
    seen = [item.text for part in parts for item in part.score.evidence if item.topic == butler]
    named = ", ".join(dict.fromkeys(text[:40] for text in seen[:4]))
    return f"about {butler}: {named}" if named else f"about {butler}"


def _single(message: RoutingMessage, whole: Assessment, parts: list[Part], threshold: float) -> RulesDecision:
    """Route the whole message to one butler: by its text as a whole, or by the one part with a subject."""
    best, confidence, evidence, rule = whole.best, whole.confidence, whole.evidence, "whole"
    anchors = [part for part in parts if part.butler is not None]
    subjects = {part.butler for part in anchors}
    if len(subjects) == 1 and (best == GENERAL or confidence < threshold or subjects == {best}):
        strongest = max(anchors, key=lambda part: part.score.confidence)
        blended = (whole.of(strongest.butler or GENERAL) + strongest.score.confidence) / 2
        if blended > confidence or (whole.neutral > 0.3 and blended >= threshold):
            best, confidence, evidence = strongest.butler or GENERAL, blended, strongest.score.evidence
            rule = "strongest_part"
    if best != GENERAL and is_sure(whole, best, confidence, threshold):
        segment = Segment.whole(message.text, f"the whole message is about {best}")
        call = RouteCall(best, message.text, segment, round(confidence, 3))
        return _made((call,), call.confidence, reason="single", rule=rule, evidence=evidence)
    unsure = best != GENERAL or confidence < threshold
    shown = f"unsure: {best} at {confidence:.2f}" if unsure else "nobody's subject"
    if best != GENERAL and confidence >= threshold:
        confidence = whole.of(GENERAL)
    reason = "ambiguous" if unsure else "general"
    segment = Segment.whole(message.text, shown)
    call = RouteCall(GENERAL, message.text, segment, round(confidence, 3))
    deciding = "unsure" if unsure else "nobody"
    return _made((call,), call.confidence, reason=reason, rule=deciding, evidence=evidence)

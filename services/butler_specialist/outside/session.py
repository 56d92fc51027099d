"""The outside tools of one session: recorded, called once, answered as fenced data (D61, SWB-04.1).

Invariants: a call that may do something is recorded before it is made, and not made again with the same words,
whether or not an answer came: programs repeat what they believe lost; a server's answer is only ever read. A call
that needs approval is not made here at all: it is requested, and counts with the outcome of the session.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from uuid import UUID

from butler_contracts.call_approvals import MOST_ARGUMENTS, written_arguments
from butler_contracts.errors import ValidationFailed
from butler_contracts.text import text_fault
from butler_kit.faults import points, reached_async
from butler_kit.runtime import SessionTool
from butler_kit.runtime.fence import fence
from butler_specialist.held.model import MOST_HELD, Wish
from butler_specialist.outside.calendar import CALENDAR_SERVER
from butler_specialist.outside.journal import Journal, digest_of, shown_args
from butler_specialist.outside.model import Called, CallState, Hand, Offer, Said, ServerFault
from butler_specialist.outside.servers import Shelf, ToolServers
from butler_specialist.outside.texts import MOST_BYTES, answer_text

__all__ = ["OutsideTools"]

_MOST_READ: Final = 32_000
"""The most UTF-8 bytes of all answers that one session reads."""
_MOST_ARGUMENTS: Final = 16_000


@dataclass(slots=True)
class OutsideTools:
    """The outside tools of one session that works on `hand`."""

    servers: ToolServers
    journal: Journal
    shelf: Shelf
    hand: Hand
    session_id: UUID
    boundary: str
    new_id: Callable[[], UUID]
    _held: dict[str, Wish] = field(default_factory=dict)
    _unanswered: dict[str, Called] = field(default_factory=dict)
    _done: set[str] = field(default_factory=set)
    _read: int = 0

    def tools(self, *, waiting: bool = True, private: bool = False) -> list[SessionTool]:
        """Return the tools as offered to a model; the descriptions are their servers' words.

        Without `waiting` those that need approval are left out: a schedule has no message to ask for. `private`
        keeps the session from writing to a calendar that the whole household reads.
        """
        return [
            SessionTool(
                offer.name,
                self._described(offer),
                offer.schema,
                partial(self._hold if offer.waits else self._call, offer),
                acts=not (offer.read_only or offer.waits),
            )
            for offer in self.shelf.offers
            if (waiting or not offer.waits) and not (private and _all_read(offer))
        ]

    @property
    def unanswered(self) -> tuple[Called, ...]:
        """The calls that may have done something and got no answer."""
        return tuple(self._unanswered.values())

    @property
    def held(self) -> tuple[Wish, ...]:
        """The calls to make once somebody has approved them."""
        return tuple(self._held.values())

    def _described(self, offer: Offer) -> str:
        kind = "It only reads." if offer.read_only else "It may change something outside."
        if offer.waits:
            kind += " Somebody has to approve of each call first, so it is not made in this session."
        said = fence(offer.description, boundary=self.boundary) if offer.description else ""
        return f"{offer.tool} of {offer.server}. {kind} {said}".strip()

    async def _hold(self, offer: Offer, args: Mapping[str, Any]) -> str:
        key = f"{offer.name}:{digest_of(args)}"
        if key in self._held:
            raise ValidationFailed(f"{offer.name}: this very call waits for an approval already")
        if len(self._held) >= MOST_HELD:
            raise ValidationFailed(
                f"{offer.name}: {MOST_HELD} calls wait for an approval; no more are asked for"
            )
        self._held[key] = Wish(
            self.new_id(),
            self.session_id,
            offer.server,
            offer.tool,
            offer.read_only,
            _readable(offer, args),
            shown_args(args),
        )
        return (
            f"{offer.name} is not done: somebody is asked to approve of it when you have answered, and it is done if "
            "they do. Say in the answer that it waits for an approval, and not that it was done"
        )

    async def _call(self, offer: Offer, args: Mapping[str, Any]) -> str:
        key = f"{offer.name}:{digest_of(args)}"
        if key in self._unanswered:
            raise ValidationFailed(
                f"{offer.name}: no answer came to this very call; it may have been done, and is not made again"
            )
        if key in self._done:
            raise ValidationFailed(
                f"{offer.name}: this very call was made and answered; it is not made again"
            )
        if len(json.dumps(dict(args), ensure_ascii=False).encode("utf-8", "replace")) > _MOST_ARGUMENTS:
            raise ValidationFailed(f"{offer.name}: the arguments are longer than {_MOST_ARGUMENTS} bytes")
        call_id = self.new_id()
        if not await self.journal.begin(call_id, self.hand, self.session_id, offer, args):
            raise ValidationFailed(f"{offer.name}: this session is over")
        if not offer.read_only:
            # Until the result is known.
            self._unanswered[key] = Called(offer.server, offer.tool, shown_args(args), CallState.BEGUN)
        await reached_async(points.CALL_NOTED)
        said = await self._answered(offer, args, call_id, key)
        return self._text(said)

    async def _answered(self, offer: Offer, args: Mapping[str, Any], call_id: UUID, key: str) -> Said:
        try:
            said = await self.servers.call(offer.server, offer.tool, args)
        except ServerFault as fault:
            if fault.sent is not True:
                await self._ended(call_id, key, CallState.FAILED if fault.sent is None else CallState.UNSENT)
            raise ValidationFailed(_told(offer, fault)) from fault
        await reached_async(points.CALL_ANSWERED)
        await self._ended(call_id, key, CallState.FAILED if said.refused else CallState.RETURNED)
        if not (offer.read_only or said.refused):
            self._done.add(key)
        await reached_async(points.CALL_KEPT)
        if said.refused:
            raise ValidationFailed(f"{offer.name} was not done; {offer.server} says: {self._text(said)}")
        return said

    async def _ended(self, call_id: UUID, key: str, state: CallState) -> None:
        await self.journal.end(call_id, state)
        self._unanswered.pop(key, None)

    def _text(self, said: Said) -> str:
        """Return the text of an answer, within what the session may still read."""
        text = answer_text(
            said, boundary=self.boundary, most=max(0, min(MOST_BYTES, _MOST_READ - self._read))
        )
        self._read += len(text.encode("utf-8", "replace"))
        return text


def _all_read(offer: Offer) -> bool:
    """Return whether the whole household reads what it writes."""
    return offer.server == CALENDAR_SERVER.name and not offer.read_only


def _readable(offer: Offer, args: Mapping[str, Any]) -> str:
    """Return the arguments as an approver reads them.

    Raises `ValidationFailed` if they are too long to be read.
    """
    try:
        written = written_arguments(args)
    except (ValueError, RecursionError):
        raise ValidationFailed(f"{offer.name}: the arguments have a number that is none") from None
    if (fault := text_fault(written)) is not None:
        raise ValidationFailed(f"{offer.name}: the arguments cannot be kept: their text {fault}")
    if len(written.encode()) > MOST_ARGUMENTS:
        raise ValidationFailed(
            f"{offer.name}: the arguments are longer than {MOST_ARGUMENTS} bytes, which nobody would read"
        )
    return written


def _told(offer: Offer, fault: ServerFault) -> str:
    """Return what a session reads about a call that went wrong."""
    if fault.sent is True and not offer.read_only:
        return (
            f"{offer.name}: no answer came back from {offer.server}. It may have been done: do not call it again, and "
            "say in the answer that nobody knows whether it was done"
        )
    return f"{offer.name}: {offer.server} cannot be used now; nothing was done. Say so in the answer"

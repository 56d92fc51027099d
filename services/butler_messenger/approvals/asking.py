"""Asks each approver once about each waiting delivery or call (D65, docs/adr/0072).

Invariant: the questions and the mark that they were queued are one transaction. Questions are limited like everything
that Messenger says of its own accord (docs/adr/0021), and wait for no approval themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

from butler_contracts.language import Language
from butler_contracts.request_approvals import request_in
from butler_kit.db import Connection, NamedQueries, Pool, transaction
from butler_kit.markup import said_by
from butler_kit.telemetry import get_logger
from butler_messenger.admission.limits import source_of
from butler_messenger.admission.notices import own_notice
from butler_messenger.admission.store import AdmissionStore, NewDelivery, lane_for
from butler_messenger.approvals.approvers import Approver, Approvers
from butler_messenger.approvals.call_words import ask_call_text, call_subject, is_call
from butler_messenger.approvals.request_words import ask_request_text, is_request, request_subject
from butler_messenger.approvals.views import id_of
from butler_messenger.approvals.words import ask_key, ask_text, offered, recipient_of, subject_of
from butler_messenger.attachments.words import file_lines
from butler_messenger.contacts.book import SharedContacts
from butler_messenger.delivery.records import Row
from butler_messenger.owner.window import OwnerWindow
from butler_messenger.owner.words import APPROVALS

__all__ = ["Asking"]

_log = get_logger(__name__)

_SQL: Final = NamedQueries("butler_messenger.sql", "approvals.sql")
_CALLS: Final = NamedQueries("butler_messenger.sql", "call_approvals.sql")
_BATCH: Final = 50
_SOON_S: Final = 86_400.0
"""An approval that expires within a day is asked for in quiet hours too, which may last as long; so is a call, since
the person who just asked for it is waiting. A member's request waits for their end, unless it says it is urgent."""
_Asked = tuple[Approver, tuple[str, str]]


class Asking:
    """Safe beside other replicas."""

    def __init__(
        self,
        pool: Pool,
        store: AdmissionStore,
        contacts: SharedContacts,
        window: OwnerWindow,
        approvers: Approvers,
        *,
        own_name: str,
        channels: tuple[str, ...],
        offer: Callable[[UUID, str, str], object],
        new_id: Callable[[], UUID],
    ) -> None:
        self._pool = pool
        self._store = store
        self._contacts = contacts
        self._window = window
        self._approvers = approvers
        self._own_name = own_name
        self._channels = channels
        self._offer = offer
        self._new_id = new_id
        self._missing: tuple[str, ...] = ()
        self._nobody = False

    async def sweep(self) -> None:
        """Queue the open questions; if no approver can be reached, they wait for an operator, and the log says so."""
        approvers = await self._approvers.all()
        self._note_missing(self._approvers.missing(approvers))
        asked = await self._reachable(approvers)
        if not asked:
            await self._note_nobody()
            return
        self._nobody = False
        async with transaction(self._pool, doing="asking for approvals") as connection:
            rows = [
                *await connection.fetch(_SQL["unasked"], _BATCH),
                *await connection.fetch(_CALLS["unasked"], _BATCH),
            ]
            queued = [one for row in rows for one in await self._ask(connection, row, asked)]
        for one in queued:
            if not one.collected:
                self._offer(one.delivery_id, lane_for(one.intent), source_of(one.origin_butler, one.channel))

    def _note_missing(self, missing: tuple[str, ...]) -> None:
        """Log once who left the contacts: without them the next start is refused."""
        if missing and missing != self._missing:
            _log.warning("approvers_missing", names=list(missing), needed="an owner or adult in the contacts")
        self._missing = missing

    async def _note_nobody(self) -> None:
        """Log once that something waits and nobody can be asked."""
        if self._nobody:
            return
        async with transaction(self._pool, doing="looking for what nobody is asked about") as connection:
            waiting = [
                *await connection.fetch(_SQL["unasked"], 1),
                *await connection.fetch(_CALLS["unasked"], 1),
            ]
        if waiting:
            _log.warning(
                "approvals_nobody_to_ask", approval_id=str(id_of(waiting[0])), decide="butlers approvals"
            )
            self._nobody = True

    async def _reachable(self, approvers: Sequence[Approver]) -> list[_Asked]:
        """Return each approver who can be reached, with the channel and value to use."""
        found: list[_Asked] = []
        for one in approvers:
            way = await self._contacts.way_to(one.contact_id, self._channels)
            if way is not None:
                found.append((one, way))
        return found

    async def _ask(self, connection: Connection, row: Row, asked: Sequence[_Asked]) -> list[NewDelivery]:
        queued: list[NewDelivery] = []
        for approver, way in asked:
            if is_request(row) and approver.contact_id == row["contact_id"]:
                continue  # nobody approves of what they ask for themselves
            counted = await self._window.counted(connection, self._question(row, approver, way))
            if await self._store.insert(connection, counted) is not None:
                queued.append(counted)
        await connection.execute((_CALLS if is_call(row) else _SQL)["asked"], id_of(row))
        _log.info("approval_asked", approval_id=str(id_of(row)), approvers=len(queued))
        return queued

    def _question(self, row: Row, approver: Approver, way: tuple[str, str]) -> NewDelivery:
        question_id, language = self._new_id(), approver.language
        subject = _subject_of(row)
        return own_notice(
            delivery_id=question_id,
            key=ask_key(id_of(row), approver.contact_id),
            own_name=self._own_name,
            way=way,
            subject=subject(language, question_id),
            message=_text(row, language, by_mail=way[0] == "email"),
            expires_after_s=max(row["left_s"], 1.0),
            request_id=row["request_id"],
            topic=APPROVALS,
            actions=offered(language, question_id),
            urgent=_is_urgent(row),
        )


def _subject_of(row: Row) -> Callable[[Language, UUID], str]:
    if is_request(row):
        return request_subject
    return call_subject if is_call(row) else subject_of


def _is_urgent(row: Row) -> bool:
    if row["left_s"] < _SOON_S:
        return True
    return request_in(row["arguments"]).urgent if is_request(row) else is_call(row)


def _text(row: Row, language: Language, *, by_mail: bool) -> str:
    if is_request(row):
        return ask_request_text(language, row, by_mail=by_mail)
    if is_call(row):
        return ask_call_text(language, row, by_mail=by_mail)
    wished = row["notify_request"]["delivery"]
    return ask_text(
        language,
        origin=row["origin_butler"],
        recipient=recipient_of(language, row["person"], row["channel"], row["target_identity"]),
        subject=wished.get("subject"),
        message=said_by(wished),
        expires_at=row["expires_at"],
        delivery_id=row["delivery_id"],
        by_mail=by_mail,
        files=file_lines(language, wished.get("attachments") or ()),
    )

"""What members and strangers mail to a household's butler, as connector and Switchboard hand it on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.mail.normalize import FetchedMail, MailSource, normalise
from tests.integration.specialist.household import Client, Place, envelope, request_context
from tests.support.invitations import Form, mailed

BERLIN = ZoneInfo("Europe/Berlin")
SPEC = {"modules": {"calendar": {"appointmentMinutes": 60}}}
DAY = (datetime.now(BERLIN) + timedelta(days=20)).replace(hour=0, minute=0, second=0, microsecond=0)
ADA, BEN = UUID(int=1), UUID(int=2)
NAMES = {ADA: "Ada", BEN: "Ben"}
MAILS = {ADA: "ada@example.org", BEN: "ben@example.org"}
STRANGER = "office@dentist.example"


def at(hour: int, minute: int = 0, days: int = 0) -> datetime:
    return (DAY + timedelta(days=days)).replace(hour=hour, minute=minute).astimezone(UTC)


def when(hour: int, *, minutes: int = 90, days: int = 0) -> tuple[str, ...]:
    start = at(hour, days=days)
    return (
        f"DTSTART:{start:%Y%m%dT%H%M%SZ}",
        f"DURATION:PT{minutes}M",
        "SUMMARY:Dentist",
        "LOCATION:High Street 12",
    )


def people(sender: UUID | None) -> dict[str, Any]:
    members = [
        {
            "contact_id": str(contact),
            "name": NAMES[contact],
            "addresses": [{"channel": "email", "value": MAILS[contact]}],
        }
        for contact in (ADA, BEN)
    ]
    return {"sender": str(sender) if sender is not None else None, "members": members}


class Mailbox:
    """What somebody mails to a household's butler, as connector and Switchboard hand it on."""

    def __init__(self, place: Place, client: Client) -> None:
        self.place = place
        self.client = client
        self.mails = 0

    async def gets(
        self,
        text: str,
        *,
        sender: UUID | None = ADA,
        form: Form = "alternative",
        words: str = "You are invited.",
        **context: Any,
    ) -> str:
        """What is told of it, to whomever."""
        self.mails += 1
        address = MAILS[sender] if sender is not None else STRANGER
        now = datetime.now(UTC)
        mail = mailed(text, method=None, form=form, words=words, sender=address).replace(b"Date:", b"X-Date:")
        found = normalise(
            FetchedMail(self.mails, 1, now, len(mail), mail), MailSource("imap:home@example.org")
        )
        assert isinstance(found.content, IngestEnvelopeV1)
        raw = found.content.payload.raw or {}
        about = request_context(
            "email",
            received_at=now.isoformat(),
            source_sender_identity=address,
            source_thread_identity=f"<{self.mails}@example.org>",
            **({"sender_class": "other", "reply_policy": "owner"} if sender is None else {}),
            **context,
        )
        document = envelope(
            found.content.payload.normalized_text, butler="general", context=about, segment_id="invitation"
        )
        document["input"]["context"] = {"invitation": raw["invitation"]}
        if sender is not None:
            document["input"]["context"]["people"] = people(sender)
        before = len(self.place.switchboard.notifies)
        await self.client.done(document)
        told = self.place.switchboard.notifies[before:]
        return "\n".join(
            str(one.delivery.message) for one in told if one.delivery.contact_id != str(BEN) or sender == BEN
        )

    @property
    def told_ben(self) -> list[str]:
        sent = [
            one.delivery for one in self.place.switchboard.notifies if one.delivery.contact_id == str(BEN)
        ]
        return [str(one.message) for one in sent]


async def standing(place: Place) -> list[dict[str, Any]]:
    return [row for row in await place.records() if row["withdrawn_at"] is None]

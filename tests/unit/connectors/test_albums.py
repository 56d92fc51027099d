"""An album is one message, however its parts come: split, between others, late, or again after a kill."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from butler_connectors.base.documents import ALBUMS, FileDocuments
from butler_connectors.telegram_bot.albums import MOST_PARTS, SETTLE_S, Album, album_of
from butler_connectors.telegram_bot.closed_albums import KEPT, ClosedAlbums
from butler_connectors.telegram_bot.normalize import TelegramSource
from butler_connectors.telegram_bot.taking import Taken
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_kit.sources.events import SourceEvent

SOURCE = TelegramSource("telegram:bot:household")
NOW = datetime(2026, 11, 22, tzinfo=UTC)


class Hands:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.at_s = 0.0

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return self.at_s


def says(number: int, *, chat: int = 1001, **content: Any) -> dict[str, Any]:
    message = {
        "message_id": number,
        "date": 1_795_190_400,
        "chat": {"id": chat},
        "from": {"id": chat, "first_name": "Ada"},
        **content,
    }
    return {"update_id": number, "message": message}


def shows(number: int, group: str = "g", **content: Any) -> dict[str, Any]:
    photo = [{"file_id": f"file-{number}", "width": 1280, "height": 960, "file_size": 9}]
    return says(number, photo=photo, media_group_id=group, **content)


class Poller:
    """What the poller does with `Taken`, without sockets; all that is taken settles at once."""

    def __init__(self, path: Path, *, offset: int = 10, clock: Hands | None = None) -> None:
        self.clock = clock or Hands()
        self.file = ClosedAlbums(FileDocuments(path / "cursor.json"))
        asyncio.run(self.file.load())
        self.confirmed = offset
        self.taken = Taken(SOURCE, self.file, self.clock, offset=offset)

    def look(self, updates: list[dict[str, Any]], *, full: bool = False) -> list[SourceEvent]:
        self.taken.forget(below=self.confirmed, idle=True)
        new, closed = self.taken.sort(updates, confirmed=self.confirmed, full=full)
        if closed:
            asyncio.run(self.file.add(closed))
        events = self.taken.take(new, confirmed=self.confirmed) if new else []
        self.confirmed = int(events[-1].cursor) if events else self.confirmed
        return events

    def later(self) -> None:
        self.clock.at_s += SETTLE_S


def sent(events: list[SourceEvent]) -> list[IngestEnvelopeV1]:
    return [event.content for event in events if isinstance(event.content, IngestEnvelopeV1)]


def test_an_album_is_one_envelope_with_every_file_and_the_caption_of_any_part(tmp_path: Path) -> None:
    poller = Poller(tmp_path)
    album = [shows(10), shows(11, caption="Paid 7.70 EUR at Migros"), shows(12)]
    assert poller.look(album) == []
    poller.later()
    [envelope] = sent(poller.look(album))
    assert envelope.payload.normalized_text == "Paid 7.70 EUR at Migros"
    assert [one.storage_ref for one in envelope.payload.attachments] == [
        f"telegram:file:file-{number}" for number in (10, 11, 12)
    ]
    assert envelope.payload.raw is not None
    assert [update["update_id"] for update in envelope.payload.raw["album"]] == [10, 11, 12]
    assert (envelope.event.external_event_id, envelope.event.external_message_id) == ("10", "11")
    assert parse(IngestEnvelopeV1, envelope.to_wire()) == envelope
    assert poller.confirmed == 13


def test_an_album_without_words_is_described_in_one_bracket(tmp_path: Path) -> None:
    poller = Poller(tmp_path)
    poller.look([shows(10), shows(11), shows(12)])
    poller.later()
    [envelope] = sent(poller.look([shows(10), shows(11), shows(12)]))
    assert envelope.payload.normalized_text == "[photo 1280x960 and 2 more in one album]"


def test_while_an_album_grows_its_chat_waits_and_others_do_not(tmp_path: Path) -> None:
    poller = Poller(tmp_path)
    updates = [shows(10), says(11, text="from Rome"), says(12, chat=1002, text="hello")]
    assert [one.payload.normalized_text for one in sent(poller.look(updates))] == ["hello"]
    assert poller.confirmed == 10, "the offset stays before what waits"
    updates.append(shows(13))
    poller.clock.at_s += SETTLE_S / 2
    assert poller.look(updates) == []
    poller.clock.at_s += SETTLE_S / 2
    assert poller.look(updates) == [], "it has grown since"
    poller.later()
    events = poller.look(updates)
    assert [one.payload.normalized_text for one in sent(events)] == [
        "[photo 1280x960 and 1 more in one album]",
        "from Rome",
    ]
    assert poller.confirmed == 14


def test_two_albums_of_a_chat_that_come_interleaved_are_two(tmp_path: Path) -> None:
    poller = Poller(tmp_path)
    updates = [shows(10, "b"), shows(11, "a"), shows(12, "b")]
    poller.look(updates)
    poller.later()
    updates.append(shows(13, "a"))
    assert poller.look(updates) == [], "b has settled, and waits behind a with all of its parts"
    poller.later()
    assert [len(one.payload.attachments) for one in sent(poller.look(updates))] == [2, 2]


def test_a_full_album_waits_for_nothing(tmp_path: Path) -> None:
    album = [shows(10 + number) for number in range(MOST_PARTS)]
    assert len(sent(Poller(tmp_path).look(album))) == 1


def test_an_album_at_the_end_of_a_full_answer_waits_for_its_rest(tmp_path: Path) -> None:
    poller = Poller(tmp_path)
    cut = [says(10, text="first"), shows(11)]
    for _ in range(3):
        assert [one.event.external_event_id for one in sent(poller.look(cut, full=True))] in (["10"], [])
        poller.later()
    whole = [shows(11), shows(12)]
    poller.look(whole)
    poller.later()
    [envelope] = sent(poller.look(whole))
    assert len(envelope.payload.attachments) == 2


def test_the_album_that_a_full_answer_begins_with_is_not_waited_for_without_end(tmp_path: Path) -> None:
    poller = Poller(tmp_path)
    poller.look([shows(10), shows(11)], full=True)
    poller.later()
    assert len(sent(poller.look([shows(10), shows(11)], full=True))) == 1


def test_a_photo_that_comes_late_is_a_message_of_its_own(tmp_path: Path) -> None:
    poller = Poller(tmp_path)
    poller.look([shows(10), shows(11)])
    poller.later()
    poller.look([shows(10), shows(11)])
    poller.look([shows(12)])
    poller.later()
    [late] = sent(poller.look([shows(12)]))
    assert late.event.external_event_id == "12"
    assert late.payload.normalized_text == "[photo 1280x960]"


def test_an_album_read_again_after_a_kill_is_the_one_that_was_submitted(tmp_path: Path) -> None:
    first = Poller(tmp_path)
    first.look([shows(10), shows(11)])
    first.later()
    [submitted] = sent(first.look([shows(10), shows(11)]))
    # The checkpoint was not written, and a third photo has come meanwhile.
    again = Poller(tmp_path)
    updates = [shows(10), shows(11), shows(12)]
    repeated = sent(again.look(updates))
    again.later()
    late = sent(again.look(updates))
    assert repeated == [submitted]
    assert [one.event.external_event_id for one in late] == ["12"]


def test_the_rest_of_an_album_that_was_settled_is_passed_when_it_is_read_again(tmp_path: Path) -> None:
    first = Poller(tmp_path)
    first.look([shows(10), shows(11)])
    first.later()
    first.look([shows(10), shows(11)])
    again = Poller(tmp_path, offset=11)
    assert sent(again.look([shows(11)])) == []
    assert again.confirmed == 12


def test_an_edit_and_a_skipped_part_are_no_parts() -> None:
    edit = {"edited_message": shows(10)["message"], "update_id": 11}
    assert album_of(edit) is None
    assert album_of(says(10, media_group_id=7)) is None
    assert album_of(shows(10, "a")) != album_of(shows(10, "b"))


def test_a_list_of_albums_that_cannot_be_read_is_put_aside(tmp_path: Path) -> None:
    documents = FileDocuments(tmp_path / "cursor.json")
    file = ClosedAlbums(documents)
    documents.path(ALBUMS).write_text('{"version": 1, "albums": [{"group"')
    asyncio.run(file.load())
    assert [path.name for path in tmp_path.iterdir()] == ["cursor.albums.json.unreadable"]
    for number in range(KEPT + 3):
        asyncio.run(file.add([Album("1001:g", (number,))]))
    again = ClosedAlbums(documents)
    asyncio.run(again.load())
    assert again.of(says(2, media_group_id="g")) is None
    assert again.of(says(3, media_group_id="g")) == Album("1001:g", (3,))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "text", "other"]), min_size=1, max_size=9),
    st.lists(st.tuples(st.integers(1, 4), st.booleans(), st.booleans()), min_size=1, max_size=12),
)
def test_whatever_comes_when_every_update_is_submitted_once(
    tmp_path_factory: Any, kinds: list[str], looks: list[tuple[int, bool, bool]]
) -> None:
    """Any split of the updates over looks, with pauses and kills before the checkpoint is written."""
    make = {"a": lambda n: shows(n, "a"), "b": lambda n: shows(n, "b")}
    chat = {"text": 1001, "other": 1002}
    updates = [
        make[kind](number) if kind in make else says(number, chat=chat[kind], text=kind)
        for number, kind in enumerate(kinds, start=10)
    ]
    folder = tmp_path_factory.mktemp("albums")
    poller, visible = Poller(folder), 0
    accepted: dict[str, IngestEnvelopeV1] = {}
    for more, pause, kill in [*looks, (9, True, False), (9, True, False), (9, True, False)]:
        visible = min(len(updates), visible + more)
        before = poller.confirmed
        events = poller.look([one for one in updates[:visible] if one["update_id"] >= before])
        for envelope in sent(events):
            known = accepted.setdefault(envelope.event.external_event_id, envelope)
            assert known == envelope, "read again, it says something else"
        if pause:
            poller.later()
        if kill:
            poller = Poller(folder, offset=before)
    raws = [one.payload.raw or {} for one in accepted.values()]
    told = [part["update_id"] for raw in raws for part in raw.get("album", [raw])]
    assert sorted(told) == [update["update_id"] for update in updates]
    assert poller.confirmed == 10 + len(updates)

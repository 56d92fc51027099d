"""What comes without words ends in an answer: what was received, and that it is kept or cannot be read."""

from __future__ import annotations

import pytest

from butler_contracts.ingest import IngestAttachment
from butler_specialist.work.knowing import unopened_files
from tests.support.talks import Talks


def test_a_shared_contact_is_one_and_answers_a_later_question():
    talks = Talks()
    said = talks.say("[contact Priya Rao +447700900555]")
    assert said.answers == {"relationship": "Noted: Priya Rao can be reached at +447700900555."}
    [row] = said.records
    assert (row.kind, row.party, row.code) == ("contact", "Priya Rao", "+447700900555")
    assert "+447700900555" in talks.say("what is Priya's number?").text


@pytest.mark.parametrize("shown", ["contact Priya", "place Café Mozart Albertinaplatz 2"])
def test_the_data_of_a_location_or_a_contact_without_a_number_is_kept_as_a_note(shown: str):
    said = Talks().say(f"[{shown}]")
    assert said.answers == {"general": f"Kept as a note: “{shown}”."}
    assert [(row.kind, shown in row.text) for row in said.records] == [("note", True)]


def test_of_a_location_it_is_said_that_nobody_here_knows_the_place():
    said = Talks().say("[location 51.5, -0.12]")
    assert said.answers["general"].startswith("Kept as a note: “location 51.5, -0.12”. I can't tell")
    assert [row.kind for row in said.records] == ["note"]


@pytest.mark.parametrize(
    "shown",
    ["photo 1280x960", "voice message 9 s", "file invoice.pdf", "video note 4 s", "a message without text"],
)
def test_what_cannot_be_read_is_named_and_said_not_to_be_read(shown: str):
    said = Talks().say(f"[{shown}]")
    assert said.text.startswith(f"Kept “{shown}”. I cannot read")
    assert "write in words what should be noted" in said.text


def test_the_caption_of_a_photo_is_understood_as_text():
    said = Talks().say("receipt from the garden centre 64.50 EUR")
    assert [(row.kind, str(row.amount)) for row in said.records] == [("expense", "64.50")]


@pytest.mark.parametrize(
    ("text", "files", "said"),
    [
        ("here's the invoice of the roofer", ("roofer.pdf",), "I cannot open “roofer.pdf”; write in words"),
        ("die Rechnung vom Dachdecker", ("",), "Bilder und Dateien kann ich nicht öffnen"),
        ("voici la facture du plombier", ("a.pdf", "b.pdf"), "Je ne peux pas ouvrir « a.pdf » et « b.pdf »"),
    ],
)
def test_where_the_words_state_nothing_it_is_said_that_the_file_was_not_opened(
    text: str, files: tuple[str, ...], said: str
):
    assert said in Talks().say(text, files=files).text


def test_where_the_words_state_the_fact_nothing_is_said_of_the_file():
    assert "open" not in Talks().say("receipt: paid 64.50 EUR at the garden centre", files=("bon.jpg",)).text


def test_the_pictures_of_a_mails_layout_are_no_files_of_its_sender():
    def file(media_type: str, name: str | None) -> IngestAttachment:
        return IngestAttachment(media_type=media_type, storage_ref="ref:1", size_bytes=9, filename=name)

    files = (file("image/png", "logo.png"), file("application/pdf", "invoice.pdf"), file("audio/ogg", None))
    assert unopened_files(files, by_mail=True) == ("invoice.pdf", "")
    assert unopened_files(files, by_mail=False) == ("logo.png", "invoice.pdf", "")

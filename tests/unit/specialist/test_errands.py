"""What only somebody outside, or a hand in the house, could do is refused in words, in four languages; never kept."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.profiles import PROFILES, load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.understanding.errands import Errand, errand_of
from butler_specialist.understanding.reading import read
from tests.golden.specialist.conversations import MemoryRecords

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
ERRANDS = [
    ("Would you kindly ring Dr. Peeters and say I shall be late.", Errand.CONTACT),
    ("write an email to my boss that I'm off sick", Errand.CONTACT),
    ("Kannst du bei Tom anrufen?", Errand.CONTACT),
    ("Appelle ma mère et dis-lui que j'arrive", Errand.CONTACT),
    ("llama a mi hermano", Errand.CONTACT),
    ("get two tickets for the concert", Errand.ARRANGE),
    ("tu peux nous commander des sushis ?", Errand.ARRANGE),
    ("turn the heating down a bit", Errand.HOME),
    ("mach mal das Licht im Flur an", Errand.HOME),
    ("allume la lumière", Errand.HOME),
    ("apaga la luz de la cocina", Errand.HOME),
    ("can u play some music", Errand.PLAY),
    ("erzähl mal nen witz", Errand.PLAY),
    ("raconte-moi une blague", Errand.PLAY),
    ("¿puedes poner música?", Errand.PLAY),
    ("could you google the opening hours", Errand.LOOK_UP),
    ("who is the president of France", Errand.LOOK_UP),
    ("Übersetze mir bitte „guten Appetit“ ins Spanische", Errand.LOOK_UP),
    ("comment on dit bonjour en néerlandais", Errand.LOOK_UP),
    ("cuánto es 45 por 12", Errand.LOOK_UP),
    ("look what leo drew today", Errand.SEE),
    ("what kind of rash is this??", Errand.SEE),
    ("ist das ein Fliegenpilz?", Errand.SEE),
    ("regarde comme elle est mignonne", Errand.SEE),
    ("mira qué bonito", Errand.SEE),
    ("did you get my voice message?", Errand.SEE),
    ("Switch the television to BBC One", Errand.HOME),
    ("mach die heizung auf 21 grad", Errand.HOME),
    ("prends-moi rdv chez le coiffeur", Errand.ARRANGE),
    ("donne-moi une recette de crêpes", Errand.LOOK_UP),
    ("could you pick up Leo from school?", Errand.OTHER),
    ("kannst du Leo von der Schule abholen?", Errand.OTHER),
]
TOLD_OR_OURS = [
    "I ordered a pizza for 23 €",
    "called Tom, he is coming on Friday",
    "can you add milk to the list",
    "could you remind me tomorrow",
    "kannst du mir das notieren",
    "tu peux ajouter du lait ?",
    "¿puedes apuntar leche?",
    "play date on Saturday at 3",
    "phone bill 40 EUR",
    "open day at school on Saturday",
    "order #4711 arrived",
    "call the plumber tomorrow at 9",
    "20% off everything this weekend",
    "j'appelle Tom demain",
    "buy milk",
    "look after Leo on Friday",
    "read the meter on Friday",
    "what is this week's plan",
]


async def hears(text: str, butler: str) -> Reply:
    answering = Answering(NOON, True, MemoryRecords(), currency="EUR")
    return await load_profile(butler).respond(text, answering)


@pytest.mark.parametrize(("text", "errand"), ERRANDS)
def test_who_asks_for_it_is_understood_by_how_they_ask(text: str, errand: Errand) -> None:
    assert errand_of(read(text, NOON).sentences[0]) is errand


@pytest.mark.parametrize("text", TOLD_OR_OURS)
def test_what_is_told_or_can_be_done_is_no_errand(text: str) -> None:
    assert errand_of(read(text, NOON).sentences[0]) is None


@pytest.mark.parametrize("butler", PROFILES)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("turn on the lamp please", "I can't switch"),
        ("Spiel etwas von Bach.", "kann ich nicht"),
        ("raconte-moi une blague", "Je ne peux pas"),
        ("busca un restaurante", "No puedo"),
    ],
)
async def test_every_butler_refuses_it_in_the_writers_language_and_keeps_nothing(
    butler: str, text: str, said: str
) -> None:
    reply = await hears(text, butler)
    assert said in reply.text
    assert not reply.records


async def test_what_is_told_beside_it_is_kept() -> None:
    reply = await hears("paid 12 EUR for parking. Play some music please", "finance")
    assert [record.amount for record in reply.records] == [12]
    assert "I can't play" in reply.text


@pytest.mark.parametrize("text", ["get two tickets for the concert", "mets de la musique"])
async def test_what_no_shop_has_is_on_no_list(text: str) -> None:
    assert not (await hears(text, "general")).records


async def test_money_that_is_to_be_sent_was_not_spent() -> None:
    reply = await hears("please transfer 200 euros to Chloé", "finance")
    assert not reply.records
    assert "can't" in reply.text

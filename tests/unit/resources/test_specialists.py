"""The five specialists that a household has, what each is for, and that messages about it reach it."""

from pathlib import Path

import pytest

from butler_resources.kinds import load_manifests
from butler_resources.render import triggers_of
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.router import RulesRouter

EXAMPLES = Path(__file__).parents[3] / "examples"
SUBJECTS = {
    "finance": ("receipts", "invoices", "bills", "subscriptions"),
    "relationship": ("contacts", "interactions", "reminders", "gifts"),
    "health": ("medications", "measurements", "conditions", "symptoms", "diet"),
    "travel": ("flight bookings", "hotel reservations", "itineraries"),
    "general": ("catch-all",),
}
MESSAGES = {
    "finance": ("The invoice of the plumber is 180 EUR", "Cancel our Spotify subscription"),
    "relationship": ("Gift idea for my friend Clara: a fountain pen", "I met Jonas for coffee"),
    "health": ("Started taking ibuprofen 400 mg", "Blood pressure 124/79 this morning"),
    "travel": ("Flight OS451 on 2027-03-14 at 07:05", "The hotel reservation in Porto, three nights"),
    "general": ("Good morning!", "The spare key is with the neighbour"),
}


@pytest.mark.spec("SWB-09.2")
@pytest.mark.parametrize("example", ["demo", "household"])
@pytest.mark.parametrize("name", sorted(SUBJECTS))
def test_a_household_has_the_five_specialists_and_each_gets_what_it_is_for(example: str, name: str) -> None:
    manifests = load_manifests(EXAMPLES / example)
    specialists = {butler.name: butler for butler in manifests.with_role("specialist")}
    assert set(specialists) == set(SUBJECTS)
    assert triggers_of(specialists[name]) == SUBJECTS[name]
    view = RegistryView.of(
        ButlerProfile(each, triggers=tuple(triggers_of(butler))) for each, butler in specialists.items()
    )
    for text in MESSAGES[name]:
        decision = RulesRouter().decide(RoutingMessage(text, channel="telegram"), view)
        assert [call.butler for call in decision.calls] == [name], text

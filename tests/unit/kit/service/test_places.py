"""Who makes room for whom when the places of a port are taken."""

from __future__ import annotations

from typing import Any

from butler_kit.service.connections import ConnectionLimits, Places, _Standing

UNASKED, IDLE, SENDING, ANSWERED = _Standing


class Guest:
    """What `Places` sees of a connection."""

    def __init__(self, places: Places, standing: _Standing) -> None:
        self.places: Any = places
        self.standing = standing
        self.was_cut = False

    def cut(self) -> None:
        self.was_cut = True
        self.places.leave(self)


def taken(places: Places, *standings: _Standing, peer: str = "10.0.0.1") -> list[Any]:
    guests: list[Any] = [Guest(places, standing) for standing in standings]
    assert all(places.take(guest, peer) for guest in guests)
    return guests


def test_who_asked_nothing_leaves_first_then_who_waits_for_nothing_the_oldest_first() -> None:
    places = Places(ConnectionLimits(most=5))
    guests = taken(places, ANSWERED, SENDING, IDLE, UNASKED, UNASKED)
    left = []
    for _ in range(4):
        taken(places, ANSWERED, peer="10.0.0.2")
        left.append(next(n for n, guest in enumerate(guests) if guest.was_cut and n not in left))
    assert left == [3, 4, 2, 1]
    assert not guests[0].was_cut


def test_nobody_who_is_being_answered_makes_room() -> None:
    places = Places(ConnectionLimits(most=2))
    guests = taken(places, ANSWERED, ANSWERED)
    newcomer: Any = Guest(places, UNASKED)
    assert not places.take(newcomer, "10.0.0.2")
    assert not any(guest.was_cut for guest in guests)
    places.leave(newcomer)
    places.leave(guests[0])
    assert places.take(newcomer, "10.0.0.2")


def test_one_address_takes_no_more_than_its_part_and_then_its_own_leave() -> None:
    places = Places(ConnectionLimits(most=10, most_of_one=2))
    (other,) = taken(places, UNASKED)
    mine = taken(places, UNASKED, UNASKED, peer="10.0.0.2")
    taken(places, ANSWERED, peer="10.0.0.2")
    assert (other.was_cut, mine[0].was_cut, mine[1].was_cut) == (False, True, False)
    mine[1].standing = ANSWERED
    refused: Any = Guest(places, UNASKED)
    assert not places.take(refused, "10.0.0.2")


def test_an_address_of_the_machine_itself_is_everybody_on_it() -> None:
    places = Places(ConnectionLimits(most=10, most_of_one=2))
    for address in ("127.0.0.1", "::1"):
        assert not any(guest.was_cut for guest in taken(places, *[UNASKED] * 4, peer=address))

"""PURE: groups one person's messages in a thread, each soon after the other, into episodes (ADR 0078).

Invariants: an episode is of one person and one thread, and bounded; the same messages in their order give the same
episodes, whatever the batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid5

__all__ = ["GAP", "Episode", "Said", "Thread", "folded"]

GAP: Final = timedelta(hours=2)
"""A message later than this after the last one of its thread begins a new episode."""
_MOST_MESSAGES: Final = 50
_MOST_CHARS: Final = 8_000
Thread = tuple[str, str]
"""A person and their thread."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a person of the household."""

    subrequest_id: UUID
    person: str
    channel: str
    thread_key: str
    at: datetime
    words: str


@dataclass(frozen=True, slots=True)
class Episode:
    """What one person said in one thread from `begun_at` to `ended_at`: a line for each message."""

    episode_id: UUID
    person: str
    channel: str
    thread_key: str
    begun_at: datetime
    ended_at: datetime
    messages: int
    words: str


def folded(
    said: Iterable[Said], last: Mapping[Thread, Episode]
) -> tuple[tuple[Episode, ...], dict[UUID, UUID]]:
    """Return the episodes these messages begin or continue, and each message's.

    `last` are those of their threads.
    """
    open_ones, changed, places = dict(last), dict[UUID, Episode](), dict[UUID, UUID]()
    for one in sorted(said, key=lambda each: (each.at, each.subrequest_id)):
        thread = (one.person, one.thread_key)
        episode = open_ones.get(thread)
        goes_on = episode is not None and _goes_on(episode, one)
        episode = _with(episode, one) if goes_on and episode else _begun(one)
        open_ones[thread] = changed[episode.episode_id] = episode
        places[one.subrequest_id] = episode.episode_id
    return tuple(changed.values()), places


def _goes_on(episode: Episode, one: Said) -> bool:
    room = episode.messages < _MOST_MESSAGES and len(episode.words) + len(one.words) < _MOST_CHARS
    return room and one.at - episode.ended_at <= GAP


def _begun(one: Said) -> Episode:
    key = uuid5(one.subrequest_id, "episode")
    words = one.words[:_MOST_CHARS]
    return Episode(key, one.person, one.channel, one.thread_key, one.at, one.at, 1, words)


def _with(episode: Episode, one: Said) -> Episode:
    return replace(
        episode,
        begun_at=min(episode.begun_at, one.at),
        ended_at=max(episode.ended_at, one.at),
        messages=episode.messages + 1,
        words=f"{episode.words}\n{one.words}",
    )

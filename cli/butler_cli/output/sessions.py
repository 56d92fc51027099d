"""PURE: the sessions of a request for a person: how each ended, what it called, and what is kept of its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from butler_cli.output.moments import span, timestamp
from butler_cli.output.screen import document_text, line_of, text_of

__all__ = ["sessions_of"]

_NONE: Final = "no session was run for it, or none is kept any more"
_NO_WORDS: Final = "its words are not kept (spec.runtime.transcripts)"
_TONES: Final = {"completed": "green", "running": "yellow"}
_NAMED: Final = {"model": "model", "prompt": "prompt_version"}


def sessions_of(document: Mapping[str, Any], *, missing: str | None = None) -> RenderableType:
    """Return everything; `missing` says which butlers could not be asked."""
    sessions: Sequence[Mapping[str, Any]] = document["sessions"]
    parts: list[RenderableType] = [Text(f"Request {line_of(document['request_id'])}", style="bold")]
    parts += [_session(one) for one in sessions]
    if not sessions:
        parts.append(Text(_NONE))
    if missing is not None:
        parts.append(Text(f"\nSessions are missing here: {line_of(missing)}", style="yellow"))
    return Group(*parts)


def _session(session: Mapping[str, Any]) -> Text:
    status = line_of(session.get("status"))
    said = Text(f"\n{line_of(session.get('butler'))}  {line_of(session.get('kind'))}  ", style="bold")
    said.append(f"{status}{_took(session)}", style=_TONES.get(status, "red"))
    for line in _facts(session):
        said.append(f"\n  {line}", style="not bold")
    for title, text in _words(session):
        said.append(f"\n  {title}", style="bold")
        said.append("".join(f"\n    {line}" for line in text_of(text).split("\n")), style="not bold")
    return said


def _took(session: Mapping[str, Any]) -> str:
    duration = session.get("duration_ms")
    return f" after {span(duration / 1000)}" if isinstance(duration, int | float) else ""


def _facts(session: Mapping[str, Any]) -> Iterator[str]:
    by = [f"family {line_of(session.get('family'))}"]
    by += [f"{name} {line_of(session[key])}" for name, key in _NAMED.items() if session.get(key)]
    yield ", ".join(by)
    yield f"{timestamp(session.get('started_at'))}, session {line_of(session.get('session_id'))}"
    error = session.get("error")
    if isinstance(error, Mapping):
        yield line_of(f"{error.get('class')}: {error.get('message')}")
    for call in session.get("tool_calls") or ():
        yield line_of(f"called {call.get('tool')} {document_text(call.get('args'))}")
    if not session.get("transcript") and session.get("family") != "rules":
        yield _NO_WORDS


def _words(session: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    kept = session.get("transcript")
    if isinstance(kept, Mapping):
        yield "read", str(kept.get("prompt") or "")
        yield "wrote", str(kept.get("output") or "nothing but its calls")

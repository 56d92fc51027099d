"""A large mail as its server describes it: its text parts, and the mail assembled from them (RFC 9051). Pure.

Invariants: bounded parts, depth and bytes to fetch, whatever the structure says; part numbers are the server's own. A
structure that cannot be understood counts as none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from typing import Any, Final, cast

__all__ = [
    "CALENDAR_BYTES",
    "HEADER_BYTES",
    "Node",
    "Outline",
    "assemble",
    "described_parts",
    "is_calendar",
    "leaves",
    "structure_of",
    "text_parts",
]

HEADER_BYTES: Final = 256 * 1024
TEXT_BYTES: Final = 1024 * 1024
HTML_BYTES: Final = 4 * 1024 * 1024
CALENDAR_BYTES: Final = 256 * 1024
"""The limit of an invitation; anything larger contains files, or is somebody's calendar."""
_ALL_BYTES: Final = 6 * 1024 * 1024
_PARTS_MAX: Final = 100
_DEPTH_MAX: Final = 20


@dataclass(frozen=True)
class Node:
    """A part: `kind` is its media type; `number` is empty for a part without a number of its own."""

    number: str
    kind: str
    octets: int = 0
    encoding: str = "7bit"
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """Yield itself and all parts within, in order."""
        yield self
        for child in self.children:
            yield from child.walk()


class Outline(Message):
    """A part with `octets` bytes at the server; its payload is empty, or the beginning."""

    octets = 0
    is_cut = False


def structure_of(body: Any) -> Node | None:
    """Parse a BODYSTRUCTURE from the IMAP library; None if it cannot be understood."""
    try:
        return _node(body, "", 0)
    except (TypeError, IndexError, ValueError, AttributeError, RecursionError):
        return None


def _node(body: Any, number: str, depth: int) -> Node:
    if depth > _DEPTH_MAX:
        raise ValueError("is nested too deeply")
    first = body[0]
    if isinstance(first, list | tuple):
        parts = first if isinstance(first, list) else [part for part in body if isinstance(part, tuple)]
        children = tuple(
            _node(part, f"{number}.{index}".lstrip("."), depth + 1)
            for index, part in enumerate(parts[:_PARTS_MAX], 1)
        )
        subtype = body[1] if isinstance(first, list) else body[len(parts)]
        return Node(number, f"multipart/{_word(subtype)}", children=children)
    kind = f"{_word(first)}/{_word(body[1])}"
    children = ()
    if kind == "message/rfc822" and len(body) > 8 and isinstance(body[8], list | tuple):
        whole = isinstance(body[8][0], list | tuple)
        children = (_node(body[8], number if whole else f"{number}.1".lstrip("."), depth + 1),)
    octets = body[6] if isinstance(body[6], int) else 0
    return Node(number or "1", kind, max(0, octets), _word(body[5] or b"7bit"), children)


def _word(value: Any) -> str:
    return bytes(value).decode("ascii", "replace").lower()


def described_parts(root: Node) -> list[str]:
    """Return what to fetch first: the header, and the heads of parts and of mails within."""
    wanted = [f"BODY.PEEK[HEADER]<0.{HEADER_BYTES}>"]
    for node in _numbered(root):
        if node is not root:
            wanted.append(f"BODY.PEEK[{node.number}.MIME]<0.{HEADER_BYTES}>")
        if node.kind == "message/rfc822":
            wanted.append(f"BODY.PEEK[{node.number}.HEADER]<0.{HEADER_BYTES}>")
    return wanted


def text_parts(root: Node, heads: Mapping[str, bytes]) -> list[str]:
    """Return what to fetch next: text parts that are no attachments, and invitations, while there is room."""
    return [f"BODY.PEEK[{number}]<0.{size}>" for number, size in _asked(root, heads).items()]


def _asked(root: Node, heads: Mapping[str, bytes]) -> dict[str, int]:
    """Return how many bytes to fetch, by part number."""
    wanted: dict[str, int] = {}
    room = _ALL_BYTES
    for node in _numbered(root):
        size = min(_most_of(node, heads), node.octets, room)
        if size > 0:
            wanted[node.number] = size
            room -= size
    return wanted


def _most_of(node: Node, heads: Mapping[str, bytes]) -> int:
    """Return how many bytes of a part to read at most; 0 for one that is kept as a file."""
    head = _parsed(heads.get(f"{node.number}.MIME", b""))
    if is_calendar(node.kind, head):
        # Base64 encodes three bytes as four letters.
        return CALENDAR_BYTES * 2 if node.octets <= CALENDAR_BYTES * 2 else 0
    if node.kind not in ("text/plain", "text/html") or _is_attachment(head):
        return 0
    return HTML_BYTES if node.kind == "text/html" else TEXT_BYTES


def is_calendar(kind: str, part: Message) -> bool:
    """Return whether a part is an invitation, or a calendar file."""
    if kind in ("text/calendar", "application/ics"):
        return True
    try:
        name = part.get_filename() if kind in ("application/octet-stream", "text/plain") else None
    except (LookupError, ValueError, TypeError, IndexError):
        return False
    return _is_attachment(part) and str(name or "").lower().endswith(".ics")


def assemble(root: Node, found: Mapping[str, bytes]) -> Outline:
    """Assemble the mail from what was fetched, by section name."""
    return _Assembly(found, _asked(root, found)).filled(_parsed(found.get("HEADER", b"")), root)


def leaves(mail: Outline) -> Iterator[tuple[int, bytes]]:
    """Yield the size at the server and the fetched bytes of every leaf part, in order.

    An invitation yields its size alone, as before it was read, so that the same mail has the same bytes.
    """
    for part in mail.walk():
        if isinstance(part, Outline) and not part.is_multipart():
            read = "" if is_calendar(part.get_content_type(), part) else str(part.get_payload())
            yield part.octets, read.encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class _Assembly:
    """What was fetched, and how much of each part was asked for."""

    found: Mapping[str, bytes]
    asked: Mapping[str, int]

    def filled(self, message: Outline, node: Node) -> Outline:
        message.octets = node.octets
        if node.kind == "message/rfc822":
            inner = _parsed(self.found.get(f"{node.number}.HEADER", b""))
            message.set_payload([self.filled(inner, child) for child in node.children])
        elif node.children:
            message.set_payload([self.filled(self._head(child), child) for child in node.children])
        else:
            content = self.found.get(node.number, b"")
            message.set_payload(content.decode("ascii", "surrogateescape"))
            # Some servers count a part's head among its octets, so a part is cut only if less was asked for.
            message.is_cut = node.octets > self.asked.get(node.number, node.octets) <= len(content)
        return message

    def _head(self, node: Node) -> Outline:
        head = _parsed(self.found.get(f"{node.number}.MIME", b""))
        if "content-type" not in head:
            head["Content-Type"] = node.kind
        return head


def _parsed(head: bytes) -> Outline:
    return cast(Outline, BytesParser(Outline, policy=compat32).parsebytes(head, headersonly=True))


def _numbered(root: Node) -> list[Node]:
    return [node for node in root.walk() if node.number and not node.kind.startswith("multipart/")][
        :_PARTS_MAX
    ]


def _is_attachment(part: Message) -> bool:
    return str(part.get("content-disposition") or "").strip().lower().startswith("attachment")

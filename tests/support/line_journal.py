"""An append-only file of lines that survives the death of its writer.

Invariant: after `read_lines` the file ends with a whole line, so that the next line appended is one as well.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["append_line", "read_lines"]


def append_line(path: Path, line: str) -> None:
    """Write one line and hand it to the operating system before returning."""
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def read_lines(path: Path) -> list[str]:
    """The whole lines; a torn last one (its writer was killed) is cut off the file."""
    if not path.exists():
        return []
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return whole.decode("utf-8").split("\n")[:-1]

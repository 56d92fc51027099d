"""Every relative link of the documents leads somewhere, and no file names a machine's paths or a registry's host."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`|^ {4,}.*$", re.MULTILINE)
GENERATED = {
    ".venv",
    ".butlers",
    "build",
    "dist",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
}
# Written in pieces, so that this file does not name what it looks for.
MACHINE_PATHS = re.compile(
    "(?<![A-Za-z0-9_.~-])/(?:" + "|".join(("work", "root", "home", "Users")) + ")/[A-Za-z0-9_.-]"
)
REGISTRY_HOSTS = re.compile(
    "|".join((r"py" + r"pi\.\w", r"python" + r"hosted\.\w", r"arti" + r"factory", r"index-url[= ]\S*//"))
)


@cache
def tracked() -> tuple[str, ...]:
    """The repository's files, those staged for the next commit included; of an exported tree, what is not generated."""
    if not (ROOT / ".git").exists():
        every = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
        return tuple(path.as_posix() for path in every if not GENERATED & set(path.parts))
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, timeout=30)
    return tuple(name for name in listing.stdout.decode().split("\0") if name and (ROOT / name).is_file())


def documents() -> list[Path]:
    return [ROOT / name for name in tracked() if name.endswith(".md")]


def prose(path: Path) -> str:
    return CODE.sub("", FENCED.sub("", path.read_text("utf-8")))


def anchors(path: Path) -> set[str]:
    """The fragments that a page's headings make, as GitHub makes them."""
    headings = re.findall(r"^#{1,6} +(.+?) *$", FENCED.sub("", path.read_text("utf-8")), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


def is_there(path: Path) -> bool:
    """Whether a fresh clone has the file, or something in the folder."""
    if not path.is_relative_to(ROOT):
        return False
    name = path.relative_to(ROOT).as_posix()
    return name == "." or any(file == name or file.startswith(f"{name}/") for file in tracked())


def broken(document: Path) -> list[str]:
    found = []
    for link in LINK.findall(prose(document)):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        target, _, fragment = link.partition("#")
        path = (document.parent / target).resolve() if target else document
        gone = not is_there(path) or (fragment and path.suffix == ".md" and fragment not in anchors(path))
        if gone:
            found.append(f"{document.relative_to(ROOT)}: {link}")
    return found


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for name in tracked():
        try:
            text = (ROOT / name).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{name}:{number}" for number, line in enumerate(text.splitlines(), 1) if pattern.search(line)
        ]
    return found


def test_every_relative_link_leads_to_a_file_of_the_repository():
    assert documents()
    assert [link for document in documents() for link in broken(document)] == []


def test_no_file_names_a_path_of_one_machine():
    assert lines_with(MACHINE_PATHS) == []


def test_no_file_names_the_host_of_a_package_registry():
    assert lines_with(REGISTRY_HOSTS) == []


def test_a_dead_link_would_be_found():
    page = ROOT / "docs" / "README.md"
    assert not is_there(page.parent / "no-such-page.md")
    assert not is_there(Path("/etc/hostname"))
    assert is_there(ROOT / "docs")
    assert LINK.findall("[a](b.md) ![picture](c.png) [d](e.md#f)") == ["b.md", "e.md#f"]

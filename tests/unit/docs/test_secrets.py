"""A Secret that a guide names is created and shared by commands of that page, or of a page that it links to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.documented import documented

ROOT = Path(__file__).parents[3]
PAGES = ("docs/guides/*.md", "docs/how-to/*.md", "docs/tutorial.md", "examples/**/*.md")
NAMED = re.compile(r"\b\w*[sS]ecretRef: \{name: (?P<name>[\w.-]+), key: (?P<key>[\w.-]+)\}")
LINK = re.compile(r"\]\((?P<target>[^)#\s]+\.md)")


@dataclass(frozen=True)
class Named:
    """One reference of a page: the Secret and the key that its manifest names."""

    page: str
    name: str
    key: str

    def __str__(self) -> str:
        return f"{self.page} {self.name}/{self.key}"


def pages() -> list[Path]:
    return sorted({path for pattern in PAGES for path in ROOT.glob(pattern)})


def references() -> list[Named]:
    found = {
        Named(path.relative_to(ROOT).as_posix(), match["name"], match["key"])
        for path in pages()
        for match in NAMED.finditer(path.read_text("utf-8"))
    }
    return sorted(found, key=str)


def within_reach(page: str) -> set[str]:
    """The page itself and those that it links to."""
    path = ROOT / page
    targets = (path.parent / match["target"] for match in LINK.finditer(path.read_text("utf-8")))
    inside = (target.resolve() for target in targets)
    return {page, *(found.relative_to(ROOT).as_posix() for found in inside if found.is_relative_to(ROOT))}


def created() -> set[Named]:
    """The keys that documented commands put into Secrets, by page."""
    found = set()
    for command in documented("kubectl"):
        words = command.shortest()
        if "create" not in words or words[words.index("create") + 1] != "secret":
            continue
        _, name, *rest = words[words.index("secret") + 1 :]
        files = (word.removeprefix("--from-file=") for word in rest if word.startswith("--from-file="))
        found |= {Named(command.page, name, file.partition("=")[0]) for file in files}
    return found


def shared() -> set[tuple[str, str]]:
    """The Secrets that documented commands label for the household, by page."""
    found = set()
    for command in documented("kubectl"):
        words = command.shortest()
        if "label" in words and "butlers.dev/usable-by=household" in words:
            names = words[words.index("label") + 2 :]
            found |= {(command.page, name) for name in names if "=" not in name}
    return found


@pytest.mark.parametrize("named", [pytest.param(each, id=str(each)) for each in references()])
def test_a_secret_of_a_guide_is_created_and_shared_by_its_commands(named: Named) -> None:
    reach = within_reach(named.page)
    assert any(Named(page, named.name, named.key) in created() for page in reach), "no command creates it"
    assert any((page, named.name) in shared() for page in reach), "no command shares it with the household"


def test_the_guides_name_secrets_of_models_calendars_tools_and_files() -> None:
    assert {named.name for named in references()} >= {
        "model",
        "calendar",
        "lamps",
        "files",
        "webhook",
        "mail-account",
    }

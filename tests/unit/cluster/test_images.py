"""An image holds every package of this project that its programs import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from images.build import STILL_S, still_at_it
from images.catalogue import IMAGES, ROOT, SOURCES

OWN = "butler_"


def imported_by(package: str) -> Iterator[tuple[str, str]]:
    """Packages of this project that a package's files import, and where."""
    (folder,) = [ROOT / source / package for source in SOURCES if (ROOT / source / package).is_dir()]
    for file in sorted(folder.rglob("*.py")):
        for name in names_in(file):
            top = name.partition(".")[0]
            if top.startswith(OWN):
                yield top, str(file.relative_to(ROOT))


def names_in(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""


@pytest.mark.parametrize("image", [name for name, image in IMAGES.items() if image.packages])
def test_an_image_holds_what_its_packages_import(image: str) -> None:
    packages = set(IMAGES[image].packages)
    absent = {
        (name, file) for package in packages for name, file in imported_by(package) if name not in packages
    }
    assert absent == set()


def test_a_build_that_takes_long_says_so_now_and_then_and_is_silent_afterwards(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = ""
    with still_at_it("image butlers", every_s=0.01):
        while "image butlers: still at it after 0 s" not in told:
            told += capsys.readouterr().out
    capsys.readouterr()
    with still_at_it("image quick", every_s=60):
        pass
    assert capsys.readouterr().out == ""
    assert STILL_S <= 15

"""An image holds every package of this project that its programs import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from butler_kit.runtime.commandline import COMMAND_LINES
from images import context as contexts
from images.build import STILL_S, still_at_it
from images.catalogue import IMAGES, ROOT, SOURCES
from images.context import fill, inputs_of
from images.programs import BuildFailed

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


COMMAND_LINE_IMAGES = [name for name, image in IMAGES.items() if image.command_line]


def test_each_command_line_has_an_image_that_is_built_only_when_asked_for() -> None:
    assert {IMAGES[name].option: name for name in COMMAND_LINE_IMAGES} == {
        family: f"butlers-{family}" for family in COMMAND_LINES
    }
    assert {line.program for line in COMMAND_LINES.values()} == {
        image.command_line.program for image in IMAGES.values() if image.command_line
    }


@pytest.mark.parametrize("name", COMMAND_LINE_IMAGES)
def test_an_image_with_a_command_line_has_the_installed_program_and_what_npm_says_of_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contexts, "COMMAND_LINES", tmp_path / "installed")
    image = IMAGES[name]
    assert image.command_line is not None
    program, package = image.command_line.program, image.command_line.package
    with pytest.raises(BuildFailed, match=f"{program} is not installed here: make command-lines"):
        inputs_of(name, image, "buildah")
    described = tmp_path / "installed" / "node_modules" / package / "package.json"
    for file, text in ((described, "{}"), (tmp_path / "program", "first")):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "program").chmod(0o755)
    (tmp_path / "installed" / "bin").mkdir()
    (tmp_path / "installed" / "bin" / program).symlink_to(tmp_path / "program")
    before = inputs_of(name, image, "buildah")
    fill(tmp_path / "context", name, image)
    copied = tmp_path / "context" / "programs" / program
    assert (copied.read_text(), copied.is_symlink(), copied.stat().st_mode & 0o777) == ("first", False, 0o755)
    assert (tmp_path / "context" / "node_modules" / package / "package.json").read_text() == "{}"
    assert (tmp_path / "context" / "Containerfile").is_file()
    (tmp_path / "program").write_text("second")
    assert inputs_of(name, image, "buildah") != before

"""What goes into an image: laid out for its Containerfile, and identified by a hash."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from images.catalogue import (
    BASES,
    CACHE,
    COMMAND_LINES,
    IMAGES,
    NOT_RUN,
    ROOT,
    SOURCES,
    CommandLine,
    Image,
)
from images.programs import BuildFailed, run

PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")


def inputs_of(name: str, image: Image, engine: str) -> str:
    """Return a hash of everything that goes into the image."""
    below = inputs_of(image.base, IMAGES[image.base], engine) if image.base in IMAGES else BASES[image.base]
    digest = hashlib.sha256(f"{engine} {image} {below} {NOT_RUN}".encode())
    for file in _foreign(image):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    files = [*_files(ROOT / "images" / (image.recipe or name))]
    if image.lock:
        files.append(ROOT / "requirements" / f"{image.lock}.txt")
    if image.packages:
        files += [ROOT / "pyproject.toml", *_packages(image)]
    for folder in image.folders:
        files += _files(ROOT / folder)
    for path in files:
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _foreign(image: Image) -> list[Path]:
    """Return the files that are not the project's."""
    found = [CACHE / "bin" / program for program in image.programs]
    if image.command_line:
        found += [_program(image.command_line), _described(image.command_line)]
    return found


def _program(line: CommandLine) -> Path:
    found = COMMAND_LINES / "bin" / line.program
    if not found.exists():
        raise BuildFailed(f"{line.program} is not installed here: make command-lines gets it from npm")
    return found


def _described(line: CommandLine) -> Path:
    """Return npm's description: name, version, licence."""
    return COMMAND_LINES / "node_modules" / line.package / "package.json"


def _packages(image: Image) -> Iterator[Path]:
    for folder in SOURCES:
        for package in image.packages:
            yield from _files(ROOT / folder / package)


def _files(folder: Path) -> list[Path]:
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sorted(found)


def fill(context: Path, name: str, image: Image) -> None:
    """Lay out what the Containerfile copies."""
    shutil.rmtree(context, ignore_errors=True)
    shutil.copytree(ROOT / "images" / (image.recipe or name), context)
    if image.lock:
        shutil.copytree(_dependencies(image.lock, image.from_source), context / "dependencies")
        _move(context, image)
        (context / "application").mkdir()
    if image.packages:
        _install_wheel(context / "application", image.packages)
    for folder in image.folders:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, context / "application" / folder, ignore=ignore)
    for program in image.programs:
        shutil.copy(CACHE / "bin" / program, context / program)
    if image.command_line:
        _copy_command_line(context, image.command_line)
    for path in context.rglob("*"):
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


def _copy_command_line(context: Path, line: CommandLine) -> None:
    """Copy the program, and what lists of contents look for."""
    described = context / "node_modules" / line.package
    for folder in (context / "programs", described):
        folder.mkdir(parents=True)
    shutil.copy(_program(line), context / "programs" / line.program)
    shutil.copy(_described(line), described)


def _move(context: Path, image: Image) -> None:
    """Move some of the dependencies; the image's .dockerignore names what is not used there."""
    for source, target in image.moved:
        for path in sorted((context / "dependencies" / source).iterdir()):
            (context / target).mkdir(parents=True, exist_ok=True)
            path.rename(context / target / path.name)
        (context / "dependencies" / source).rmdir()


def _dependencies(lock: str, from_source: tuple[str, ...] = ()) -> Path:
    """Return the packages of a lock file, installed once and cached; pip checks every file against its hash."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_bytes()
    place = CACHE / "dependencies" / f"{lock}-{hashlib.sha256(text).hexdigest()[:16]}"
    if place.exists():
        return place
    print(f"fetching the packages of requirements/{lock}.txt (once)", flush=True)
    fresh = place.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    platforms = [part for platform in PLATFORMS for part in ("--platform", platform)]
    run(
        sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile",
        "--require-hashes", "--only-binary=:all:", *(f"--no-binary={name}" for name in from_source),
        "--python-version", "3.11", *platforms,
        "--target", str(fresh), "-r", str(ROOT / "requirements" / f"{lock}.txt"),
    )  # fmt: skip
    for waste in (*fresh.glob("bin"), *fresh.glob("*/tests"), *fresh.glob("kubernetes/docs")):
        shutil.rmtree(waste)
    for other in place.parent.glob(f"{lock}-*"):
        if other != fresh:
            shutil.rmtree(other)
    fresh.rename(place)
    return place


def _install_wheel(target: Path, packages: Iterable[str]) -> None:
    """Install the project's one wheel without the packages that this image does not run."""
    wheels = CACHE / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(ROOT))
    wheel = next(wheels.glob("butlers-*.whl"))
    run(*pip, "install", "--no-deps", "--no-compile", "--target", str(target), str(wheel))
    for path in target.iterdir():
        if path.name == "bin" or (path.name.startswith("butler_") and path.name not in set(packages)):
            shutil.rmtree(path)

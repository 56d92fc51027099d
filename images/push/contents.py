"""What is really in an image: the metadata of its packages, read from the layers that images/build.py keeps.

Layers are merged as a container engine does it, with their whiteouts. Python packages are found by their `.dist-info`,
Debian's by dpkg's status and by `status.d` (packages that were only unpacked), npm's by `package.json`. Jars, and
programs that belong to no Debian package, are files with their hashes.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesParser
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from images.push.refused import Refused

__all__ = ["Contents", "DebianPackage", "Distribution", "LooseFile", "NpmPackage", "found_in", "read_archive"]

STATUS = "var/lib/dpkg/status"
MODULES = PurePosixPath("usr/local/lib/node_modules")
PROGRAMS = ("usr/bin", "usr/sbin", "usr/local/bin")
DEP5 = "Format:"
LONGEST_LICENCE = 100
"""A longer `License:` is a licence's text, not its name."""


@dataclass(frozen=True)
class Distribution:
    """An installed Python package."""

    name: str
    version: str
    licences: tuple[str, ...]
    """As stated in its metadata; an SPDX expression is the only entry."""
    record_sha256: str
    """Of RECORD, which has the hash of each of its files."""
    place: str


@dataclass(frozen=True)
class DebianPackage:
    name: str
    version: str
    architecture: str
    licences: tuple[str, ...]
    """The names in its machine-readable copyright file; none if that is prose."""


@dataclass(frozen=True)
class NpmPackage:
    name: str
    """With its scope: `@openai/codex`."""
    version: str
    licences: tuple[str, ...]
    place: str


@dataclass(frozen=True)
class LooseFile:
    """A jar, or a program that belongs to no Debian package."""

    place: str
    sha256: str


@dataclass(frozen=True)
class Contents:
    """All contents of an image, in order of name."""

    layers: tuple[str, ...]
    """The digests of its uncompressed layers: the same in each registry."""
    architecture: str
    created: str
    distributions: tuple[Distribution, ...]
    debian: tuple[DebianPackage, ...]
    npm: tuple[NpmPackage, ...]
    files: tuple[LooseFile, ...]


def read_archive(archive: Path) -> Contents:
    """Read an archive in the format of `docker save` with one image in it."""
    try:
        with tarfile.open(archive) as outer:
            (manifest,) = json.loads(_member(outer, "manifest.json").read())
            config = json.loads(_member(outer, manifest["Config"]).read())
            tree: dict[str, bytes] = {}
            for layer in manifest["Layers"]:
                with tarfile.open(fileobj=_member(outer, layer)) as inner:
                    _lay_over(tree, inner)
    except (OSError, tarfile.TarError, KeyError, ValueError) as error:
        raise Refused(f"image archive {archive.name} cannot be read: {error}") from None
    return found_in(tree, config)


def found_in(tree: Mapping[str, bytes], config: Mapping[str, Any]) -> Contents:
    """Return the contents, from what was kept of the layers. Pure."""
    return Contents(
        layers=tuple(config["rootfs"]["diff_ids"]),
        architecture=str(config.get("architecture", "")),
        created=str(config.get("created") or "1970-01-01T00:00:00Z"),
        distributions=tuple(sorted(_distributions(tree), key=lambda one: (one.name.lower(), one.place))),
        debian=tuple(sorted(_debian(tree), key=lambda one: (one.name, one.architecture))),
        npm=tuple(sorted(_npm(tree), key=lambda one: one.place)),
        files=tuple(sorted(_files(tree), key=lambda one: one.place)),
    )


def _member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    found = archive.extractfile(name)
    if found is None:
        raise KeyError(f"{name} is no file")
    return found


def _lay_over(tree: dict[str, bytes], layer: tarfile.TarFile) -> None:
    """Merge a layer: its whiteouts hide what is below it, never its own files."""
    fresh: dict[str, bytes] = {}
    for entry in layer:
        path = PurePosixPath(entry.name.lstrip("/"))
        if path.name == ".wh..wh..opq":
            _drop(tree, f"{path.parent}/")
        elif path.name.startswith(".wh."):
            hidden = str(path.with_name(path.name.removeprefix(".wh.")))
            tree.pop(hidden, None)
            _drop(tree, f"{hidden}/")
        elif _is_told(path):
            tree.pop(str(path), None)
            fresh |= _kept(layer, entry, path)
    tree |= fresh


def _drop(tree: dict[str, bytes], below: str) -> None:
    for path in [path for path in tree if path.startswith(below)]:
        del tree[path]


def _is_told(path: PurePosixPath) -> bool:
    parent = str(path.parent)
    return (
        (path.parent.suffix == ".dist-info" and path.name in ("METADATA", "RECORD"))
        or str(path) == STATUS
        or parent == f"{STATUS}.d"
        or (parent == "var/lib/dpkg/info" and path.suffix == ".list")
        or (parent.startswith("usr/share/doc") and (path.name == "copyright" or parent == "usr/share/doc"))
        or path.suffix == ".jar"
        or parent in PROGRAMS
        or _is_npm(path)
    )


def _is_npm(path: PurePosixPath) -> bool:
    """Tell whether it describes an installed package, not one of its parts."""
    parts = path.parts[len(MODULES.parts) : -1]
    scoped = bool(parts) and parts[0].startswith("@")
    return path.is_relative_to(MODULES) and path.name == "package.json" and len(parts) == (2 if scoped else 1)


def _kept(layer: tarfile.TarFile, entry: tarfile.TarInfo, path: PurePosixPath) -> dict[str, bytes]:
    """Return text as it is, programs and jars as hashes, links as targets."""
    if entry.issym():
        return {str(path): entry.linkname.encode()} if str(path.parent) == "usr/share/doc" else {}
    content = layer.extractfile(entry) if entry.isfile() else None
    if content is None:
        return {}
    if path.suffix == ".jar" or str(path.parent) in PROGRAMS:
        return {str(path): hashlib.file_digest(cast(BufferedReader, content), "sha256").hexdigest().encode()}
    return {str(path): content.read()}


def _distributions(tree: Mapping[str, bytes]) -> Iterator[Distribution]:
    for path, content in tree.items():
        if path.endswith(".dist-info/METADATA"):
            metadata = BytesParser().parsebytes(content, headersonly=True)
            place = str(PurePosixPath(path).parent)
            record = tree.get(f"{place}/RECORD", b"")
            yield Distribution(
                str(metadata["Name"]), str(metadata["Version"]), _licences(metadata),
                hashlib.sha256(record).hexdigest() if record else "", place,
            )  # fmt: skip


def _licences(metadata: Message) -> tuple[str, ...]:
    """Return the expression alone, else a name, else the classifiers."""
    if expression := metadata["License-Expression"]:
        return (str(expression),)
    stated = str(metadata["License"] or "").strip()
    if stated and len(stated) <= LONGEST_LICENCE and "\n" not in stated:
        return (stated,)
    classified = [str(one).split(" :: ") for one in metadata.get_all("Classifier") or ()]
    return tuple(parts[-1] for parts in classified if parts[0] == "License" and len(parts) > 1)


def _debian(tree: Mapping[str, bytes]) -> Iterator[DebianPackage]:
    for path, content in tree.items():
        if path == STATUS or path.startswith(f"{STATUS}.d/"):
            for paragraph in content.decode("utf-8", "replace").split("\n\n"):
                fields = _fields(paragraph)
                if fields.get("Package") and fields.get("Status", "installed").endswith("installed"):
                    licences = tuple(_debian_licences(tree, fields["Package"]))
                    yield DebianPackage(
                        fields["Package"], fields["Version"], fields["Architecture"], licences
                    )


def _fields(paragraph: str) -> dict[str, str]:
    pairs = (line.partition(": ") for line in paragraph.splitlines() if line[:1].strip())
    return {key: value.strip() for key, _, value in pairs}


def _debian_licences(tree: Mapping[str, bytes], package: str) -> list[str]:
    folder = tree.get(f"usr/share/doc/{package}", package.encode()).decode().rpartition("/")[2]
    text = tree.get(f"usr/share/doc/{folder}/copyright", b"").decode("utf-8", "replace")
    if not text.startswith(DEP5):
        return []
    names = (
        line.removeprefix("License:").strip() for line in text.splitlines() if line.startswith("License:")
    )
    return sorted({name for name in names if name})


def _npm(tree: Mapping[str, bytes]) -> Iterator[NpmPackage]:
    for path, content in tree.items():
        if _is_npm(PurePosixPath(path)):
            told = json.loads(content)
            licence = told.get("license")
            yield NpmPackage(
                str(told["name"]), str(told["version"]), (licence,) if isinstance(licence, str) else (),
                str(PurePosixPath(path).parent),
            )  # fmt: skip


def _files(tree: Mapping[str, bytes]) -> Iterator[LooseFile]:
    owned = set(_owned(content for path, content in tree.items() if path.endswith(".list")))
    for path, content in tree.items():
        parent = str(PurePosixPath(path).parent)
        if path.endswith(".jar") or (parent in PROGRAMS and path.removeprefix("usr/") not in owned):
            yield LooseFile(path, content.decode())


def _owned(lists: Iterable[bytes]) -> Iterator[str]:
    """Yield the files of Debian's packages; /bin and /usr/bin are one place."""
    for content in lists:
        for line in content.decode("utf-8", "replace").splitlines():
            yield line.lstrip("/").removeprefix("usr/")

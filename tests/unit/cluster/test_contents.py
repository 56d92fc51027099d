"""The list of what is in an image is made from its layers, and no Python package in ours is under the GPL."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from images.catalogue import IMAGES, ROOT
from images.push.bill import bill_of
from images.push.contents import Contents, DebianPackage, LooseFile, read_archive
from images.push.refused import Refused
from images.push.written import Pushed
from tests.unit.docs.test_dependencies import PIN, is_gpl

IMAGE = Pushed("butlers", "reg.example/house/butlers", "1.0", "sha256:" + "a" * 64, "")
METADATA = (
    b"Metadata-Version: 2.4\nName: Tea-Pot\nVersion: 1.2\nLicense-Expression: MIT OR Apache-2.0\n\nText.\n"
)
STATUS = b"Package: libtea\nStatus: install ok installed\nVersion: 1:2.0-1\nArchitecture: amd64\n"
GONE = b"\nPackage: gone\nStatus: deinstall ok config-files\nVersion: 1\nArchitecture: all\n"
COPYRIGHT = b"Format: https://\n\nFiles: *\nLicense: LGPL-2.1+\n text\n\nFiles: b\nLicense: MIT\n"


def tarred(files: Mapping[str, bytes | str]) -> bytes:
    """A layer; a value of text is a link's target."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            if isinstance(content, str):
                entry.type, entry.linkname = tarfile.SYMTYPE, content
                archive.addfile(entry)
            else:
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def archived(folder: Path, *layers: Mapping[str, bytes | str]) -> Path:
    files: dict[str, bytes | str] = {f"{number}.tar": tarred(one) for number, one in enumerate(layers)}
    digests = [f"sha256:{hashlib.sha256(one).hexdigest()}" for one in map(tarred, layers)]
    config = {
        "architecture": "amd64",
        "created": "2026-01-02T03:04:05.123456789Z",
        "rootfs": {"diff_ids": digests},
    }
    manifest = [{"Config": "config.json", "Layers": list(files)}]
    files |= {"config.json": json.dumps(config).encode(), "manifest.json": json.dumps(manifest).encode()}
    (folder / "image.tar").write_bytes(tarred(files))
    return folder / "image.tar"


def place(name: str) -> str:
    return f"opt/butlers/{name}.dist-info"


def test_python_packages_are_named_with_version_licence_and_the_hash_of_their_record(tmp_path: Path) -> None:
    found = read_archive(
        archived(
            tmp_path,
            {f"{place('tea_pot-1.2')}/METADATA": METADATA, f"{place('tea_pot-1.2')}/RECORD": b"a,b,1\n"},
        )
    )
    (part,) = json.loads(bill_of(found, IMAGE))["components"]
    assert (part["name"], part["version"], part["purl"]) == ("Tea-Pot", "1.2", "pkg:pypi/tea-pot@1.2")
    assert part["licenses"] == [{"expression": "MIT OR Apache-2.0"}]
    assert part["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(b"a,b,1\n").hexdigest()}]


@pytest.mark.parametrize(
    "hiding",
    [
        {f"opt/butlers/.wh.{'tea_pot-1.2.dist-info'}": b""},
        {f"{place('tea_pot-1.2')}/.wh..wh..opq": b""},
        {f"{place('tea_pot-1.2')}/.wh.METADATA": b""},
    ],
)
def test_what_a_later_layer_hides_is_not_in_the_image(tmp_path: Path, hiding: dict[str, bytes | str]) -> None:
    below = {f"{place('tea_pot-1.2')}/METADATA": METADATA}
    assert len(read_archive(archived(tmp_path, below)).distributions) == 1
    assert read_archive(archived(tmp_path, below, hiding)).distributions == ()


def test_debian_packages_are_those_installed_and_those_only_unpacked(tmp_path: Path) -> None:
    unpacked = b"Package: server\nVersion: 15.1\nArchitecture: amd64\n"
    layer: dict[str, bytes | str] = {
        "var/lib/dpkg/status": STATUS + GONE,
        "var/lib/dpkg/status.d/server": unpacked,
        "usr/share/doc/tea-common/copyright": COPYRIGHT,
        "usr/share/doc/libtea": "tea-common",
    }
    found = read_archive(archived(tmp_path, layer))
    assert found.debian == (
        DebianPackage("libtea", "1:2.0-1", "amd64", ("LGPL-2.1+", "MIT")),
        DebianPackage("server", "15.1", "amd64", ()),
    )
    parts = json.loads(bill_of(found, IMAGE))["components"]
    assert [part["purl"] for part in parts] == [
        "pkg:deb/debian/libtea@1:2.0-1?arch=amd64&distro=debian-12",
        "pkg:deb/debian/server@15.1?arch=amd64&distro=debian-12",
    ]


def test_jars_and_programs_that_no_package_brought_are_files_with_their_hash(tmp_path: Path) -> None:
    layer: dict[str, bytes | str] = {
        "var/lib/dpkg/info/bash.list": b"/.\n/bin\n/bin/bash\n/usr/bin/bashbug\n",
        "usr/bin/bash": b"bash", "usr/bin/bashbug": b"bug", "usr/bin/python": "python3",
        "usr/bin/spark-operator": b"go", "opt/spark/lib/a.jar": b"jar",
    }  # fmt: skip
    assert read_archive(archived(tmp_path, layer)).files == (
        LooseFile("opt/spark/lib/a.jar", hashlib.sha256(b"jar").hexdigest()),
        LooseFile("usr/bin/spark-operator", hashlib.sha256(b"go").hexdigest()),
    )


def test_the_npm_package_of_a_command_line_is_named_and_its_own_parts_are_not(tmp_path: Path) -> None:
    modules = "usr/local/lib/node_modules"
    told = b'{"name": "@tea/pot", "version": "1.2.0-linux-x64", "license": "MIT"}'
    layer: dict[str, bytes | str] = {
        f"{modules}/@tea/pot-linux-x64/package.json": told,
        f"{modules}/@tea/pot-linux-x64/lib/package.json": b'{"name": "part"}',
        f"{modules}/cup/package.json": b'{"name": "cup", "version": "3", "license": {"type": "old"}}',
        "usr/local/bin/pot": b"program",
    }
    found = read_archive(archived(tmp_path, layer))
    parts = {part["name"]: part for part in json.loads(bill_of(found, IMAGE))["components"]}
    pot, cup = parts["@tea/pot"], parts["cup"]
    assert (pot["version"], pot["purl"]) == ("1.2.0-linux-x64", "pkg:npm/%40tea/pot@1.2.0-linux-x64")
    assert pot["licenses"] == [{"license": {"id": "MIT"}}]
    assert (cup["purl"], cup.get("licenses")) == ("pkg:npm/cup@3", None)
    assert set(parts) == {"@tea/pot", "cup", "usr/local/bin/pot"}


def test_an_archive_that_is_none_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "image.tar").write_bytes(b"not a tar")
    with pytest.raises(Refused, match=r"image archive image\.tar cannot be read"):
        read_archive(tmp_path / "image.tar")


def installed(lock: str, folder: Path) -> Contents:
    """What the packages of a lock would leave in an image, by what they left on this machine."""
    layer: dict[str, bytes | str] = {}
    for name, _ in PIN.findall((ROOT / "requirements" / f"{lock}.txt").read_text("utf-8")):
        found = metadata.distribution(name)
        for file in ("METADATA", "RECORD"):
            layer[f"{place(name)}/{file}"] = (found.read_text(file) or "").encode()
    return read_archive(archived(folder, layer))


@pytest.mark.parametrize("lock", sorted({image.lock for image in IMAGES.values() if image.lock}))
def test_our_images_lists_are_valid_and_name_no_python_package_under_the_gpl(
    lock: str, tmp_path: Path
) -> None:
    found = installed(lock, tmp_path)
    assert found.distributions
    gpl = [one.name for one in found.distributions if any(map(is_gpl, one.licences))]
    assert not gpl, f"choose another package than {gpl}"
    text = bill_of(found, IMAGE)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert bill_of(found, IMAGE) == text, "the same image has another list now"

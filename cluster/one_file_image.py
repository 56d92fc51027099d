"""Make a container image of one static binary, without a container engine: one_file_image.py BINARY NAME ARCHIVE.

The archive is what `docker save` writes, which containerd imports by name. Same binary, same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import tarfile
from pathlib import Path

NOBODY = 65532


def layer_of(binary: Path) -> bytes:
    """A tar with the binary in its root."""
    content = binary.read_bytes()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo(binary.name)
        entry.size, entry.mode = len(content), 0o755
        archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def config_of(binary: Path, layer: bytes) -> bytes:
    """Return the image's configuration: entrypoint and user."""
    return json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {"Entrypoint": [f"/{binary.name}"], "User": f"{NOBODY}:{NOBODY}"},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        }
    ).encode()


def write_image(binary: Path, name: str, archive: Path) -> None:
    """Write the archive whole or not at all."""
    layer = layer_of(binary)
    config = config_of(binary, layer)
    config_name = f"{hashlib.sha256(config).hexdigest()}.json"
    manifest = json.dumps([{"Config": config_name, "RepoTags": [name], "Layers": ["layer.tar"]}]).encode()
    fresh = archive.with_name(f"{archive.name}.new")
    with tarfile.open(fresh, mode="w") as out:
        for member, content in ((config_name, config), ("layer.tar", layer), ("manifest.json", manifest)):
            entry = tarfile.TarInfo(member)
            entry.size = len(content)
            out.addfile(entry, io.BytesIO(content))
    os.replace(fresh, archive)


if __name__ == "__main__":
    write_image(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))

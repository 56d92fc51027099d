"""Push the images in buildah's store, as images/build.py left them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from images.catalogue import ARCHIVES, local_name
from images.engines import buildah_store
from images.push.programs import run
from images.push.refused import Refused, why
from images.push.registry import Registry
from images.push.written import Pushed

__all__ = ["content_tag", "must_be_built", "push_image", "uploads"]

UPLOAD = re.compile(r'msg="POST \S+/blobs/uploads/"')


def must_be_built(names: Iterable[str]) -> None:
    """Raise `Refused` for a missing image before anything is pushed."""
    for name in names:
        if not run("buildah", *buildah_store(), "images", "--quiet", local_name(name)).stdout.strip():
            raise Refused(f"image {name} is not in buildah's store; python -m images.build {name} builds it")


def content_tag(name: str) -> str:
    """Return the tag that identifies what the image was made of: it never moves."""
    try:
        return (ARCHIVES / f"{name}.tag").read_text().strip()
    except FileNotFoundError:
        raise Refused(f"image {name} was not built by images.build; give it a name: TAG=…") from None


def push_image(name: str, tag: str, registry: Registry) -> Pushed:
    """Push one; what the registry already has is not sent again."""
    reference = f"{registry.address}/{name}"
    with tempfile.TemporaryDirectory() as folder:
        digest = Path(folder) / "digest"
        # Only its log shows what it sent; --quiet and the plain output are the same for nothing and for everything.
        done = run(
            "buildah", *buildah_store(), "--log-level", "debug", "push", "--format", "oci",
            f"--tls-verify={str(not registry.plain_http).lower()}", "--digestfile", str(digest),
            local_name(name), f"docker://{reference}:{tag}",
        )  # fmt: skip
        if done.returncode:
            raise Refused(f"{name} was not pushed: {why(registry.host, done.stderr)}")
        return Pushed(name, reference, tag, digest.read_text().strip(), uploads(done.stderr))


def uploads(log: str) -> str:
    """Return what buildah sent, by its log; empty for nothing."""
    count = len(UPLOAD.findall(log))
    return f"{count} blob{'' if count == 1 else 's'}" if count else ""

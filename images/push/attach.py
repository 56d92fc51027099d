"""Attach SBOMs to pushed images, and signatures to images and charts. What is there already stays."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from images.catalogue import ARCHIVES
from images.push.artifacts import (
    EMPTY,
    INDEX,
    SignedPayload,
    attached_bill,
    bills_in,
    digest_of,
    parsed,
    referrers_tag,
    signature_config,
    signature_tag,
    signatures,
    signed_payloads,
    with_referrer,
)
from images.push.bill import bill_of
from images.push.contents import read_archive
from images.push.refused import Refused
from images.push.registry import Registry
from images.push.repository import Repository, opened
from images.push.signing import claimed_digest, is_by, payload, sign
from images.push.written import Attached, Pushed

__all__ = ["attach_bill", "sign_all"]


def attach_bill(image: Pushed, registry: Registry, archives: Path = ARCHIVES) -> Attached:
    """Make the SBOM from the layers that were pushed, and attach it."""
    with opened(registry, image.reference, push=True) as repository:
        subject = repository.manifest(image.digest)
        if subject is None:
            raise Refused(f"{image.pinned} is not in the registry")
        contents = read_archive(archives / f"{image.name}.tar")
        if contents.layers != _layers(repository, subject):
            raise Refused(
                f"the archive of image {image.name} has other layers; python -m images.build makes it anew"
            )
        text = bill_of(contents, image)
        manifest = attached_bill(subject, text.encode(), f"{image.name}.cdx.json")
        tag, uploaded = _attach(repository, image.digest, text.encode(), manifest)
        return Attached(image.reference, digest_of(manifest), tag, text, uploaded)


def _layers(repository: Repository, manifest: bytes) -> tuple[str, ...]:
    """Return the uncompressed layers of an image, as its configuration in the registry names them."""
    config = repository.blob(str(parsed(manifest, "the image's manifest")["config"]["digest"]))
    return tuple(json.loads(config or EMPTY).get("rootfs", {}).get("diff_ids", ()))


def _attach(repository: Repository, subject: str, content: bytes, manifest: bytes) -> tuple[str, bool]:
    """Upload it; return the tag of the index, if one was needed, and whether anything was sent."""
    digest, tag = digest_of(manifest), referrers_tag(subject)
    index = repository.manifest(tag)
    if repository.manifest(digest) is not None:
        if digest in bills_in(index):
            return tag, False
        if digest in bills_in(repository.referrers(subject)):
            return "", False
    repository.put_blob(EMPTY)
    repository.put_blob(content)
    if "OCI-Subject" in repository.put_manifest(digest, manifest):
        return "", True
    repository.put_manifest(tag, with_referrer(index, manifest), INDEX)
    return tag, True


def sign_all(
    pinned: Iterable[tuple[str, str]], registry: Registry, key: EllipticCurvePrivateKey
) -> list[Attached]:
    """Sign each digest in its repository, once."""
    signed = []
    for reference, digest in pinned:
        with opened(registry, reference, push=True) as repository:
            signed.append(_sign(repository, reference.removeprefix("oci://"), digest, key))
    return signed


def _sign(repository: Repository, reference: str, digest: str, key: EllipticCurvePrivateKey) -> Attached:
    tag = signature_tag(digest)
    there = repository.manifest(tag)
    others = signed_payloads(there) if there else []
    for one in others:
        text = repository.blob(one.digest)
        if text and claimed_digest(text) == digest and is_by(key.public_key(), text, one.signature):
            return Attached(reference, digest_of(there or b""), tag)
    text = payload(reference, digest)
    every = [*others, SignedPayload(digest_of(text), len(text), sign(key, text))]
    manifest = signatures(every)
    repository.put_blob(text)
    repository.put_blob(signature_config(one.digest for one in every))
    repository.put_manifest(tag, manifest)
    return Attached(reference, digest_of(manifest), tag, uploaded=True)

"""The manifests of what is attached to an image or chart: SBOMs and signatures, byte for byte. Pure.

An SBOM names its image as `subject` (OCI 1.1); a registry that does not list such referrers gets them in an index under
the fallback tag of the specification. A signature is where cosign looks for it, under `sha256-….sig`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from images.push.refused import Refused

__all__ = [
    "BILL", "EMPTY", "INDEX", "MANIFEST", "SIGNATURE", "SignedPayload", "attached_bill", "bills_in", "digest_of",
    "parsed", "referrers_tag", "signature_config", "signature_tag", "signatures", "signed_payloads", "with_referrer",
]  # fmt: skip

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
BILL = "application/vnd.cyclonedx+json"
PAYLOAD = "application/vnd.dev.cosign.simplesigning.v1+json"
SIGNATURE = "dev.cosignproject.cosign/signature"
EMPTY = b"{}"
"""The configuration of an artifact that has none."""
NEVER = "0001-01-01T00:00:00Z"


@dataclass(frozen=True)
class SignedPayload:
    """One signature: the digest of the signed text, and the signature over it."""

    digest: str
    size: int
    signature: str


def digest_of(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def signature_tag(digest: str) -> str:
    return f"{referrers_tag(digest)}.sig"


def referrers_tag(digest: str) -> str:
    return digest.replace(":", "-", 1)


def parsed(content: bytes, what: str) -> dict[str, Any]:
    """Parse a manifest of unknown origin; raise `Refused` if it is none."""
    try:
        found = json.loads(content)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Refused(f"{what} is no manifest")
    return found


def attached_bill(subject: bytes, content: bytes, title: str) -> bytes:
    """Return the manifest of an SBOM; `subject` is the manifest of its image."""
    kind = parsed(subject, "the image's manifest").get("mediaType") or MANIFEST
    return _bytes(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "artifactType": BILL,
            "config": _descriptor("application/vnd.oci.empty.v1+json", EMPTY),
            "layers": [
                _descriptor(BILL, content) | {"annotations": {"org.opencontainers.image.title": title}}
            ],
            "subject": _descriptor(str(kind), subject),
        }
    )


def with_referrer(index: bytes | None, manifest: bytes) -> bytes:
    """Return the index of an image's referrers with one more; what others attached stays."""
    mine = _descriptor(MANIFEST, manifest) | {"artifactType": BILL}
    known = parsed(index, "the index of referrers").get("manifests", []) if index else []
    kept = [one for one in known if one.get("digest") != mine["digest"]]
    return _bytes({"schemaVersion": 2, "mediaType": INDEX, "manifests": [*kept, mine]})


def bills_in(index: bytes | None) -> list[str]:
    """Return the digests of the SBOMs in such an index."""
    known = parsed(index, "the index of referrers").get("manifests", []) if index else []
    return [str(one.get("digest")) for one in known if one.get("artifactType") == BILL]


def signatures(signed: Iterable[SignedPayload]) -> bytes:
    """Return the manifest of all signatures of one digest, in cosign's format."""
    layers = [
        {
            "mediaType": PAYLOAD,
            "size": one.size,
            "digest": one.digest,
            "annotations": {SIGNATURE: one.signature},
        }
        for one in signed
    ]
    config = _descriptor(CONFIG, signature_config(layer["digest"] for layer in layers))
    return _bytes({"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers})


def signature_config(digests: Iterable[Any]) -> bytes:
    """Return the configuration that such a manifest names."""
    layers = list(digests)
    history = [{"created": NEVER} for _ in layers]
    files = {"type": "layers", "diff_ids": layers}
    return _bytes(
        {"architecture": "", "created": NEVER, "history": history, "os": "", "rootfs": files, "config": {}}
    )


def signed_payloads(manifest: bytes) -> list[SignedPayload]:
    """Return the signatures in such a manifest; other layers are left out."""
    found = []
    for layer in parsed(manifest, "the signature").get("layers", []):
        signature = (layer.get("annotations") or {}).get(SIGNATURE)
        if layer.get("mediaType") == PAYLOAD and signature:
            found.append(SignedPayload(str(layer.get("digest")), int(layer.get("size", 0)), str(signature)))
    return found


def _descriptor(kind: str, content: bytes) -> dict[str, Any]:
    return {"mediaType": kind, "digest": digest_of(content), "size": len(content)}


def _bytes(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()

"""Verify what a push left in a registry: that a key signed it, and that each image's list of contents is its own.

    python -m images.push.verify REGISTRY --key PUBLIC_KEY [--plain-http] [--from FOLDER]

What should be there is read from FOLDER's images.txt and charts.txt; it may be another registry that the same digests
were carried to. No service is asked but the registry. Exit code 1: something is not as it was signed, and each such
thing is named.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey

from images.push.artifacts import bills_in, parsed, referrers_tag, signature_tag, signed_payloads
from images.push.refused import Refused
from images.push.registry import Registry
from images.push.repository import Repository, opened
from images.push.signing import claimed_digest, is_by, public_key

__all__ = ["verify_bill", "verify_signature"]

OUTPUT = Path("build") / "push"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="images.push.verify", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("registry", metavar="REGISTRY", help="host[:port]/prefix")
    parser.add_argument("--key", type=Path, help="the public key, a PEM file")
    parser.add_argument("--plain-http", action="store_true", help="without TLS, also to another machine")
    parser.add_argument("--from", dest="folder", type=Path, default=OUTPUT, help="what was pushed")
    chosen = parser.parse_args(arguments)
    try:
        registry = Registry.parse(chosen.registry, plain_http=chosen.plain_http)
        if chosen.key is None:
            raise Refused("name the public key: VERIFY_KEY=team.pub")
        key = public_key(chosen.key)
        wrong = _images(registry, chosen.folder, key) + _charts(registry, chosen.folder, key)
    except Refused as refused:
        wrong = [str(refused)]
    for line in wrong:
        print(f"verify: {line}", file=sys.stderr)
    return 1 if wrong else 0


def _images(registry: Registry, folder: Path, key: EllipticCurvePublicKey) -> list[str]:
    def look(repository: Repository, digest: str) -> str:
        verify_signature(repository, digest, key)
        return f"signed; what is in it: {verify_bill(repository, digest, key)}, signed"

    return _each(registry, folder / "images.txt", look, "")


def _charts(registry: Registry, folder: Path, key: EllipticCurvePublicKey) -> list[str]:
    def look(repository: Repository, digest: str) -> str:
        verify_signature(repository, digest, key)
        return "signed"

    return _each(registry, folder / "charts.txt", look, "charts/")


def _each(registry: Registry, file: Path, look: Callable[[Repository, str], str], folder: str) -> list[str]:
    """Look at each that `file` names, in this registry; print what is right, return what is not."""
    wrong = []
    for line in _lines(file):
        before, _, digest = line.partition("@")
        reference = f"{registry.address}/{folder}{before.rpartition('/')[2]}"
        with opened(registry, reference, push=False) as repository:
            try:
                print(f"{reference}@{digest}: {look(repository, digest)}", flush=True)
            except Refused as refused:
                wrong.append(f"{reference}@{digest}: {refused}")
    return wrong


def _lines(file: Path) -> list[str]:
    try:
        lines = file.read_text("utf-8").split()
    except OSError:
        lines = []
    if not lines:
        raise Refused(f"{file} names nothing; make push writes it, and it is copied to where this runs")
    return lines


def verify_signature(repository: Repository, digest: str, key: EllipticCurvePublicKey) -> None:
    """Refuse what is not there, is not what its digest says, or is not signed by this key."""
    if repository.manifest(digest) is None:
        raise Refused("is not in the registry")
    there = repository.manifest(signature_tag(digest))
    if there is None:
        raise Refused("is not signed")
    by_key = False
    for one in signed_payloads(there):
        text = repository.blob(one.digest)
        if text is not None and is_by(key, text, one.signature):
            by_key = True
            if claimed_digest(text) == digest:
                return
    raise Refused("has a signature of another content" if by_key else "is signed, but not by this key")


def verify_bill(repository: Repository, digest: str, key: EllipticCurvePublicKey) -> str:
    """Refuse an image without a list of contents that is signed and names it; the digest of that list."""
    indexes = (repository.referrers(digest), repository.manifest(referrers_tag(digest)))
    why = "has no list of what is in it"
    for bill in dict.fromkeys(bill for index in indexes for bill in bills_in(index)):
        try:
            _verify_one(repository, bill, digest, key)
        except Refused as refused:
            why = f"its list of what is in it {refused}"
        else:
            return bill
    raise Refused(why)


def _verify_one(repository: Repository, bill: str, digest: str, key: EllipticCurvePublicKey) -> None:
    verify_signature(repository, bill, key)
    manifest = parsed(repository.manifest(bill) or b"", "the list of contents")
    if manifest.get("subject", {}).get("digest") != digest:
        raise Refused("is that of another image")
    for layer in manifest.get("layers", []):
        if repository.blob(str(layer.get("digest"))) is None:
            raise Refused("is not in the registry")


if __name__ == "__main__":
    sys.exit(main())

"""What is pushed has a list of what is in it and is signed: whoever has the public key can tell, without a service."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from images.push import verify
from images.push.artifacts import BILL, INDEX, MANIFEST, digest_of, referrers_tag, signature_tag
from images.push.attach import sign_all
from images.push.registry import Registry
from images.push.repository import Repository, opened
from images.push.signing import private_key
from tests.flow.publishing.conftest import NAMES, Checkout
from tests.support.oci_registry import OciRegistry, running_registry

Refusals = Callable[[Path], list[str]]


def key_pair(folder: Path, name: str) -> tuple[Path, Path]:
    """A private and a public key, in the files that openssl writes."""
    key = ec.generate_private_key(ec.SECP256R1())
    private, public = folder / f"{name}.key", folder / f"{name}.pub"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public


@dataclass(frozen=True)
class Signed:
    """A signed push: the key, and all that the registry kept of it."""

    private: Path
    public: Path
    kept: Path
    host: str


@pytest.fixture(scope="module")
def signed(checkout: Checkout, registry_program: str, tmp_path_factory: pytest.TempPathFactory) -> Signed:
    folder = tmp_path_factory.mktemp("signed")
    with running_registry(registry_program, folder / "registry") as running:
        made = Signed(*key_pair(folder, "team"), folder / "registry" / "data", running.host)
        done = checkout.push(f"{running.host}/house", "--sign-key", str(made.private))
    assert done.returncode == 0, done.stderr
    assert "8 signatures." in done.stdout
    return made


@pytest.fixture
def house(
    checkout: Checkout, signed: Signed, registry: OciRegistry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Registry:
    """Another registry that all of it was carried to."""
    for name, value in checkout.environment.items():
        monkeypatch.setenv(name, value)
    shutil.copytree(signed.kept, tmp_path / "registry" / "data", dirs_exist_ok=True)
    return Registry.parse(f"{registry.host}/house")


@pytest.fixture
def refusals(checkout: Checkout, house: Registry, capsys: pytest.CaptureFixture[str]) -> Refusals:
    def told_with(key: Path) -> list[str]:
        code = verify.main([house.address, "--key", str(key), "--from", str(checkout.output)])
        told = capsys.readouterr().err.splitlines()
        assert code == (1 if told else 0)
        return told

    return told_with


@pytest.fixture
def butlers(checkout: Checkout, house: Registry) -> tuple[str, str]:
    """The first image: where it is, and its digest."""
    return f"{house.address}/butlers", checkout.lines("images.txt")[0].partition("@")[2]


def bill_digest(repository: Repository, digest: str) -> str:
    index = json.loads(repository.manifest(referrers_tag(digest)) or b"{}")
    (found,) = [one["digest"] for one in index["manifests"] if one["artifactType"] == BILL]
    return str(found)


def test_what_was_signed_is_verified_where_it_was_carried_and_is_not_signed_again(
    checkout: Checkout, house: Registry, signed: Signed, butlers: tuple[str, str]
) -> None:
    program = (sys.executable, "-m", "images.push.verify", house.address)
    shown = checkout.run(*program, "--key", str(signed.public), "--from", str(checkout.output))
    assert shown.returncode == 0, shown.stderr
    listed = [*checkout.lines("images.txt"), *checkout.lines("charts.txt")]
    assert len(listed) == 5
    for line, pinned in zip(shown.stdout.splitlines(), listed, strict=True):
        assert line.startswith(f"{house.address}/{pinned.partition('/house/')[2]}: signed")

    reference, digest = butlers
    with opened(house, reference, push=False) as repository:
        before = repository.manifest(signature_tag(digest))
        again = checkout.push(house.address, "--sign-key", str(signed.private))
        assert again.returncode == 0, again.stderr
        assert repository.manifest(signature_tag(digest)) == before


def test_each_image_has_its_list_in_the_registry_and_beside_the_values(
    checkout: Checkout, house: Registry, registry: OciRegistry
) -> None:
    for name, line in zip(NAMES, checkout.lines("images.txt"), strict=True):
        digest = line.partition("@")[2]
        index = registry.get(f"house/{name}/manifests/{referrers_tag(digest)}", INDEX).json()
        (found,) = index["manifests"]
        manifest = registry.manifest(f"house/{name}", found["digest"])
        assert (manifest["artifactType"], manifest["subject"]["digest"]) == (BILL, digest)
        text = registry.blob(f"house/{name}", manifest["layers"][0]["digest"]).decode()
        assert text == (checkout.output / "sbom" / f"{name}.cdx.json").read_text("utf-8")
        assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
        assert json.loads(text)["metadata"]["component"]["version"] == digest


def test_what_has_to_be_carried_along_is_listed_as_it_is_found(
    checkout: Checkout, house: Registry, registry: OciRegistry
) -> None:
    listed = checkout.lines("attached.txt")
    assert len(listed) == len(NAMES) + 8
    for line in listed:
        repository, _, tag = line.partition("/")[2].rpartition(":")
        kind = MANIFEST if tag.endswith(".sig") else INDEX
        assert registry.get(f"{repository}/manifests/{tag}", kind).status_code == 200, line


def test_a_signature_has_the_form_that_cosign_reads(
    signed: Signed, registry: OciRegistry, house: Registry, butlers: tuple[str, str]
) -> None:
    _, digest = butlers
    manifest = registry.manifest("house/butlers", signature_tag(digest))
    (layer,) = manifest["layers"]
    assert layer["mediaType"] == "application/vnd.dev.cosign.simplesigning.v1+json"
    assert list(layer["annotations"]) == ["dev.cosignproject.cosign/signature"]
    assert json.loads(registry.blob("house/butlers", layer["digest"])) == {
        "critical": {
            "identity": {"docker-reference": f"{signed.host}/house/butlers"},
            "image": {"docker-manifest-digest": digest},
            "type": "cosign container image signature",
        },
        "optional": None,
    }
    config = json.loads(registry.blob("house/butlers", manifest["config"]["digest"]))
    assert config["rootfs"]["diff_ids"] == [layer["digest"]]


def test_another_key_is_refused_until_it_has_signed_beside_the_first(
    checkout: Checkout, house: Registry, signed: Signed, refusals: Refusals, tmp_path: Path
) -> None:
    private, public = key_pair(tmp_path, "new")
    told = refusals(public)
    assert len(told) == 5
    assert all(line.endswith(": is signed, but not by this key") for line in told)
    assert checkout.push(house.address, "--sign-key", str(private)).returncode == 0
    assert refusals(public) == []
    assert refusals(signed.public) == [], "the first key's signatures are gone"


def test_what_nobody_signed_is_refused(
    house: Registry, signed: Signed, butlers: tuple[str, str], refusals: Refusals, tmp_path: Path
) -> None:
    reference, digest = butlers
    repository = tmp_path / "registry/data/docker/registry/v2/repositories/house/butlers"
    shutil.rmtree(repository / "_manifests" / "tags" / signature_tag(digest))
    assert refusals(signed.public) == [f"verify: {reference}@{digest}: is not signed"]


def test_a_signature_of_another_content_is_refused(
    house: Registry, signed: Signed, butlers: tuple[str, str], refusals: Refusals
) -> None:
    reference, digest = butlers
    with opened(house, reference, push=True) as repository:
        other = repository.manifest(signature_tag(bill_digest(repository, digest)))
        repository.put_manifest(signature_tag(digest), other or b"")
    assert refusals(signed.public) == [f"verify: {reference}@{digest}: has a signature of another content"]


def test_an_altered_manifest_is_refused(
    house: Registry, signed: Signed, butlers: tuple[str, str], refusals: Refusals, tmp_path: Path
) -> None:
    reference, digest = butlers
    hexed = digest.removeprefix("sha256:")
    kept = tmp_path / "registry/data/docker/registry/v2/blobs/sha256" / hexed[:2] / hexed / "data"
    kept.write_bytes(kept.read_bytes() + b" ")
    (told,) = refusals(signed.public)
    assert (
        told == f"verify: {reference}@{digest}: {reference}@{digest} has another content than its digest says"
    )


def test_the_list_of_another_image_is_refused_and_so_is_none(
    house: Registry, signed: Signed, butlers: tuple[str, str], refusals: Refusals
) -> None:
    reference, digest = butlers
    with opened(house, reference, push=True) as repository:
        bill = bill_digest(repository, digest)
        manifest = json.loads(repository.manifest(bill) or b"{}")
        manifest["subject"]["digest"] = bill
        forged = json.dumps(manifest).encode()
        entry = {"mediaType": manifest["mediaType"], "artifactType": BILL, "size": len(forged)}
        entry["digest"] = digest_of(forged)
        repository.put_manifest(entry["digest"], forged)
        sign_all([(reference, entry["digest"])], house, private_key(signed.private, None))
        index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [entry]}
        repository.put_manifest(referrers_tag(digest), json.dumps(index).encode(), INDEX)
        (told,) = refusals(signed.public)
        assert told == f"verify: {reference}@{digest}: its list of what is in it is that of another image"
        empty = {"schemaVersion": 2, "mediaType": INDEX, "manifests": []}
        repository.put_manifest(referrers_tag(digest), json.dumps(empty).encode(), INDEX)
    (told,) = refusals(signed.public)
    assert told == f"verify: {reference}@{digest}: has no list of what is in it"

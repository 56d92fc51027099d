"""The SBOM of an image in CycloneDX 1.6. Pure: the same image has the same SBOM everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import License
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from images.push.contents import Contents, DebianPackage, Distribution, LooseFile, NpmPackage
from images.push.written import Pushed

__all__ = ["bill_of"]


def bill_of(contents: Contents, image: Pushed) -> str:
    """Return the document as JSON."""
    found = BomMetaData(component=_image(contents, image), timestamp=datetime.fromisoformat(contents.created))
    bill = Bom(
        serial_number=uuid5(NAMESPACE_URL, f"pkg:oci/{image.name}@{image.digest}"),
        metadata=found,
        components=list(_parts(contents)),
    )
    bill.register_dependency(_image(contents, image), bill.components)
    return JsonV1Dot6(bill).output_as_string(indent=1) + "\n"


def _image(contents: Contents, image: Pushed) -> Component:
    return Component(
        name=image.name, version=image.digest, type=ComponentType.CONTAINER, bom_ref=image.digest,
        purl=PackageURL("oci", None, image.name, image.digest, {"arch": contents.architecture}),
        hashes=_sha256(image.digest.removeprefix("sha256:")),
    )  # fmt: skip


def _parts(contents: Contents) -> Iterator[Component]:
    yield from map(_distribution, contents.distributions)
    yield from map(_debian, contents.debian)
    yield from map(_npm, contents.npm)
    yield from map(_file, contents.files)


def _distribution(found: Distribution) -> Component:
    """Its hash is that of RECORD, since an installed wheel does not contain its own hash."""
    told = [Property(name="butlers:place", value=found.place)]
    if found.record_sha256:
        told.append(Property(name="butlers:hash-of", value=f"{found.place}/RECORD"))
    return Component(
        name=found.name, version=found.version, bom_ref=found.place, licenses=_licences(found.licences),
        purl=PackageURL("pypi", None, found.name, found.version),
        hashes=_sha256(found.record_sha256) if found.record_sha256 else None, properties=told,
    )  # fmt: skip


def _debian(found: DebianPackage) -> Component:
    place = {"arch": found.architecture, "distro": "debian-12"}
    purl = PackageURL("deb", "debian", found.name, found.version, place)
    return Component(
        name=found.name, version=found.version, bom_ref=str(purl), purl=purl,
        licenses=_licences(found.licences),
    )  # fmt: skip


def _npm(found: NpmPackage) -> Component:
    scope, _, name = found.name.rpartition("/")
    return Component(
        name=found.name, version=found.version, bom_ref=found.place, licenses=_licences(found.licences),
        purl=PackageURL("npm", scope or None, name, found.version),
        properties=[Property(name="butlers:place", value=found.place)],
    )  # fmt: skip


def _file(found: LooseFile) -> Component:
    return Component(
        name=found.place, type=ComponentType.FILE, bom_ref=found.place, hashes=_sha256(found.sha256)
    )


def _sha256(content: str) -> list[HashType]:
    return [HashType(alg=HashAlgorithm.SHA_256, content=content)]


def _licences(stated: Iterable[str]) -> list[License]:
    """A single one may be an expression; for several, CycloneDX accepts names and ids only."""
    factory, names = LicenseFactory(), list(stated)
    if len(names) == 1:
        return [factory.make_from_string(names[0])]
    return [factory.make_with_name(name) for name in names]

"""`make push` to a real registry: what is pushed is pulled by digest, and the chart installs from there."""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import tarfile
from pathlib import Path

import pytest
import yaml

from images.push.charts import CHARTS, package, push_chart
from images.push.registry import Registry
from tests.flow.publishing.conftest import ACCOUNT, NAMES, NO_LOGIN, PASSWORD, Checkout
from tests.support.helm import Rendered
from tests.support.oci_registry import OciRegistry


def written(checkout: Checkout) -> list[str]:
    return sorted(path.name for path in checkout.output.glob("*"))


def test_what_is_pushed_is_pulled_by_its_digest_and_a_second_push_uploads_nothing(
    checkout: Checkout, registry: OciRegistry
) -> None:
    first = checkout.push(f"{registry.host}/house")
    assert first.returncode == 0, first.stderr
    assert "Nothing was uploaded" not in first.stdout
    listed = (checkout.output / "images.txt").read_text("utf-8").splitlines()
    assert [line.partition("@")[0] for line in listed] == [f"{registry.host}/house/{name}" for name in NAMES]
    for name, line in zip(NAMES, listed, strict=True):
        digest = line.partition("@")[2]
        assert f"{name}:12345e678901" in first.stdout
        assert digest in first.stdout
        (layer,) = registry.manifest(f"house/{name}", digest)["layers"]
        content = registry.blob(f"house/{name}", layer["digest"])
        assert layer["digest"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        with tarfile.open(fileobj=io.BytesIO(gzip.decompress(content))) as archive:
            assert archive.getnames() == [name]

    values = (checkout.output / "values.yaml").read_text("utf-8")
    second = checkout.push(f"{registry.host}/house")
    assert second.returncode == 0, second.stderr
    assert "Nothing was uploaded: the registry had all of it." in second.stdout
    assert (checkout.output / "values.yaml").read_text("utf-8") == values


def test_the_chart_is_rendered_from_the_registry_with_the_values_that_were_written(
    checkout: Checkout, registry: OciRegistry
) -> None:
    done = checkout.push(f"{registry.host}/house", "--tag", "1.0")
    assert done.returncode == 0, done.stderr
    (install,) = [line.split() for line in done.stdout.splitlines() if line.startswith("  helm install ")]
    words = ["template" if word == "install" else word for word in install[1:] if word != "--wait"]
    shown = checkout.run(checkout.helm, *words)
    assert shown.returncode == 0, shown.stderr
    rendered = Rendered(tuple(one for one in yaml.safe_load_all(shown.stdout) if one))
    listed = (checkout.output / "images.txt").read_text("utf-8").split()
    images = {part["image"] for _, pod in rendered.pods() for part in pod["containers"]}
    assert images == set(listed)
    (operator,) = rendered.one("Deployment", "butlers-operator")["spec"]["template"]["spec"]["containers"]
    told = {one["value"] for one in operator["env"] if "/house/butlers" in str(one.get("value"))}
    assert listed[0] in told, "the operator gives its pods another image"


def test_without_a_login_nothing_is_written_and_with_buildahs_images_and_charts_go_in(
    checkout: Checkout, guarded: OciRegistry
) -> None:
    checkout.output.mkdir(exist_ok=True)
    (checkout.output / "values.yaml").write_text("of: an earlier push\n", "utf-8")
    refused = checkout.push(f"{guarded.host}/house")
    assert refused.returncode == 1
    assert refused.stderr.splitlines() == [
        f"push: butlers was not pushed: registry {guarded.host} asks for credentials or refuses those that it got: "
        f"buildah login {guarded.host} (charts are pushed with the same login)"
    ]
    assert written(checkout) == []

    login = checkout.run(
        "buildah",
        "login",
        "--tls-verify=false",
        "--username",
        ACCOUNT,
        "--password-stdin",
        guarded.host,
        given=PASSWORD,
    )
    assert login.returncode == 0, login.stderr
    try:
        done = checkout.push(f"{guarded.host}/house")
    finally:
        checkout.login.write_text(NO_LOGIN, "utf-8")
    assert done.returncode == 0, done.stderr
    assert written(checkout) == ["attached.txt", "charts.txt", "images.txt", "sbom", "values.yaml"]


def test_a_push_that_ends_half_way_leaves_no_values(
    checkout: Checkout, registry: OciRegistry, tmp_path: Path
) -> None:
    assert checkout.push(f"{registry.host}/half").returncode == 0
    broken = tmp_path / "helm"
    broken.write_text(f'#!/bin/sh\n[ "$1" = push ] && exit 3\nexec {checkout.helm} "$@"\n', "utf-8")
    broken.chmod(0o755)
    done = checkout.push(f"{registry.host}/other", helm=str(broken))
    assert done.returncode == 1
    assert (
        done.stderr
        == f"push: chart butlers-crds was not pushed: registry {registry.host}: it ended without a word\n"
    )
    assert registry.get("other/butlers/tags/list").json()["tags"], "the images were there before it"
    assert written(checkout) == []


def test_a_chart_is_the_same_content_from_any_checkout_and_one_that_takes_its_place_is_named(
    checkout: Checkout, registry: OciRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in checkout.environment.items():
        monkeypatch.setenv(name, value)
    later = tmp_path / "later" / "butlers-crds"
    shutil.copytree(CHARTS[0], later, copy_function=shutil.copyfile)
    there = Registry.parse(f"{registry.host}/house")
    first, second = package(CHARTS[0], tmp_path / "1"), package(later, tmp_path / "2")
    # Helm puts the archive's time, to the second, into what the digest is made of.
    assert first.archive.stat().st_mtime == second.archive.stat().st_mtime
    one = push_chart(first, there, tmp_path / "1")
    elsewhere = Registry.parse(f"{registry.host}/elsewhere")
    assert push_chart(second, elsewhere, tmp_path / "2").digest == one.digest
    assert push_chart(package(later, tmp_path / "3"), there, tmp_path / "3").uploaded == ""

    (later / "README.md").write_text("changed\n", "utf-8")
    other = push_chart(package(later, tmp_path / "4"), there, tmp_path / "4")
    assert other.uploaded == "the chart, in place of another of this version"
    assert other.digest != one.digest

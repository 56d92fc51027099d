"""What `make push` decides before and after it speaks to a registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from images.catalogue import IMAGES, ROOT
from images.push import __main__ as program
from images.push.__main__ import NEVER
from images.push.images import uploads
from images.push.programs import auth_file
from images.push.refused import Refused, why
from images.push.registry import Registry, checked_tag
from images.push.written import CHART_PLACES, Pushed, images_list, table, values

DIGEST = "sha256:" + "a" * 64


def pushed(name: str, tag: str = "1.0", uploaded: str = "") -> Pushed:
    return Pushed(name, f"reg.example/house/{name}", tag, DIGEST, uploaded)


@pytest.mark.parametrize(
    ("text", "address", "plain"),
    [
        ("registry.example/team/butlers", "registry.example/team/butlers", False),
        ("registry.example:5000/", "registry.example:5000", False),
        ("harbor:5000/house", "harbor:5000/house", False),
        ("localhost/house", "localhost/house", True),
        ("127.0.0.1:5000/house", "127.0.0.1:5000/house", True),
        ("[::1]:5000/house", "[::1]:5000/house", True),
        ("127.0.0.1.example.org/house", "127.0.0.1.example.org/house", False),
    ],
)
def test_a_registry_is_a_host_and_a_prefix_and_plain_http_is_for_this_machine(
    text: str, address: str, plain: bool
) -> None:
    registry = Registry.parse(text)
    assert (registry.address, registry.plain_http) == (address, plain)
    assert Registry.parse(text, plain_http=True).plain_http


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "name a registry, as in host[:port]/prefix"),
        ("https://registry.example/house", "leave out https://"),
        ("ana/butlers", "ana is no host; one has a dot or a port, as docker.io/ana/butlers has"),
        ("registry.example/House", "House cannot be part of an image's name"),
        ("registry.example//house", "an empty part"),
        ("-registry.example/house", "name a registry"),
        ("--tls-verify=false", "name a registry"),
    ],
)
def test_what_is_no_registry_is_refused_with_what_to_write(text: str, told: str) -> None:
    with pytest.raises(Refused) as refusal:
        Registry.parse(text)
    assert told in str(refusal.value)


@pytest.mark.parametrize("tag", ["", "-1", ".1", "1 0", "1:0", "a" * 129])
def test_a_tag_that_no_registry_takes_is_refused(tag: str) -> None:
    with pytest.raises(Refused):
        checked_tag(tag)
    assert checked_tag("v1.0_rc-2") == "v1.0_rc-2"


@pytest.mark.parametrize("tag", ["1.0", "12345678", "1234e567", "0x12", "true"])
def test_the_values_name_tag_and_digest_where_the_chart_reads_them(tag: str) -> None:
    registry = Registry.parse("reg.example/house")
    read = yaml.safe_load(values(registry, [pushed(name, tag) for name in IMAGES]))
    assert read["global"] == {"imageRegistry": "reg.example/house"}
    for name, place in CHART_PLACES.items():
        node = read
        for key in place:
            node = node[key]
        assert node == {"repository": name, "tag": tag, "digest": DIGEST}


def repositories(
    node: Mapping[str, Any], place: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for key, value in node.items():
        if isinstance(value, Mapping):
            yield from repositories(value, (*place, key))
        elif key == "repository":
            yield value, place


def test_every_image_of_the_chart_has_its_place_and_the_test_providers_are_never_pushed() -> None:
    chart = yaml.safe_load((ROOT / "charts/butlers/values.yaml").read_text("utf-8"))
    assert dict(repositories(chart)) == CHART_PLACES
    assert set(CHART_PLACES) <= set(IMAGES) - NEVER
    assert set(IMAGES) >= NEVER


def test_the_list_names_every_image_by_its_content_also_those_that_another_chart_takes() -> None:
    listed = images_list([pushed("butlers"), pushed("butlers-spark-operator")])
    assert listed == (
        f"reg.example/house/butlers@{DIGEST}\nreg.example/house/butlers-spark-operator@{DIGEST}\n"
    )


def test_the_table_says_for_each_what_was_sent() -> None:
    head, first, second = table(
        [pushed("butlers", uploaded="2 blobs"), pushed("butlers-operator")]
    ).splitlines()
    assert head.split() == ["IMAGE", "OR", "CHART", "DIGEST", "UPLOADED"]
    assert first.split() == ["reg.example/house/butlers:1.0", DIGEST, "2", "blobs"]
    assert second.split() == ["reg.example/house/butlers-operator:1.0", DIGEST, "nothing"]


def test_only_a_begun_upload_counts_as_one() -> None:
    begun = 'level=debug msg="POST http://reg.example/v2/house/butlers/blobs/uploads/"\n'
    looked = 'level=debug msg="HEAD http://reg.example/v2/house/butlers/blobs/sha256:aa"\n'
    mounted = 'msg="POST http://reg.example/v2/house/butlers/blobs/uploads/?from=a&mount=b"\n'
    assert uploads(looked + mounted) == ""
    assert uploads(begun + looked) == "1 blob"
    assert uploads(begun + begun) == "2 blobs"


DEBUG = 'time="…" level=debug msg="dial tcp: connection refused, tried the cache first"\n'


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Error: dial tcp 10.0.0.1:443: connect: connection refused", "cannot be reached"),
        ("Error: dial tcp: lookup reg.example on 10.0.0.1:53: no such host", "cannot be reached"),
        ("Error: pinging: http: server gave HTTP response to HTTPS client", "if that is meant: PLAIN_HTTP=1"),
        ("Error: tls: x509: certificate signed by unknown authority", "SSL_CERT_FILE=ca.pem make push"),
        ("Error: writing blob: unauthorized: authentication required", "buildah login reg.example"),
        ("Error: requested access to the resource is denied", "does not let this account push there"),
        (DEBUG + "Error: something new\n", "registry reg.example: something new"),
        (DEBUG, "it ended without a word"),
    ],
)
def test_a_failed_push_is_told_in_one_line_from_the_programs_last_words(words: str, told: str) -> None:
    line = why("reg.example", words)
    assert told in line
    assert "\n" not in line


def test_one_login_serves_both_programs_from_where_buildah_keeps_it() -> None:
    assert auth_file({"REGISTRY_AUTH_FILE": "/a/b.json"}, 7) == Path("/a/b.json")
    assert auth_file({"XDG_RUNTIME_DIR": "/run/user/7"}, 7) == Path("/run/user/7/containers/auth.json")
    assert auth_file({}, 7) == Path("/run/containers/7/auth.json")


def test_a_push_that_is_interrupted_says_so_and_leaves_no_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "values.yaml").write_text("of: an earlier push\n", "utf-8")
    monkeypatch.setattr(program, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(program, "must_be_built", interrupted)
    monkeypatch.setattr("sys.argv", ["push", "reg.example/house", "--built", "--output", str(tmp_path)])
    assert program.main() == 130
    assert capsys.readouterr().err.startswith("push: stopped half way; no values are written")
    assert not (tmp_path / "values.yaml").exists()

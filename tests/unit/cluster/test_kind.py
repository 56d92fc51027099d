"""`make up` where Docker answers: what kind and Docker are asked. Programs that write down their calls stand in."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CLUSTER = ROOT / "cluster"
NAMES = ("butlers", "butlers-operator", "butlers-postgresql", "butlers-providers")
KIND = "butlers-trial"
ANSWERS = f"""#!{sys.executable}
import json, os, pathlib, sys
name, place = pathlib.Path(sys.argv[0]).name, pathlib.Path(os.environ["PLACE"])
with (place / "calls").open("a") as calls:
    calls.write(json.dumps([name, *sys.argv[1:]]) + "\\n")
clusters, words = place / "clusters", sys.argv[1:3]
if name == "docker" and words[0] == "info":
    sys.exit(0 if (place / "docker-answers").exists() else 1)
elif name == "docker" and words[0] == "images" and (place / "built").exists():
    print("0123456789ab")
elif name == "docker" and words[0] == "build":
    (place / "built").touch()
elif words == ["get", "clusters"] and clusters.exists():
    print(clusters.read_text(), end="")
elif words == ["create", "cluster"]:
    clusters.write_text(sys.argv[sys.argv.index("--name") + 1] + "\\n")
elif words == ["delete", "cluster"]:
    clusters.unlink()
"""


@dataclass(frozen=True)
class Machine:
    """A machine whose Docker, kind and kubectl are not there, but write down what they are asked."""

    place: Path

    @property
    def directory(self) -> Path:
        """Of the cluster `trial`."""
        return self.place / "cache" / "clusters" / "trial"

    def run(self, *command: str, **settings: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.place / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.place),
            "PLACE": str(self.place),
            "BUTLERS_CLUSTER_CACHE": str(self.place / "cache"),
            "BUTLERS_CLUSTER_NAME": "trial",
        }
        return subprocess.run(
            command, capture_output=True, text=True, timeout=120, env=environment | settings, check=False
        )

    def script(self, name: str, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return self.run(str(CLUSTER / name), *arguments, **settings)

    def calls(self, program: str) -> list[list[str]]:
        """What it was asked, `docker info` left out, since the last time."""
        journal = self.place / "calls"
        lines = journal.read_text("utf-8").splitlines() if journal.exists() else []
        journal.unlink(missing_ok=True)
        found: list[list[str]] = [json.loads(line) for line in lines]
        return [words for words in found if words[0] == program and words[1:] != ["info"]]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("docker", "kind", "kubectl", "helm"):
        (programs / name).write_text(ANSWERS)
        (programs / name).chmod(0o755)
    (tmp_path / "docker-answers").touch()
    if platform.machine() != "x86_64":  # the images are made for it alone
        (programs / "uname").write_text("#!/bin/sh\necho x86_64\n")
        (programs / "uname").chmod(0o755)
    return Machine(tmp_path)


@pytest.fixture
def up(machine: Machine) -> Machine:
    done = machine.script("up.sh")
    assert done.returncode == 0, done.stderr
    return machine


def test_up_asks_kind_for_a_cluster_whose_kubeconfig_is_its_own(up: Machine) -> None:
    created = next(words for words in up.calls("kind") if words[1] == "create")
    assert created == [
        "kind", "create", "cluster", "--name", KIND, "--config", str(CLUSTER / "kind.yaml"),
        "--kubeconfig", str(up.directory / "kubeconfig"), "--wait", "180s",
    ]  # fmt: skip


def test_a_second_up_makes_no_second_cluster(up: Machine) -> None:
    up.calls("kind")
    again = up.script("up.sh")
    assert (again.returncode, "runs already" in again.stderr) == (0, True)
    assert [words[1:3] for words in up.calls("kind")] == [["get", "clusters"]]


def test_images_are_built_by_docker_and_loaded_by_their_content(up: Machine) -> None:
    archives = up.place / "cache" / "images"
    archives.mkdir(exist_ok=True)
    for name in NAMES:
        (archives / f"{name}.tag").write_text("c0ffee")
    up.calls("kind")
    paths = [str(archives / f"{name}.tar") for name in NAMES]
    loaded = up.script("load.sh", *paths)
    assert loaded.returncode == 0, loaded.stderr
    assert [words for words in up.calls("kind") if words[1] == "load"] == [
        ["kind", "load", "docker-image", "--name", KIND, f"localhost/{name}:dev", f"localhost/{name}:c0ffee"]
        for name in NAMES
    ]
    assert up.script("load.sh", *paths).returncode == 0
    assert up.calls("kind") == []


def test_docker_builds_the_containerfile_of_a_context_once(up: Machine) -> None:
    build = [str(CLUSTER / "images.sh"), sys.executable, "butlers-postgresql"]
    up.calls("docker")
    first = up.run(*build)
    assert first.returncode == 0, first.stderr
    context = up.place / "cache" / "contexts" / "butlers-postgresql"
    built = next(words for words in up.calls("docker") if words[1] == "build")
    assert built == [
        "docker", "build", "--quiet", "--platform", "linux/amd64", "--tag", "localhost/butlers-postgresql:dev",
        "--file", str(context / "Containerfile"), str(context),
    ]  # fmt: skip
    assert (context / "Containerfile").is_file()
    assert (up.place / "cache" / "images" / "butlers-postgresql.tag").read_text()
    assert up.run(*build).returncode == 0
    assert [words[1] for words in up.calls("docker")] == ["images"]


def test_down_deletes_the_cluster_and_its_directory(up: Machine) -> None:
    down = up.script("down.sh")
    assert down.returncode == 0, down.stderr
    assert up.calls("kind")[-1][:5] == ["kind", "delete", "cluster", "--name", KIND]
    assert not up.directory.exists()


def test_a_kind_cluster_that_make_up_did_not_make_is_left_alone(machine: Machine) -> None:
    (machine.place / "clusters").write_text(f"{KIND}\n")
    refused = machine.script("up.sh")
    assert refused.returncode == 1
    assert f"a kind cluster named {KIND} is there that make up did not make" in refused.stderr
    assert [words[1:3] for words in machine.calls("kind")] == [["get", "clusters"]]


@pytest.mark.parametrize(
    ("driver", "words"),
    [
        ("native", "cluster trial is there by the driver kind"),
        ("podman", "BUTLERS_CLUSTER_DRIVER is native or kind, not podman"),
    ],
)
def test_a_driver_that_cannot_be_is_refused_in_one_line(up: Machine, driver: str, words: str) -> None:
    refused = up.script("up.sh", BUTLERS_CLUSTER_DRIVER=driver)
    assert refused.returncode == 1
    assert words in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_kind_without_docker_says_what_to_do(machine: Machine) -> None:
    (machine.place / "docker-answers").unlink()
    refused = machine.script("up.sh", BUTLERS_CLUSTER_DRIVER="kind")
    assert (refused.returncode, "Docker does not answer" in refused.stderr) == (1, True)


def test_the_end_to_end_tests_refuse_a_cluster_of_kind(up: Machine) -> None:
    refused = up.script("e2e.sh", "true")
    assert (refused.returncode, "BUTLERS_CLUSTER_DRIVER=native make up" in refused.stderr) == (1, True)

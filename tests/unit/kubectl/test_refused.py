"""What kubectl's errors say to a person: one line, what is missing, what to do."""

from __future__ import annotations

import pytest

from butler_kubectl.refused import Role, refusal


def said(words: str, role: Role | None = None) -> str:
    return refusal(words, role=role, where="namespace home")


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        ("E1122 08:36:40.260372 1 memcache.go:381] noise\nThe connection to the server localhost:8080 was refused\n",
         "no cluster answers (The connection to the server localhost:8080 was refused); check --kubeconfig"),
        ("Unable to connect to the server: dial tcp: lookup nowhere: no such host\n", "no cluster answers ("),
        ("error: the server doesn't have a resource type \"butlers\"\n",
         "this cluster has no Butlers resources; install"),
        ('error: resource mapping not found: no matches for kind "ButlerOperation" in version "butlers.dev/v1alpha1"\n',
         "this cluster has no Butlers resources"),
        ("error: You must be logged in to the server (Unauthorized)\n", "the cluster does not know you ("),
        ('Error from server (NotFound): serviceaccounts "butlers-reader" not found\n',
         "there is no ServiceAccount butlers-reader in namespace home"),
        ('Error from server (NotFound): serviceaccounts "butlers-person-ada" not found\n',
         "there is no ServiceAccount butlers-person-ada in namespace home"),
        ('error: context "x" does not exist\n', 'context "x" does not exist'),
        ('Error from server (NotFound): butlers.butlers.dev "x" not found\n', 'butlers.butlers.dev "x" not found'),
        ("", "kubectl ended with an error and said nothing"),
    ],
)  # fmt: skip
def test_each_error_is_one_line_without_kubectl_s_noise(words: str, begins: str) -> None:
    line = said(words)
    assert line.startswith(begins)
    assert "\n" not in line
    assert "memcache" not in line


@pytest.mark.parametrize("role", list(Role))
def test_a_missing_right_is_told_with_the_role_that_gives_it(role: Role) -> None:
    words = (
        'Error from server (Forbidden): butlers.butlers.dev is forbidden: User "ana" cannot list resource "butlers" in '
        'API group "butlers.dev" at the cluster scope\n'
    )
    assert said(words, role) == f"ana may not list butlers.butlers.dev in the whole cluster; {role.value}"
    assert said(words) == "ana may not list butlers.butlers.dev in the whole cluster"


def test_the_right_to_read_messages_is_told_in_the_policy_s_own_words() -> None:
    told = "eve may not get butlers/messages.butlers.dev in namespace home: the ClusterRole butlers:b:reader gives it"
    words = (
        'error: failed to create token: serviceaccounts "butlers-reader" is forbidden: ValidatingAdmissionPolicy '
        f"'butlers.b.tokens' with binding 'butlers.b.tokens' denied request: {told}\n"
    )
    assert said(words, Role.READER) == told

"""The block `privacy` of a specialist: whose its records are, where nobody said otherwise of one (D68, ADR 0100).

Invariant: a kind that the butler does not keep is refused, so that a typing mistake keeps nothing open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Final

from pydantic import AfterValidator, Field, StringConstraints

from butler_resources.kinds.base import ResourceModel, each_once
from butler_resources.kinds.rules import Rule

__all__ = ["KINDS", "Privacy", "privacy_rules"]

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "general": ("list_item", "list_removal", "note", "task", "appointment"),
    "relationship": ("birthday", "meeting", "appointment", "gift", "contact", "reminder", "note"),
    "health": ("measurement", "medication", "allergy", "appointment", "note"),
    "finance": ("expense", "bill", "subscription", "refund", "income", "debt", "note"),
    "travel": ("flight", "train", "bus", "delay", "stay", "document", "note"),
}
"""What each profile keeps; a butler with `instructions` alone keeps what general does."""
_OWN: Final = "general"
Kind = Annotated[str, StringConstraints(pattern=r"^[a-z]+(_[a-z]+)*$", max_length=40)]
KindNames = Annotated[
    tuple[Kind, ...],
    Field(max_length=20, json_schema_extra={"x-kubernetes-list-type": "set"}),
    AfterValidator(each_once),
]


class Privacy(ResourceModel):
    """Exceptions to the profile's privacy, by kind of record. What a person says about a record takes precedence."""

    household: KindNames = Field(
        default=(),
        description="Kinds that all members of the household may see, such as measurement. Existing private records "
        "stay private.",
    )
    private: KindNames = Field(
        default=(),
        description="Kinds that only the person who reported them may see, such as expense. Also applies to existing "
        "records.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="!has(self.household) || !has(self.private) || self.household.all(kind, !(kind in self.private))",
            message="a kind is in `household` and in `private`; remove it from one of them",
            holds=lambda privacy: not set(privacy.household) & set(privacy.private),
        ),
    )


def privacy_rules() -> Iterator[Rule]:
    """Those of `ButlerSpec`: each profile has its own kinds."""
    for profile, kinds in KINDS.items():
        of_it = f"has(self.profile) && self.profile == '{profile}'"
        yield _keeps(of_it, profile, kinds, f"profile {profile}")
    yield _keeps("!has(self.profile)", None, KINDS[_OWN], "a butler without `profile`")


def _all(field: str, known: str) -> str:
    return f"(!has(self.privacy.{field}) || self.privacy.{field}.all(kind, kind in [{known}]))"


def _keeps(of_it: str, profile: str | None, kinds: tuple[str, ...], called: str) -> Rule:
    known = ", ".join(f"'{kind}'" for kind in kinds)
    return Rule(
        cel=f"!({of_it}) || !has(self.privacy) || ({_all('household', known)} && {_all('private', known)})",
        message=f"`privacy` names a kind of record that {called} does not keep; use one of {', '.join(kinds)}",
        holds=lambda spec: (
            spec.profile != profile
            or spec.privacy is None
            or set(kinds).issuperset((*spec.privacy.household, *spec.privacy.private))
        ),
        path=".privacy",
    )

"""`GET /ops/v1/skills`: the skills of the sessions here, with the exact text of each (SWB-26.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import Reader, handed
from butler_switchboard.operations.view import View
from butler_switchboard.skills.inventory import RELATIONSHIP_EXTRACTOR, Skill, inventory

__all__ = ["Skills", "reading_skills"]


@dataclass(frozen=True, slots=True)
class Skills:
    """`extracts`: whether the household wants to extract what its messages say about people."""

    extracts: bool

    def uses(self, one: Skill) -> bool:
        """Return whether a skill is used: every message is routed, the other skill is optional."""
        return self.extracts or one.name != RELATIONSHIP_EXTRACTOR


class SkillView(View):
    """`version` is its revision and the beginning of `digest`, the SHA-256 of `text`."""

    name: str
    version: str
    digest: str
    description: str
    in_use: bool
    text: str

    @classmethod
    def of(cls, one: Skill, *, in_use: bool) -> Self:
        return cls(
            name=one.name,
            version=one.version,
            digest=one.digest,
            description=one.description,
            in_use=in_use,
            text=one.text,
        )


class SkillList(View):
    skills: list[SkillView]


reading_skills = ops_router()


@reading_skills.get("/skills")
async def listed(skills: Annotated[Skills, handed(Skills)], _: Reader) -> SkillList:
    """The inventory."""
    return SkillList(skills=[SkillView.of(one, in_use=skills.uses(one)) for one in inventory()])

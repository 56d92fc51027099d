"""Abbreviations, whose full stop ends no sentence (pure)."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ends_short"]

_ABBREVIATED: Final = re.compile(
    r"\b(?:no|nr|fa|fr|sfr|dr|mr|mrs|ms|st|str|tel|ca|approx|z|z\. ?b|d|d\. ?h|usw|bzw|sr|sra|av|p\.m|a\.m)\.$",
    re.IGNORECASE,
)
_SHORTENED: Final = re.compile(
    r"\b(?:etc|vs|cf|ext|incl|excl|inkl|exkl|zzgl|bzgl|evtl|ggf|vgl|geb|max|min|hrs?|std|est|temp|avg|aprox"
    r"|env|ej|ex|pag|num|núm|prof|med|ing|dipl|jr|mme|mlle|fr|hr|fam|inc|ltd|corp|co|ave|rd|blvd|apt|dept|pcs|stk|tab"
    r"|jan|feb|mar|mär|apr|jun|jul|aug|sept?|o[ck]t|nov|de[cz]|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun"
    r"|mo|mi|do|sa|so)\.$",
    re.IGNORECASE,
)
"""Words that are abbreviations if a small letter follows."""


def ends_short(before: str, *, small: bool) -> bool:
    """Return whether the final full stop is an abbreviation's; `small`: a small letter follows."""
    return _ABBREVIATED.search(before) is not None or (small and _SHORTENED.search(before) is not None)

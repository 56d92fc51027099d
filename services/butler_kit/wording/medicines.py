# ruff: noqa: E501 - word lists stay on one line
"""Names of medicines as people write them: by their typical endings, else by a short list (pure). EN, DE, FR, ES.

Switchboard sends a message about one to the butler that keeps it, which reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["ANTIBIOTIC", "GENERIC", "MEDICINE_NAME", "medicine_names"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENDINGS: Final = (
    r"cill?in[ae]?|mycin[ae]?|micina|cyclin[ae]?|ciclina|oxacin[oae]?|profen[oe]?|profene|formin[ae]?|prazole?|prazol|statin[ae]?|sartan|olol"
    r"|dipin[eo]?|pril|zepam|oxetin[ae]?|thyroxin[ae]?|tiroxina|triptan|parin[ae]?|gliptin[ae]?|gliflozin[ae]?|tidin[ae]?|azepin[ae]?|cortison[ae]?"
    r"|solon[ae]?|nison[ae]?|lukast|conazole?|conazol|afil|dronate|dronat|caine|codein[ae]?|thiazide?|tiazida|semide?|semida|rabin|xaban|grel|metazin[ae]?"
)
_NAMED: Final = (
    r"aspirin[ae]?|paracetamol|acetaminophen|tylenol|panadol|doliprane|dafalgan|efferalgan|ben-?u-?ron|advil|nurofen|motrin|diclofenac|voltaren"
    r"|novalgin|nolotil|metamizol|metamizole|insulin[ae]?|ventolin|salbutamol|albuterol|cetirizin[ae]?|loratadin[ae]?|zyrtec|claritin|sertralin[ae]?|citalopram"
    r"|escitalopram|venlafaxin[ae]?|mirtazapin[ae]?|lithium|litio|warfarin[ae]?|marcumar|eliquis|xarelto|clopidogrel|digoxin[ae]?|methotrexate?|metotrexato|prednison[ae]?"
    r"|cortisone?|ritalin|concerta|melatonin[ae]?|folic acid|folsaure|acide folique|acido folico|iron tablets?|eisentabletten?|cefuroxim[ae]?|cefalexin[ae]?"
    r"|augmentin|clamoxyl|calpol|dalsy|apiretal|sintrom|simva|ibu|vitamin[ae]? [a-k]\d{0,2}|vitamina? [a-k]\d{0,2}|cough syrup|hustensaft|sirop pour la toux|jarabe|eye drops|augentropfen"
)
_THINGS: Final = (
    r"antibioti(?:c|k|que|co)s?|antibiotik(?:a|um)|tablets?|tabletten?|pills?|pillen?|medicat(?:ion|ions)|meds|medicines?|medikamente?n?|comprimes?|cachets?|pilules?"
    r"|medicaments?|pastillas?|medicamentos?|medicacion|inhaler"
)
"""Words in the place of a name; a name beside them counts instead."""
MEDICINE_NAME: Final = rf"(?:(?:{_NAMED})|[a-z]{{2,24}}(?:{_ENDINGS}))"
"""For a folded text, without the words in the place of a name."""
_MEDICINE: Final = re.compile(
    rf"\b(?P<name>(?P<thing>{_THINGS})|{MEDICINE_NAME})\b(?: (?P<v>\d{{1,4}}(?:[.,]\d{{1,3}})?)(?! ?(?:uhr|h|am|pm|x|times|mal|fois|veces)\b|[\d:]))?"
)
ANTIBIOTIC: Final = re.compile(
    r"^antibioti\w+$|(?:cill?in[ae]?|mycin[ae]?|micina|cyclin[ae]?|ciclina|oxacin[oae]?|augmentin|clamoxyl|^cef\w+)$"
)
"""The name of an antibiotic, folded."""
GENERIC: Final = _words(
    "medicine medicines medication medications med meds drug drugs tablet tablets pill pills treatment course syrup drops inhaler"
    " medikament medikamente medikamenten medizin arznei tabletten tablette pille pillen tropfen saft kur behandlung"
    " medicament medicaments traitement comprimes comprime cachet cachets pilule pilules sirop gouttes"
    " medicamento medicamentos medicina medicinas medicacion pastilla pastillas tratamiento jarabe gotas"
)
"""General words for a medicine, folded."""
_NONE: Final = _words(
    "doctrine routine magazine vaccine marine april robin chagrin latin capri plantation console austin"
)


def medicine_names(folded: str) -> Iterator[re.Match[str]]:
    """Find the names in a folded text: group `name`, and `v` for a bare number after it ("ibuprofen 400")."""
    found = [match for match in _MEDICINE.finditer(folded) if match["name"] not in _NONE]
    return iter([match for match in found if not match["thing"]] or found)

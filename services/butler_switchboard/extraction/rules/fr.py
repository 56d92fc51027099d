# ruff: noqa: E501 - patterns stay on one line
"""French."""

from __future__ import annotations

from typing import Final

from butler_switchboard.extraction.rules.language import language_of
from butler_switchboard.extraction.signals import SignalType

__all__ = ["FRENCH"]

_MUCH: Final = r"(?:très |vraiment |un peu |si )?"
_FEELING: Final = "fâchée?|triste|fière?|inquiète?|inquiet|déçue?|heureux|heureuse|stressée?|furieux|furieuse|jaloux|jalouse|en colère|contente?"
_OF: Final = r"(?:de |d['’])"
_NOW: Final = r"(?:enfin |récemment )?"

FRENCH: Final = language_of(
    kin=(
        r"(?:[Mm]on|[Mm]a|[Mm]es|[Nn]otre|[Nn]os) (?:(?:petite?|grande?|meilleure?|nouvelle|nouveau|vieille|vieil) )?"
        r"(?:mère|maman|père|papa|parents|sœur|soeur|frère|femme|mari|compagne|compagnon|copine|copain|amie?|fils|fille|enfants|tante|oncle|cousine?|nièce|neveu|grand-mère|grand-père|grands-parents|mamie|papi|belle-mère|beau-père|belle-sœur|beau-frère|patronn?e?|cheffe?|collègue|voisine?|filleule?)"
        r"(?![\w-])"
    ),
    no_names=(
        "Je|Tu|Il|Elle|On|Nous|Vous|Ils|Elles|Le|La|Les|Un|Une|Des|Du|De|Mon|Ma|Mes|Ton|Ta|Tes|Son|Sa|Ses|Notre|Nos|Votre|Vos|Leur|Et|Mais|Ou|Où|Que|Qui|Quoi|Quand|Comment|Pourquoi|Ce|Cet|Cette|Ces|Ça|Cela|Oui|Non|Merci|Bonjour|Salut"
        "|Malheureusement|Heureusement|Enfin|Apparemment|Après|Avant|Comme|Donc|Est|Aujourd|Maintenant|Puis|Aussi|Pour|Avec|Chez"
        "|Hier|Demain|Si|Tout|Tous|Personne|Quelqu|Rien|Monsieur|Madame|Lundi|Mardi|Mercredi|Jeudi|Vendredi|Samedi|Dimanche|Janvier|Février|Mars|Avril|Mai|Juin|Juillet|Août|Septembre|Octobre|Novembre|Décembre|Noël|Pâques"
    ),
    joins=("que", "et", "mais", "car"),
    undoes=r"\b(?:ne|pas|plus jamais|jamais|aucune?|si|peut-être|voudrai\w*|pourrai\w*|aurait|serait|devrait|sans doute|soi-disant)\b|\bn['’]",
    phrases={
        SignalType.CONTACT: (
            rf"\b(?:[Ll]e (?:nouveau )?(?:numéro|téléphone|portable|mail)|[Ll]a nouvelle adresse|[Ll]['’](?:adresse|e-?mail)) {_OF}WHO est (?:le |au )?VALUE",
            rf"\b(?:[Ll]e (?:nouveau )?mail|[Ll]['’](?:adresse|e-?mail)) {_OF}WHO est [\w.+-]{{1,60}}@[\w.-]{{1,60}}",
        ),
        SignalType.INTERACTION: (
            r"\b[Jj]['’]ai (?:vu|croisé|retrouvé) KIN",
            r"\b[Jj]['’]ai (?:rencontré|appelé) WHO",
            r"\b(?:[Jj]['’]ai|[Oo]n a|[Nn]ous avons) (?:déjeuné|dîné|mangé|parlé|discuté|(?:bu|pris) un (?:café|verre)) avec WHO",
            r"\b[Jj]['’]ai (?:parlé|rendu visite|téléphoné) à WHO",
        ),
        SignalType.LIFE_EVENT: (
            r"HEADWHO est (?:enceinte|morte?|décédée?|fiancée?)(?!\w)",
            rf"HEADWHO s['’]est {_NOW}(?:mariée?|fiancée?)(?!\w)",
            rf"HEADWHO a {_NOW}(?:déménagé(?: à REST)?|eu un (?:bébé|enfant)|accouché|divorcé|pris sa retraite|trouvé un nouveau (?:travail|emploi)|perdu son (?:travail|emploi))(?!\w)",
            r"HEADWHO (?:se marie|attend un (?:bébé|enfant)|déménage à REST|divorce)(?!\w)",
        ),
        SignalType.DATE: (
            rf"\b[Ll]['’]anniversaire {_OF}WHO est (?:le )?VALUE",
            r"HEADWHO est née? (?:le|en) VALUE",
            r"HEADWHO (?:fête ses|va avoir|aura) \d{1,3} ans",
        ),
        SignalType.FACT: (
            r"HEADWHO est (?:allergique (?:à|aux?) REST|végétarien(?:ne)?|végane?|diabétique|intolérante? au (?:lactose|gluten)|gauchère?)(?!\w)",
            r"HEADWHO (?:travaille (?:chez|comme|à|pour) REST|habite (?:maintenant )?(?:à|en|au|chez) REST|vit (?:maintenant )?(?:à|en|au|avec) REST|parle (?:le |l['’])?(?:français|anglais|allemand|espagnol|italien|\w+ais)|étudie REST)",
            r"HEADWHO (?:aime|adore|déteste|préfère) (?!me\b|moi\b|nous\b|ça\b|cela\b)REST",
        ),
        SignalType.SENTIMENT: (
            rf"HEADWHO (?:est|était|semble|semblait) {_MUCH}(?:{_FEELING})(?!\w)",
            rf"\b[Jj]e suis {_MUCH}(?:fière? de|inquiète? pour|inquiet pour|fâchée? contre|en colère contre) WHO",
            r"HEADWHO me manque",
        ),
        SignalType.GIFT: (
            r"HEADWHO (?:m['’]|nous )a offert REST",
            r"\b[Jj]['’]ai offert REST à WHO",
            r"\b(?:[Cc]adeaux?|[Ii]dées? de cadeau) pour WHO",
        ),
        SignalType.LOAN: (
            r"HEADWHO (?:m['’]|nous )a prêté REST",
            r"\b[Jj]['’]ai prêté REST à WHO",
            r"HEADWHO me doit (?:encore )?REST",
            r"\b[Jj]e dois (?:encore )?(?=\d)REST à WHO",
            r"\b[Jj]['’]ai emprunté REST à WHO",
        ),
    },
)  # fmt: skip
"""The phrases of French."""

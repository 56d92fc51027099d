"""Recognises shops and goods: beside a price, they were paid for (pure). EN, DE, FR, ES.

Invariant: a person visited at an hour is no shop here, so that "dentist 15.30" stays an hour.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["SHOPS", "names_a_purchase"]

SHOPS: Final = (
    r"aldi|lidl|rewe|edeka|penny|netto|kaufland|dm|rossmann|ikea|obi|bauhaus|hornbach|saturn|media ?markt|zalando"
    r"|amazon|ebay|etsy|vinted|tesco|sainsbury'?s?|asda|morrisons|waitrose|co-?op|boots|superdrug|primark|argos|h&m"
    r"|zara|c&a|decathlon|carrefour|auchan|leclerc|intermarche|monoprix|franprix|picard|fnac|darty|leroy merlin"
    r"|mercadona|eroski|alcampo|el corte ingles|corte ingles|consum|migros|denner|delhaize|colruyt|albert heijn|hema"
    r"|kruidvat|exki|starbucks|mcdonald'?s|mcdo|burger king|kfc|shell|esso|aral|repsol|cepsa"
)
_PLACES: Final = (
    r"supermarkets?|market|shop|store|groceries|grocery|bakery|baker|butcher|chemist|pharmacy|petrol station|takeaway"
    r"|off-?licence|newsagent|greengrocer|supermarkt|markt|laden|backer|backerei|metzger|apotheke|tankstelle|drogerie"
    r"|kiosk|baumarkt|marche|supermarche|boulangerie|boulanger|boucherie|pharmacie|epicerie|tabac|traiteur|super"
    r"|supermercado|mercado|panaderia|carniceria|farmacia|fruteria|gasolinera|estanco|tienda|el chino|ferreteria"
)
_GOODS: Final = (
    r"food|lunch|dinner|takeout|pizza|coffee|beers?|drinks|wine|petrol|fuel|parking|bus fare|train fare|shoes|clothes"
    r"|books?|toys?|flowers|nappies|diapers|einkauf|lebensmittel|essen|mittagessen|kaffee|bier|getranke|wein|benzin"
    r"|sprit|getankt|parken|schuhe|kleidung|bucher|blumen|windeln|courses|dejeuner|diner|cafe|biere|vin|essence|parking"
    r"|chaussures|vetements|livres?|fleurs|couches|compra|comida|cena|almuerzo|cervezas?|vino|gasolina|aparcamiento"
    r"|zapatos|ropa|libros?|flores|panales|menu|tickets?|entradas?|fahrkarten?"
)
_NAMED: Final = re.compile(rf"(?<!\w)(?:{SHOPS}|{_PLACES}|{_GOODS})(?!\w)")


def names_a_purchase(folded: str) -> bool:
    """Return whether a folded clause names a shop, a kind of shop or common goods."""
    return _NAMED.search(folded) is not None

# ruff: noqa: E501 - word lists stay on one line
"""Words that name a moment in an answer to "When?": "first thing", "nach dem Essen" (pure)."""

from __future__ import annotations

from typing import Final

from butler_kit.textmodel.features import fold

__all__ = ["MOMENT_WORDS"]

MOMENT_WORDS: Final = frozenset(
    fold(
        "every each weekdays weekday weekends daily weekly monthly mondays tuesdays wednesdays thursdays fridays saturdays sundays mornings evenings nights afternoons"
        " half quarter past minute mins min hrs hr couple few thing early late earlier breakfast lunch lunchtime dinner supper tea bed bedtime sleep work school around about until till five ten fifteen twenty thirty four six seven eight nine eleven twelve"
        " mon tue wed thu fri sat sun tmrw tmr tomoz 2moro jan feb mar apr jun jul aug sept oct nov dec th st nd rd maybe preferably day's"
        " jeden jede jedes alle werktags wochentags täglich wöchentlich monatlich montags dienstags mittwochs donnerstags freitags samstags sonntags morgens mittags abends nachts vormittags nachmittags viertel viertelstunde halbe halben dreiviertelstunde minute gegen bis"
        " montagabend dienstagabend mittwochabend donnerstagabend freitagabend samstagabend sonntagabend frühstück mittagessen abendessen essen bett schlafen schlafengehen arbeit feierabend schule zwei drei vier fünf sechs sieben acht neun zehn elf zwölf ner nem wochenende sofort gleich lieber erst besser jeweils"
        " tous toutes chaque jours quart d'heure demi demie demi-heure trois quatre cinq six sept huit neuf dix onze douze vers petit déjeuner dîner déjeuner dormir coucher travail école jusqu'à premier tôt plutôt en week-end samedis dimanches lundis mardis mercredis jeudis vendredis soirs matins"
        " dentro cada todos todas media cuarto mediodía medianoche minutos minuto tres cuatro cinco seis siete ocho nueve diez once doce desayuno desayunar comer comida cenar cena dormir acostarme trabajo colegio cole primera hasta sobre mañanas tardes noches temprano finde fin lunes-viernes"
    ).split()
)

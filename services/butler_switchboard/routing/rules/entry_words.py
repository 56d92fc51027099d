# ruff: noqa: E501 - word lists stay on one line
"""Words used to change an entry or to ask for one that do not name it (folded). EN, DE, FR, ES."""

from __future__ import annotations

from typing import Final

__all__ = ["SAID_BESIDE"]

_SAID: Final = (
    "move shift push bring forward back postpone reschedule change cancel delete remove drop scrap moved rescheduled"
    " postponed cancelled canceled called verschiebe verschieb verschieben verlege verleg verlegen storniere stornieren"
    " losche loschen streiche streich entferne sage absagen abgesagt verschoben verlegt fallt deplace decale reporte"
    " avance annule supprime efface enleve deplacer decaler reporter annuler supprimer mueve mover cambia aplaza aplazar"
    " pasa pasar adelanta cancela cancelar anula borra borrar elimina quita appointment appointments termin termine"
    " sparen weglassen raye barre pris uns euch konnen konnt kannst flach wasser leider statt findet repoussee repousse pushed brought hour heure stunde hora finalement lamentablemente"
    " rendez rdv cita citas reminder erinnerung rappel recordatorio please bitte peux puedes kannst could again nochmal"
    " encore stp svp plait porfa favor thanks danke merci gracias muss musst mussen soll sollen sollte haben hat have has need needs must should"
    " dois doit devons faut tengo tiene tenemos que kommt kommen come comes coming arrive arrives vient viene llega name heisst heisse hiess number code"
    " appelle llama numero nummer telefonnummer handynummer tall heavy much does gross schwer viel combien cuanto cual quel quelle noch denn eigentlich"
)
SAID_BESIDE: Final = frozenset(_SAID.split())

# ruff: noqa: E501 - patterns and word lists stay on one line
"""Words of a request that name no entry, such as verbs and articles (pure). EN, DE, FR, ES."""

from __future__ import annotations

from typing import Final

from butler_kit.wording.folding import words

__all__ = ["GRAMMAR"]

GRAMMAR: Final = words(
    "beim bei zum zur ins vor nach auch heute gestern into onto over under towards sin sobre today yesterday hier ayer hoy"
    " the that this those these and with from for off out our your please last latest entry entries item items"
    " record records delete remove cancel undo move change reschedule postpone update correct forget mark tick cross"
    " check strike erase withdraw discard drop scrap take back ignore disregard scratch done paid bought got"
    " finished picked just already been have has had now are was were not instead actually sorry should could would"
    " you can want need moved rescheduled postponed shifted verschoben verlegt reportee deplacee decalee aplazada"
    " aplazado cambiada about again its him her them all everything settled settle close complete completed date day"
    " time amount sum shift push bring rather than wrong right mean meant did does cost costs make put noted one"
    " ones were's finally eur euro euros usd gbp chf dollar dollars pound pounds franken cents cent what why how"
    " when oclock der die das den dem des ein eine einen mit von vom auf bitte loschen losche losch storniere"
    " stornieren verschiebe verschieben verschieb ruckgangig mach mache vergiss verlege verlegen streiche streich"
    " streichen entferne entfernen nimm hake hak markiere als ist sind war waren wurde habe haben hab wir ich mich"
    " mir uns noch schon nicht statt sondern doch eigentlich nein eintrag eintrage letzte letzten letzter bezahlt"
    " gekauft erledigt besorgt uberwiesen beglichen kostete gekostet andern andere korrigiere meinte falsch richtig"
    " zuruck uhr absagen absage sage sag und mal kannst konntest du fur les une dans pour avec est sont etait annule"
    " annuler supprime supprimer efface effacer enleve enlever retire retirer deplace deplacer reporte reporter"
    " decale changer modifie corrige paye payee achete fait faite termine regle reglee coche marque comme entree"
    " derniere dernier mon mes notre nos vous nous peux pouvez stp svp oublie laisse tomber cela non pas mais"
    " c'etait voulais dire sur chez aux los las una uno unos del con para por este esta eso esa borra borrar"
    " deshacer deshaz deshazlo olvidalo elimina eliminar cancela cancelar anula quita quitar tacha mueve mover"
    " cambia cambiar aplaza comprado pagado hecho pague compre pagamos terminado marca como entrada ultima ultimo"
    " pasa pasar pasalo adelanta adelantar changes modification anderung cambio revert"
    " geputzt gemacht sortiert aufgeraumt bestellt angemeldet abgemeldet gekundigt angerufen abgeholt repariert gewaschen"
    " ordered cleaned sent returned renewed fixed sorted called posted bon lista listo hechas estan esta"
    " wieder encore again otra vez same meme memes gleiche gleichen gleicher gleiches selbe selben misma mismo zeit heure hora mets metsle ponlo ponla"
    " cambialo cambiala muevelo muevela pasala"
    " fue fueron era son nuestra nuestro puedes puede realidad quise decir nevermind"
)

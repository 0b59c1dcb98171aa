"""What sheets say in four languages, beside the names of the game's things (`service.terms`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.terms import TERMS, Said

DECIMAL_COMMA: Final = frozenset(("de", "fr", "ru"))
"""Languages of countries whose spreadsheets part cells with semicolons, and decimals with a comma."""

WORDS: Final[Mapping[str, Said]] = {
    # Titles, heads of columns, and what stands above and below the lines.
    "score_sheet": Said("Score sheet", "Spielzettel", "Feuille de marque", "Протокол"),
    "player_sheet": Said(
        "Player’s sheet: {0}", "Spielerzettel: {0}", "Feuille du joueur : {0}", "Лист игрока: {0}"
    ),
    "after_round": Said(
        "Standings after round {0}",
        "Rangliste nach Runde {0}",
        "Classement après le tour {0}",
        "Положение после тура {0}",
    ),
    "in_all": Said("In all", "Gesamt", "Total général", "Всего"),
    "number": Said("No.", "Nr.", "N°", "№"),
    "role": Said("Role", "Rolle", "Rôle", "Роль"),
    "outcome": Said("Result", "Ergebnis", "Résultat", "Результат"),
    "balance": Said("Check", "Probe", "Contrôle", "Проверка"),
    "money": Said("Money", "Geld", "Argent", "Деньги"),
    "prize": Said("Prize", "Preis", "Dotation", "Приз"),
    "series_bonus": Said(
        "Bonus of series {0}", "Prämie der Partie {0}", "Prime de la partie {0}", "Премия за партию {0}"
    ),
    "rules": Said("Rules", "Regeln", "Règles", "Правила"),
    "date": Said("Date", "Datum", "Date", "Дата"),
    "status": Said("Status", "Stand", "État", "Состояние"),
    "ranking": Said("Ranked by", "Wertung", "Classement par", "Подсчёт"),
    "tie_breaks": Said("Ties broken by", "Bei Gleichstand", "Départage", "При равенстве"),
    "counted": Said("Hands counted", "Gewertete Spiele", "Donnes comptées", "Учтено сдач"),
    "pending": Said(
        "Hands still to be scored", "Spiele in Wertung", "Donnes à calculer", "Сдачи без подсчёта"
    ),
    "disputes": Said("Disputed places", "Strittige Spiele", "Donnes contestées", "Спорные сдачи"),
    "page": Said("Page {0} of {1}", "Seite {0} von {1}", "Page {0} sur {1}", "Страница {0} из {1}"),
    "version": Said("Version {0}", "Version {0}", "Version {0}", "Версия {0}"),
    "empty": Said("Nothing yet.", "Noch nichts.", "Rien pour l’instant.", "Пока пусто."),
    "balances": Said(
        "Every line comes to zero.",
        "Jede Zeile ergibt null.",
        "Chaque ligne est à somme nulle.",
        "Каждая строка даёт ноль.",
    ),
    "unbalanced": Said(
        "Not every line comes to zero!",
        "Nicht jede Zeile ergibt null!",
        "Une ligne au moins n’est pas à somme nulle !",
        "Не каждая строка даёт ноль!",
    ),
    "left_out": Said(
        "Hands that do not count", "Spiele, die nicht zählen", "Donnes non comptées", "Сдачи не в счёт"
    ),
    # Rule sets.
    "rules_illustrated-loew-1954": Said(
        "Illustrated Tarock (Löw 1954)",
        "Dreiertarock (Löw 1954)",
        "Tarock illustré (Löw 1954)",
        "Иллюстрированный тарок (Лёв, 1954)",
    ),
    "rules_illustrated-beck": Said(
        "Illustrated Tarock (Beck)",
        "Dreiertarock (Beck)",
        "Tarock illustré (Beck)",
        "Иллюстрированный тарок (Бек)",
    ),
    "rules_illustrated-mayr-sedlaczek-2016": Said(
        "Illustrated Tarock (Mayr & Sedlaczek 2016)",
        "Dreiertarock (Mayr & Sedlaczek 2016)",
        "Tarock illustré (Mayr & Sedlaczek 2016)",
        "Иллюстрированный тарок (Майр и Седлачек, 2016)",
    ),
    "rules_french-tarot-3": Said(
        "French Tarot for three", "Französisches Tarot zu dritt", "Tarot à trois", "Французское таро на троих"
    ),
    "rules_french-tarot-4": Said(
        "French Tarot for four",
        "Französisches Tarot zu viert",
        "Tarot à quatre",
        "Французское таро на четверых",
    ),
    "rules_french-tarot-5": Said(
        "French Tarot for five", "Französisches Tarot zu fünft", "Tarot à cinq", "Французское таро на пятерых"
    ),
}


def word(language: str, name: str, *parts: object) -> str:
    """The word in a language, with what belongs in its places."""
    said: str = getattr(TERMS.get(name) or WORDS[name], language)
    for at, part in enumerate(parts):
        said = said.replace(f"{{{at}}}", str(part))
    return said


def name_of(language: str, kind: str, value: str) -> str:
    """What one of the interface's ids is called, such as a contract."""
    own = f"{kind}_{value}"
    return word(language, own if own in TERMS else value)


def rules_called(language: str, variant_id: str, name: str) -> str:
    """What a rule set is called; house rules have their own ``name`` in every language."""
    known = f"rules_{variant_id}"
    return word(language, known) if known in WORDS else name

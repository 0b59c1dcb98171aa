"""What sheets say in four languages: the one catalogue. Contracts and bonuses have the field's own names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Said(NamedTuple):
    """A word in each of the languages."""

    en: str
    de: str
    fr: str
    ru: str


LANGUAGES: Final = Said._fields

DECIMAL_COMMA: Final = frozenset(("de", "fr", "ru"))
"""Languages of countries whose spreadsheets part cells with semicolons, and decimals with a comma."""

WORDS: Final[Mapping[str, Said]] = {
    # Titles and heads of columns.
    "standings": Said("Standings", "Rangliste", "Classement", "Положение"),
    "teams": Said("Teams", "Mannschaften", "Équipes", "Команды"),
    "score_sheet": Said("Score sheet", "Spielzettel", "Feuille de marque", "Протокол"),
    "player_sheet": Said(
        "Player’s sheet: {0}", "Spielerzettel: {0}", "Feuille du joueur : {0}", "Лист игрока: {0}"
    ),
    "after_round": Said(
        "Standings after round {0}",
        "Rangliste nach Runde {0}",
        "Classement après la ronde {0}",
        "Положение после тура {0}",
    ),
    "table_n": Said("Table {0}", "Tisch {0}", "Table {0}", "Стол {0}"),
    "round_n": Said("Round {0}", "Runde {0}", "Ronde {0}", "Тур {0}"),
    "place": Said("Place", "Rang", "Rang", "Место"),
    "player": Said("Player", "Spieler", "Joueur", "Игрок"),
    "team": Said("Team", "Mannschaft", "Équipe", "Команда"),
    "players": Said("Players", "Spieler", "Joueurs", "Игроки"),
    "points": Said("Points", "Punkte", "Points", "Очки"),
    "percent": Said("Per cent", "Prozent", "Pour cent", "Проценты"),
    "total": Said("Total", "Summe", "Total", "Сумма"),
    "in_all": Said("In all", "Gesamt", "Total général", "Всего"),
    "penalties": Said("Penalties", "Strafen", "Pénalités", "Штрафы"),
    "penalty": Said("Penalty", "Strafe", "Pénalité", "Штраф"),
    "reason": Said("Reason", "Grund", "Motif", "Причина"),
    "hands": Said("Hands", "Spiele", "Donnes", "Сдачи"),
    "number": Said("No.", "Nr.", "N°", "№"),
    "round": Said("Round", "Runde", "Ronde", "Тур"),
    "rounds": Said("Rounds", "Runden", "Rondes", "Туры"),
    "table": Said("Table", "Tisch", "Table", "Стол"),
    "dealer": Said("Dealer", "Geber", "Donneur", "Сдающий"),
    "declarer": Said("Declarer", "Spieler", "Preneur", "Разыгрывающий"),
    "partner": Said("Partner", "Partner", "Appelé", "Партнёр"),
    "role": Said("Role", "Rolle", "Rôle", "Роль"),
    "contract": Said("Contract", "Kontrakt", "Contrat", "Контракт"),
    "card_points": Said("Card points", "Augen", "Points faits", "Карточные очки"),
    "outcome": Said("Result", "Ergebnis", "Résultat", "Результат"),
    "bonuses": Said("Bonuses", "Prämien", "Primes", "Премии"),
    "balance": Said("Check", "Probe", "Contrôle", "Проверка"),
    "money": Said("Money", "Geld", "Argent", "Деньги"),
    "prize": Said("Prize", "Preis", "Dotation", "Приз"),
    "series_bonus": Said(
        "Bonus of series {0}", "Prämie der Partie {0}", "Prime de la partie {0}", "Премия за партию {0}"
    ),
    "rules": Said("Rules", "Regeln", "Règles", "Правила"),
    "date": Said("Date", "Datum", "Date", "Дата"),
    "status": Said("Status", "Stand", "État", "Состояние"),
    "open": Said("open", "offen", "en cours", "идёт"),
    "closed": Said("closed", "abgeschlossen", "close", "завершено"),
    "ranking": Said("Ranked by", "Wertung nach", "Classement par", "Подсчёт по"),
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
    "changed": Said(
        "Changed since closing",
        "Seit dem Abschluss geändert",
        "Modifié depuis la clôture",
        "Изменено после завершения",
    ),
    # Columns of results that are on no sheet.
    "oudlers": Said("Oudlers", "Oudlers", "Bouts", "Удлеры"),
    "stake": Said("Stake", "Stufe", "Enchère", "Ставка"),
    "contra": Said("Contra", "Kontra", "Contre", "Контра"),
    "contra_stage": Said("Contra when", "Kontra wann", "Contre quand", "Контра когда"),
    "tricks": Said("Tricks", "Stiche", "Plis", "Взятки"),
    "annulled": Said("Annulled", "Annulliert", "Annulée", "Аннулирована"),
    # What may stand in their cells.
    "cell_none": Said("none", "kein", "aucun", "нет"),
    "cell_contra": Said("contra", "Kontra", "contre", "контра"),
    "cell_recontra": Said("recontra", "Rekontra", "surcontre", "реконтра"),
    "cell_before_pickup": Said("before pickup", "vor dem Talon", "avant l’écart", "до прикупа"),
    "cell_after_pickup": Said("after pickup", "nach dem Talon", "après l’écart", "после прикупа"),
    "cell_silent": Said("silent", "still", "non annoncé", "без объявления"),
    "cell_single": Said("single", "einfach", "simple", "простая"),
    "cell_double": Said("double", "doppelt", "double", "двойная"),
    "cell_triple": Said("triple", "dreifach", "triple", "тройная"),
    "cell_made": Said("made", "gemacht", "gagné", "сделано"),
    "cell_lost": Said("lost", "verloren", "chuté", "проиграно"),
    "cell_announced": Said("announced", "angekündigt", "déclaré", "объявлено"),
    "cell_all_passed": Said("all passed", "alle gepasst", "tous passent", "все пасовали"),
    "cell_redeal": Said("redeal", "neu gegeben", "redonne", "пересдача"),
    "cell_petit_sec": Said("petit sec", "petit sec", "petit sec", "пти сек"),
    "cell_misdeal": Said("misdeal", "vergeben", "maldonne", "ошибка сдачи"),
    "cell_director": Said("director", "Turnierleitung", "arbitre", "судья"),
    # What became of a hand, and who was what in it.
    "won": Said("won", "gewonnen", "réussi", "выиграно"),
    "lost": Said("lost", "verloren", "chuté", "проиграно"),
    "role_declarer": Said("declarer", "Spieler", "preneur", "разыгрывающий"),
    "role_partner": Said("partner", "Partner", "appelé", "партнёр"),
    "role_defender": Said("defender", "Gegner", "défenseur", "защитник"),
    "role_player": Said("player", "Mitspieler", "joueur", "игрок"),
    # Why a hand does not count.
    "why": Said("does not count: {0}", "zählt nicht: {0}", "ne compte pas : {0}", "не в счёт: {0}"),
    "left_out": Said(
        "Hands that do not count", "Spiele, die nicht zählen", "Donnes non comptées", "Сдачи не в счёт"
    ),
    "why_disputed": Said("disputed", "strittig", "contestée", "оспорена"),
    "why_not_chosen": Said("not chosen", "nicht gewählt", "non retenue", "не выбрана"),
    "why_other_game": Said("another game", "anderes Spiel", "autre jeu", "другая игра"),
    "why_other_players": Said("other players", "andere Spieler", "autres joueurs", "другие игроки"),
    "why_other_variant": Said("other rules", "andere Regeln", "autres règles", "другие правила"),
    "why_other_contract": Said("another contract", "anderer Kontrakt", "autre contrat", "другой контракт"),
    "why_no_place": Said("no place", "ohne Platz", "sans place", "без места"),
    "why_outside": Said("outside the tournament", "außerhalb des Turniers", "hors tournoi", "вне турнира"),
    "why_struck": Said("struck", "gestrichen", "rayée", "вычеркнута"),
    "why_due": Said("being scored", "wird gewertet", "en cours de calcul", "подсчитывается"),
    "why_pending": Said("being scored", "wird gewertet", "en cours de calcul", "подсчитывается"),
    "why_incomplete": Said("incomplete", "unvollständig", "incomplète", "не закончена"),
    "why_annulled": Said("annulled", "annulliert", "annulée", "аннулирована"),
    "why_void": Said("void", "ungültig", "nulle", "недействительна"),
    "why_irregular": Said("irregular", "regelwidrig", "irrégulière", "с нарушением"),
    "why_failed": Said("not scored", "nicht gewertet", "non calculée", "не подсчитана"),
    "why_half_points": Said("half points", "halbe Punkte", "demi-points", "половины очков"),
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
    # Rankings and tie-breaks.
    "ranking_points": Said("points", "Punkten", "points", "очкам"),
    "ranking_table_points": Said(
        "points for places at the table",
        "Punkten für Tischplätze",
        "points de place à la table",
        "очкам за места за столом",
    ),
    "ranking_percentage": Said(
        "duplicate percentages", "Prozenten (Duplikat)", "pourcentages (duplicate)", "процентам (дупликат)"
    ),
    "tie_contracts_won": Said(
        "Contracts won", "Gewonnene Kontrakte", "Contrats réussis", "Выиграно контрактов"
    ),
    "tie_positive_hands": Said("Hands above zero", "Spiele im Plus", "Donnes positives", "Сдачи в плюсе"),
    "tie_best_hand": Said("Best hand", "Bestes Spiel", "Meilleure donne", "Лучшая сдача"),
    "tie_worst_hand": Said("Worst hand", "Schlechtestes Spiel", "Pire donne", "Худшая сдача"),
    "tie_best_round": Said("Best round", "Beste Runde", "Meilleure ronde", "Лучший тур"),
    "tie_last_round": Said("Last round", "Letzte Runde", "Dernière ronde", "Последний тур"),
    "tie_penalties": Said("Penalties", "Strafen", "Pénalités", "Штрафы"),
    # Contracts, how they were won, and bonuses.
    "contract_dreiblatt": Said("Dreiblatt", "Dreiblatt", "Dreiblatt", "Драйблат"),
    "contract_zweiblatt": Said("Zweiblatt", "Zweiblatt", "Zweiblatt", "Цвайблат"),
    "contract_einblatt": Said("Einblatt", "Einblatt", "Einblatt", "Айнблат"),
    "contract_solo": Said("Solo", "Solo", "Solo", "Соло"),
    "contract_trischaken": Said("Trischaken", "Trischaken", "Trischaken", "Тришакен"),
    "contract_prise": Said("Prise", "Prise", "Prise", "Приз"),
    "contract_garde": Said("Garde", "Garde", "Garde", "Гард"),
    "contract_garde_sans": Said("Garde sans", "Garde sans", "Garde sans", "Гард сан"),
    "contract_garde_contre": Said("Garde contre", "Garde contre", "Garde contre", "Гард контр"),
    "stake_called": Said("called", "angesagt", "annoncé", "заявлен"),
    "stake_taken_over": Said("taken over", "übernommen", "repris", "перехвачен"),
    "stake_held": Said("held", "gehalten", "tenu", "удержан"),
    "stake_retaken": Said("retaken", "zurückgenommen", "repris de nouveau", "перехвачен снова"),
    "bonus_pagat": Said("Pagat", "Pagat", "Pagat", "Пагат"),
    "bonus_uhu": Said("Uhu", "Uhu", "Uhu", "Уху"),
    "bonus_forty": Said("Forty", "Vierzig", "Quarante", "Сорок"),
    "bonus_fifty": Said("Fifty", "Fünfzig", "Cinquante", "Пятьдесят"),
    "bonus_without_trull": Said("Without trull", "Ohne Trull", "Sans trull", "Без трулля"),
    "bonus_without_kings": Said("Without kings", "Ohne Könige", "Sans rois", "Без королей"),
    "bonus_tarock_trull": Said("Tarock trull", "Tarocktrull", "Trull d’atouts", "Тарок-трулль"),
    "bonus_royal_trull": Said("Royal trull", "Königstrull", "Trull royal", "Королевский трулль"),
    "bonus_two_honours": Said("Two honours", "Zwei Honneurs", "Deux honneurs", "Два онёра"),
    "bonus_valat": Said("Valat", "Valat", "Valat", "Валат"),
    "bonus_petit_au_bout": Said("Petit au bout", "Petit au bout", "Petit au bout", "Пти-о-бу"),
    "bonus_handful": Said("Handful", "Handvoll", "Poignée", "Пуанье"),
    "bonus_slam": Said("Slam", "Schlemm", "Chelem", "Шлем"),
    "bonus_trischaken_no_trick": Said("No trick", "Kein Stich", "Aucun pli", "Без взяток"),
}


def word(language: str, name: str, *parts: object) -> str:
    """The word in a language, with what belongs in its places."""
    said: str = getattr(WORDS[name], language)
    for at, part in enumerate(parts):
        said = said.replace(f"{{{at}}}", str(part))
    return said


def name_of(language: str, kind: str, value: str) -> str:
    """What one of the interface's ids is called, such as a contract."""
    return word(language, f"{kind}_{value}")


def rules_called(language: str, variant_id: str, name: str) -> str:
    """What a rule set is called; house rules have their own ``name`` in every language."""
    known = f"rules_{variant_id}"
    return word(language, known) if known in WORDS else name

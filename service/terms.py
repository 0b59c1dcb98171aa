"""What the game's things are called in four languages: the one table, for sheets of paper and for pages.

Most names are those of ids of the interface. An id that means something else in another place has that
place before it there (``why_annulled``, ``role_player``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from records.wire import dumps


class Said(NamedTuple):
    """A word in each of the languages."""

    en: str
    de: str
    fr: str
    ru: str


LANGUAGES: Final = Said._fields

_CARD_POINTS: Final = Said("Card points", "Augen", "Points faits", "Очки в картах")
_TRICKS: Final = Said("Tricks", "Stiche", "Plis", "Взятки")

TERMS: Final[Mapping[str, Said]] = {
    # Standings and sheets.
    "standings": Said("Standings", "Rangliste", "Classement", "Положение"),
    "place": Said("Place", "Rang", "Rang", "Место"),
    "player": Said("Player", "Spieler", "Joueur", "Игрок"),
    "players": Said("Players", "Spieler", "Joueurs", "Игроки"),
    "team": Said("Team", "Mannschaft", "Équipe", "Команда"),
    "teams": Said("Teams", "Mannschaften", "Équipes", "Команды"),
    "points": Said("Points", "Punkte", "Points", "Очки"),
    "total": Said("Total", "Summe", "Total", "Сумма"),
    "penalties": Said("Penalties", "Strafen", "Pénalités", "Штрафы"),
    "penalty": Said("Penalty", "Strafe", "Pénalité", "Штраф"),
    "reason": Said("Reason", "Grund", "Motif", "Причина"),
    "hand": Said("Hand", "Spiel", "Donne", "Сдача"),
    "hands": Said("Hands", "Spiele", "Donnes", "Сдачи"),
    "round": Said("Round", "Runde", "Tour", "Тур"),
    "rounds": Said("Rounds", "Runden", "Tours", "Туры"),
    "round_n": Said("Round {0}", "Runde {0}", "Tour {0}", "Тур {0}"),
    "table": Said("Table", "Tisch", "Table", "Стол"),
    "table_n": Said("Table {0}", "Tisch {0}", "Table {0}", "Стол {0}"),
    "dealer": Said("Dealer", "Geber", "Donneur", "Сдающий"),
    "open": Said("Open", "Offen", "En cours", "Идёт"),
    "closed": Said("Closed", "Abgeschlossen", "Clos", "Завершено"),
    "changed": Said(
        "Changed since closing",
        "Seit dem Abschluss geändert",
        "Modifié depuis la clôture",
        "Изменено после завершения",
    ),
    # Rankings and tie-breaks.
    "table_points": Said("Table points", "Tischpunkte", "Points de table", "Очки за столы"),
    "percentage": Said("Per cent", "Prozent", "Pourcentage", "Проценты"),
    "contracts_won": Said("Contracts won", "Gewonnene Kontrakte", "Contrats réussis", "Выиграно контрактов"),
    "positive_hands": Said("Positive hands", "Spiele im Plus", "Donnes positives", "Сдачи в плюсе"),
    "best_hand": Said("Best hand", "Bestes Spiel", "Meilleure donne", "Лучшая сдача"),
    "worst_hand": Said("Worst hand", "Schlechtestes Spiel", "Pire donne", "Худшая сдача"),
    "best_round": Said("Best round", "Beste Runde", "Meilleur tour", "Лучший тур"),
    "last_round": Said("Last round", "Letzte Runde", "Dernier tour", "Последний тур"),
    # Who was what in a hand. In German a declarer is a Spieler, too.
    "declarer": Said("Declarer", "Spieler", "Preneur", "Разыгрывающий"),
    "partner": Said("Partner", "Partner", "Appelé", "Партнёр"),
    "defender": Said("Defender", "Gegner", "Défenseur", "Защитник"),
    "role_player": Said("Player", "Mitspieler", "Joueur", "Игрок"),
    # What a result tells.
    "contract": Said("Contract", "Kontrakt", "Contrat", "Контракт"),
    "stake": Said("How it was won", "Wie ersteigert", "Enchère", "Как взят"),
    "card_points": _CARD_POINTS,
    "card_points_by_player": _CARD_POINTS,
    "tricks": _TRICKS,
    "tricks_by_player": _TRICKS,
    "oudlers": Said("Oudlers", "Oudlers", "Bouts", "Удлеры"),
    "contra_stage": Said("Contra when", "Kontra wann", "Contre quand", "Контра когда"),
    "bonuses": Said("Bonuses", "Prämien", "Primes", "Премии"),
    "size": Said("Size", "Größe", "Taille", "Размер"),
    "annulled": Said("Annulled", "Annulliert", "Annulée", "Аннулирована"),
    "won": Said("won", "gewonnen", "réussi", "выиграно"),
    "lost": Said("lost", "verloren", "chuté", "проиграно"),
    # Contracts, and how they were won.
    "dreiblatt": Said("Dreiblatt", "Dreiblatt", "Dreiblatt", "Драйблат"),
    "zweiblatt": Said("Zweiblatt", "Zweiblatt", "Zweiblatt", "Цвайблат"),
    "einblatt": Said("Einblatt", "Einblatt", "Einblatt", "Айнблат"),
    "solo": Said("Solo", "Solo", "Solo", "Соло"),
    "trischaken": Said("Trischaken", "Trischaken", "Trischaken", "Тришакен"),
    "prise": Said("Prise", "Prise", "Prise", "Приз"),
    "garde": Said("Garde", "Garde", "Garde", "Гард"),
    "garde_sans": Said("Garde sans", "Garde sans", "Garde sans", "Гард сан"),
    "garde_contre": Said("Garde contre", "Garde contre", "Garde contre", "Гард контр"),
    "called": Said("called", "angesagt", "demandé", "заявлен"),
    "taken_over": Said("taken over", "abgelöst", "repris", "перехвачен"),
    "held": Said("held", "gehalten", "tenu", "удержан"),
    "retaken": Said("retaken", "zurückgeholt", "repris à nouveau", "перехвачен снова"),
    # Contras, and when they or a bonus were said.
    "none": Said("none", "keines", "aucun", "нет"),
    "contra": Said("Contra", "Kontra", "Contre", "Контра"),
    "recontra": Said("Recontra", "Rekontra", "Surcontre", "Реконтра"),
    "before_pickup": Said("before the talon", "vor dem Talon", "avant le talon", "до прикупа"),
    "after_pickup": Said("after the talon", "nach dem Talon", "après le talon", "после прикупа"),
    "silent": Said("silent", "still", "muet", "молча"),
    "announced": Said("announced", "angekündigt", "annoncé", "объявлено"),
    "not_announced": Said("not announced", "nicht angekündigt", "non annoncé", "не объявлено"),
    "by_defenders": Said("by the defence", "der Gegenseite", "de la défense", "у защиты"),
    "made": Said("made", "gemacht", "réussi", "сделано"),
    "failed": Said("failed", "verloren", "manqué", "не сделано"),
    # Bonuses.
    "pagat": Said("Pagat", "Pagat", "Pagat", "Пагат"),
    "uhu": Said("Uhu", "Uhu", "Uhu", "Уху"),
    "forty": Said("Forty", "Absolut", "Quarante", "Сорок"),
    "fifty": Said("Fifty", "Panzer", "Cinquante", "Пятьдесят"),
    "without_trull": Said("Without Trull", "Ohne Trull", "Sans Trull", "Без трулля"),
    "without_kings": Said("Without Kings", "Ohne Könige", "Sans rois", "Без королей"),
    "tarock_trull": Said("Tarock Trull", "Tarocktrull", "Trull d’atouts", "Тарок-трулль"),
    "royal_trull": Said("Royal Trull", "Königstrull", "Trull royal", "Королевский трулль"),
    "two_honours": Said("Two honours", "Zwei Trullstücke", "Deux honneurs", "Два онёра"),
    "valat": Said("Valat", "Valat", "Valat", "Валат"),
    "petit_au_bout": Said("Petit au bout", "Petit au bout", "Petit au bout", "Пти-о-бу"),
    "handful": Said("Handful", "Poignée", "Poignée", "Пуанье"),
    "single": Said("single", "einfach", "simple", "простая"),
    "double": Said("double", "doppelt", "double", "двойная"),
    "triple": Said("triple", "dreifach", "triple", "тройная"),
    "slam": Said("Slam", "Schlemm", "Chelem", "Шлем"),
    # Other lines of a score sheet.
    "game": Said("Game", "Spiel", "Jeu", "Игра"),
    "overshoot": Said("Over", "Darüber", "En plus", "Сверх"),
    "undershoot": Said("Under", "Darunter", "En moins", "Недобор"),
    "trischaken_no_trick": Said("No trick", "Kein Stich", "Aucun pli", "Без взяток"),
    # Why a hand was annulled.
    "all_passed": Said("all passed", "alle gepasst", "tous passent", "все пасовали"),
    "redeal": Said("dealt again", "neu gegeben", "redonne", "пересдача"),
    "petit_sec": Said("petit sec", "Petit sec", "petit sec", "пти сек"),
    "misdeal": Said("misdeal", "vergeben", "maldonne", "ошибка сдачи"),
    "director": Said("director", "Turnierleitung", "arbitre", "судья"),
    # Why a hand does not count.
    "counts_not": Said("does not count: {0}", "zählt nicht: {0}", "ne compte pas : {0}", "не в счёт: {0}"),
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
}


@cache
def as_script() -> bytes:
    """The table for pages: a script with a constant ``TERMS``, by language and name."""
    said = {lang: {name: getattr(one, lang) for name, one in TERMS.items()} for lang in LANGUAGES}
    return b'"use strict";\nconst TERMS = ' + dumps(said) + b";\n"

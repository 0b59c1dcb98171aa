"use strict";
// What the pages say, in four languages. At the end of each stand the names of contracts, bonuses and lines of a sheet.
const WORDS = {
  en: {
    language: "Language", standings: "Standings", place: "Place", player: "Player", points: "Points",
    penalties: "Penalties", hands: "Hands", latest: "Last hands", chart: "Running totals",
    figures: "All figures as a table", hand: "Hand", total: "Total", live: "Live", closed: "Closed",
    away: "No connection; trying again", gone: "This link leads to no board any more.",
    none: "No hand has been scored yet.", won: "won", lost: "lost", declarer: "Declarer", base: "Base",
    series: "Series {0}", bonus: "Bonus", scored: "Hand {0} is scored", counts_not: "does not count: {0}",
    disputed: "disputed", due: "being scored", annulled: "annulled", other: "not of this session",
    progress: "Rounds", players: "Players", teams: "Teams", team: "Team", whose: "Standings of", moment: "As of", now: "Now",
    find: "Find a player", nobody: "Nobody here is called so.", previous: "Previous", next: "Next", pause: "Pause",
    resume: "Go on", places: "{0}–{1} of {2}", round: "Round {0}", round_short: "R", table: "Table {0}",
    after_round: "After round {0}", tables_done: "{0} of {1} tables", missing: "Missing: {0}", more: "and {0} more",
    undecided: "Waiting for the director: {0}", place_of: "round {0}, table {1}, hand {2}", leads: "{0} leads",
    changed: "Changed since the tournament was closed", ties_broken: "Ties are broken by: {0}",
    ties_shared: "Ties share the place", table_points: "Table points", percentage: "Per cent",
    contracts_won: "Contracts won", positive_hands: "Positive hands", best_hand: "Best hand", worst_hand: "Worst hand",
    best_round: "Best round", last_round: "Last round",
    contract: "Contract",
    single: "single", double: "double", triple: "triple", pagat: "Pagat", uhu: "Uhu", forty: "40 points", fifty: "50 points",
    without_trull: "Without a Trull card", without_kings: "Without a King", tarock_trull: "Trull in hand",
    royal_trull: "Royal Trull", two_honours: "Two honours", valat: "Valat", petit_au_bout: "Petit au bout",
    handful: "Handful", slam: "Slam", prise: "Prise", garde: "Garde", garde_sans: "Garde sans", garde_contre: "Garde contre",
    dreiblatt: "Dreiblatt", zweiblatt: "Zweiblatt", einblatt: "Einblatt", solo: "Solo", trischaken: "Trischaken",
    game: "Game", overshoot: "Over", undershoot: "Under", penalty: "Penalty", trischaken_no_trick: "No trick",
  },
  de: {
    language: "Sprache", standings: "Rangliste", place: "Rang", player: "Spieler", points: "Punkte",
    penalties: "Strafen", hands: "Spiele", latest: "Letzte Spiele", chart: "Verlauf",
    figures: "Alle Zahlen als Tabelle", hand: "Spiel", total: "Summe", live: "Live", closed: "Abgeschlossen",
    away: "Keine Verbindung; neuer Versuch läuft", gone: "Dieser Link führt zu keiner Tafel mehr.",
    none: "Noch ist kein Spiel gewertet.", won: "gewonnen", lost: "verloren", declarer: "Spieler", base: "Grundwert",
    series: "Partie {0}", bonus: "Prämie", scored: "Spiel {0} ist gewertet", counts_not: "zählt nicht: {0}",
    disputed: "strittig", due: "wird gewertet", annulled: "annulliert", other: "nicht aus dieser Runde",
    progress: "Runden", players: "Spieler", teams: "Mannschaften", team: "Mannschaft", whose: "Rangliste der", moment: "Stand",
    now: "Jetzt",
    find: "Spieler suchen", nobody: "Hier heißt niemand so.", previous: "Zurück", next: "Weiter", pause: "Anhalten",
    resume: "Weiterblättern", places: "{0}–{1} von {2}", round: "Runde {0}", round_short: "R", table: "Tisch {0}",
    after_round: "Nach Runde {0}", tables_done: "{0} von {1} Tischen", missing: "Es fehlen: {0}", more: "und {0} weitere",
    undecided: "Wartet auf die Turnierleitung: {0}", place_of: "Runde {0}, Tisch {1}, Spiel {2}", leads: "{0} führt",
    changed: "Seit dem Abschluss des Turniers geändert", ties_broken: "Bei Gleichstand zählt: {0}",
    ties_shared: "Bei Gleichstand wird der Rang geteilt", table_points: "Tischpunkte", percentage: "Prozent",
    contracts_won: "Gewonnene Spiele", positive_hands: "Spiele im Plus", best_hand: "Bestes Spiel", worst_hand: "Schlechtestes Spiel",
    best_round: "Beste Runde", last_round: "Letzte Runde",
    contract: "Spiel",
    single: "einfach", double: "doppelt", triple: "dreifach", pagat: "Pagat", uhu: "Uhu", forty: "40 Augen", fifty: "50 Augen",
    without_trull: "Ohne Trullstück", without_kings: "Ohne König", tarock_trull: "Trull in der Hand",
    royal_trull: "Königstrull", two_honours: "Zwei Trullstücke", valat: "Valat", petit_au_bout: "Petit au bout",
    handful: "Poignée", slam: "Schlemm", prise: "Prise", garde: "Garde", garde_sans: "Garde sans", garde_contre: "Garde contre",
    dreiblatt: "Dreiblatt", zweiblatt: "Zweiblatt", einblatt: "Einblatt", solo: "Solo", trischaken: "Trischaken",
    game: "Spiel", overshoot: "Darüber", undershoot: "Darunter", penalty: "Strafe", trischaken_no_trick: "Kein Stich",
  },
  fr: {
    language: "Langue", standings: "Classement", place: "Rang", player: "Joueur", points: "Points",
    penalties: "Pénalités", hands: "Donnes", latest: "Dernières donnes", chart: "Totaux au fil des donnes",
    figures: "Tous les chiffres en tableau", hand: "Donne", total: "Total", live: "En direct", closed: "Clos",
    away: "Pas de connexion ; nouvel essai", gone: "Ce lien ne mène plus à aucun tableau.",
    none: "Aucune donne n’est encore comptée.", won: "réussi", lost: "chuté", declarer: "Preneur", base: "Base",
    series: "Partie {0}", bonus: "Prime", scored: "La donne {0} est comptée", counts_not: "ne compte pas : {0}",
    disputed: "contestée", due: "en cours de calcul", annulled: "annulée", other: "hors de cette séance",
    progress: "Tours", players: "Joueurs", teams: "Équipes", team: "Équipe", whose: "Classement des", moment: "Situation",
    now: "Maintenant",
    find: "Chercher un joueur", nobody: "Personne ne s’appelle ainsi ici.", previous: "Précédent", next: "Suivant", pause: "Pause",
    resume: "Reprendre", places: "{0}–{1} sur {2}", round: "Tour {0}", round_short: "T", table: "Table {0}",
    after_round: "Après le tour {0}", tables_done: "{0} tables sur {1}", missing: "Manquent : {0}", more: "et {0} autres",
    undecided: "En attente de l’arbitre : {0}", place_of: "tour {0}, table {1}, donne {2}", leads: "{0} est en tête",
    changed: "Modifié depuis la clôture du tournoi", ties_broken: "Départage : {0}",
    ties_shared: "Les ex æquo partagent le rang", table_points: "Points de table", percentage: "Pourcentage",
    contracts_won: "Contrats réussis", positive_hands: "Donnes positives", best_hand: "Meilleure donne", worst_hand: "Pire donne",
    best_round: "Meilleur tour", last_round: "Dernier tour",
    contract: "Contrat",
    single: "simple", double: "double", triple: "triple", pagat: "Pagat", uhu: "Uhu", forty: "40 points", fifty: "50 points",
    without_trull: "Sans trull", without_kings: "Sans roi", tarock_trull: "Trull en main",
    royal_trull: "Trull royal", two_honours: "Deux honneurs", valat: "Valat", petit_au_bout: "Petit au bout",
    handful: "Poignée", slam: "Chelem", prise: "Prise", garde: "Garde", garde_sans: "Garde sans", garde_contre: "Garde contre",
    dreiblatt: "Dreiblatt", zweiblatt: "Zweiblatt", einblatt: "Einblatt", solo: "Solo", trischaken: "Trischaken",
    game: "Jeu", overshoot: "En plus", undershoot: "En moins", penalty: "Pénalité", trischaken_no_trick: "Aucun pli",
  },
  ru: {
    language: "Язык", standings: "Положение", place: "Место", player: "Игрок", points: "Очки",
    penalties: "Штрафы", hands: "Сдачи", latest: "Последние сдачи", chart: "Ход игры",
    figures: "Все числа таблицей", hand: "Сдача", total: "Сумма", live: "В эфире", closed: "Завершено",
    away: "Нет связи, пробуем снова", gone: "Эта ссылка больше никуда не ведёт.",
    none: "Ещё ни одна сдача не подсчитана.", won: "выиграно", lost: "проиграно", declarer: "Разыгрывающий", base: "Основа",
    series: "Партия {0}", bonus: "Премия", scored: "Сдача {0} подсчитана", counts_not: "не в счёт: {0}",
    disputed: "оспорена", due: "подсчитывается", annulled: "аннулирована", other: "не из этой встречи",
    progress: "Туры", players: "Игроки", teams: "Команды", team: "Команда", whose: "Чьё положение", moment: "На момент", now: "Сейчас",
    find: "Найти игрока", nobody: "Здесь никого так не зовут.", previous: "Назад", next: "Вперёд", pause: "Пауза",
    resume: "Продолжить", places: "{0}–{1} из {2}", round: "Тур {0}", round_short: "Т", table: "Стол {0}",
    after_round: "После тура {0}", tables_done: "Столов: {0} из {1}", missing: "Не хватает: {0}", more: "и ещё {0}",
    undecided: "Ждёт решения судьи: {0}", place_of: "тур {0}, стол {1}, сдача {2}", leads: "Впереди {0}",
    changed: "Изменено после закрытия турнира", ties_broken: "При равенстве: {0}",
    ties_shared: "При равенстве место делится", table_points: "Очки за столы", percentage: "Проценты",
    contracts_won: "Выиграно контрактов", positive_hands: "Сдач в плюсе", best_hand: "Лучшая сдача", worst_hand: "Худшая сдача",
    best_round: "Лучший тур", last_round: "Последний тур",
    contract: "Контракт",
    single: "простая", double: "двойная", triple: "тройная", pagat: "Пагат", uhu: "Уху", forty: "40 очков", fifty: "50 очков",
    without_trull: "Без трулля", without_kings: "Без королей", tarock_trull: "Трулль на руках",
    royal_trull: "Королевский трулль", two_honours: "Два онёра", valat: "Валат", petit_au_bout: "Пти в конце",
    handful: "Горсть", slam: "Шлем", prise: "Приз", garde: "Гард", garde_sans: "Гард сан", garde_contre: "Гард контр",
    dreiblatt: "Драйблат", zweiblatt: "Цвайблат", einblatt: "Айнблат", solo: "Соло", trischaken: "Тришакен",
    game: "Игра", overshoot: "Сверх", undershoot: "Недобор", penalty: "Штраф", trischaken_no_trick: "Без взяток",
  },
};

let language = "en";

/** The word in the reader's language, with what belongs in its places. */
function word(name, ...parts) {
  const said = WORDS[language][name] ?? WORDS.en[name] ?? name;
  return parts.reduce((text, part, at) => text.replace(`{${at}}`, () => part), said);
}

/** Takes the language that was chosen before, or one that the reader's browser asks for. */
function chooseLanguage(wanted) {
  const offers = [wanted, ...navigator.languages.map((tag) => tag.slice(0, 2))];
  language = offers.find((offer) => offer in WORDS) ?? "en";
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = word(element.dataset.word);
  }
  for (const element of document.querySelectorAll("[data-hint]")) {
    element.placeholder = word(element.dataset.hint);
  }
}

"use strict";
// What the pages say, in four languages. What the game's things are called, the service tells (terms.js).
const WORDS = {
  en: {
    language: "Language", latest: "Last hands", chart: "Running totals", figures: "All figures as a table", live: "Live",
    away: "No connection; trying again", gone: "This link leads to no board any more.",
    none_scored: "No hand has been scored yet.", scored: "Hand {0} is scored", whose: "Standings of", moment: "As of",
    now: "Now", find: "Find a player", nobody: "Nobody here is called so.", previous: "Previous", next: "Next", pause: "Pause",
    resume: "Go on", places: "{0}–{1} of {2}", round_short: "R", after: "After round {0}", tables_done: "{0} of {1} tables",
    missing: "Missing: {0}", and_more: "and {0} more", undecided: "Waiting for the director: {0}",
    place_of: "round {0}, table {1}, hand {2}", leads: "{0} leads", ties_broken: "Ties are broken by: {0}",
    ties_shared: "Ties share the place",
  },
  de: {
    language: "Sprache", latest: "Letzte Spiele", chart: "Verlauf", figures: "Alle Zahlen als Tabelle", live: "Live",
    away: "Keine Verbindung; neuer Versuch läuft", gone: "Dieser Link führt zu keiner Tafel mehr.",
    none_scored: "Noch ist kein Spiel gewertet.", scored: "Spiel {0} ist gewertet", whose: "Rangliste der", moment: "Stand",
    now: "Jetzt", find: "Spieler suchen", nobody: "Hier heißt niemand so.", previous: "Zurück", next: "Weiter",
    pause: "Anhalten", resume: "Weiterblättern", places: "{0}–{1} von {2}", round_short: "R", after: "Nach Runde {0}",
    tables_done: "{0} von {1} Tischen", missing: "Es fehlen: {0}", and_more: "und {0} weitere",
    undecided: "Wartet auf die Turnierleitung: {0}", place_of: "Runde {0}, Tisch {1}, Spiel {2}", leads: "{0} führt",
    ties_broken: "Bei Gleichstand zählt: {0}", ties_shared: "Bei Gleichstand wird der Rang geteilt",
  },
  fr: {
    language: "Langue", latest: "Dernières donnes", chart: "Totaux au fil des donnes", figures: "Tous les chiffres en tableau",
    live: "En direct", away: "Pas de connexion ; nouvel essai", gone: "Ce lien ne mène plus à aucun tableau.",
    none_scored: "Aucune donne n’est encore comptée.", scored: "La donne {0} est comptée", whose: "Classement des",
    moment: "Situation", now: "Maintenant", find: "Chercher un joueur", nobody: "Personne ne s’appelle ainsi ici.",
    previous: "Précédent", next: "Suivant", pause: "Pause", resume: "Reprendre", places: "{0}–{1} sur {2}", round_short: "T",
    after: "Après le tour {0}", tables_done: "{0} tables sur {1}", missing: "Manquent : {0}", and_more: "et {0} autres",
    undecided: "En attente de l’arbitre : {0}", place_of: "tour {0}, table {1}, donne {2}", leads: "{0} est en tête",
    ties_broken: "Départage : {0}", ties_shared: "Les ex æquo partagent le rang",
  },
  ru: {
    language: "Язык", latest: "Последние сдачи", chart: "Ход игры", figures: "Все числа таблицей", live: "В эфире",
    away: "Нет связи, пробуем снова", gone: "Эта ссылка больше никуда не ведёт.",
    none_scored: "Ещё ни одна сдача не подсчитана.", scored: "Сдача {0} подсчитана", whose: "Чьё положение",
    moment: "На момент", now: "Сейчас", find: "Найти игрока", nobody: "Здесь никого так не зовут.", previous: "Назад",
    next: "Вперёд", pause: "Пауза", resume: "Продолжить", places: "{0}–{1} из {2}", round_short: "Т", after: "После тура {0}",
    tables_done: "Столов: {0} из {1}", missing: "Не хватает: {0}", and_more: "и ещё {0}", undecided: "Ждёт решения судьи: {0}",
    place_of: "тур {0}, стол {1}, сдача {2}", leads: "Впереди {0}", ties_broken: "При равенстве: {0}",
    ties_shared: "При равенстве место делится",
  },
};
for (const [tongue, terms] of Object.entries(TERMS)) Object.assign(WORDS[tongue], terms);

let language = "en";

/** The word in the reader's language, with what belongs in its places. */
function word(name, ...parts) {
  const said = WORDS[language][name] ?? WORDS.en[name] ?? name;
  return parts.reduce((text, part, at) => text.replace(`{${at}}`, () => part), said);
}

/** What an id of the service is called; one without a name, as words. */
const named = (id) => (id == null ? null : (WORDS[language][id] ?? String(id).replaceAll("_", " ")));

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

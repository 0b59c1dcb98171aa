"use strict";
// What the pages say, in four languages. Names of contracts and bonuses are the field's own.
const WORDS = {
  en: {
    language: "Language", standings: "Standings", place: "Place", player: "Player", points: "Points",
    penalties: "Penalties", hands: "Hands", latest: "Last hands", chart: "Running totals",
    figures: "All hands as a table", hand: "Hand", total: "Total", live: "Live", closed: "Closed",
    away: "No connection; trying again", gone: "This link leads to no board any more.",
    none: "No hand has been scored yet.", won: "won", lost: "lost", declarer: "Declarer", base: "Base",
    series: "Series {0}", bonus: "Bonus", scored: "Hand {0} is scored", counts_not: "does not count: {0}",
    disputed: "disputed", due: "being scored", annulled: "annulled", other: "not of this session",
  },
  de: {
    language: "Sprache", standings: "Rangliste", place: "Rang", player: "Spieler", points: "Punkte",
    penalties: "Strafen", hands: "Spiele", latest: "Letzte Spiele", chart: "Verlauf",
    figures: "Alle Spiele als Tabelle", hand: "Spiel", total: "Summe", live: "Live", closed: "Abgeschlossen",
    away: "Keine Verbindung; neuer Versuch läuft", gone: "Dieser Link führt zu keiner Tafel mehr.",
    none: "Noch ist kein Spiel gewertet.", won: "gewonnen", lost: "verloren", declarer: "Spieler", base: "Grundwert",
    series: "Partie {0}", bonus: "Prämie", scored: "Spiel {0} ist gewertet", counts_not: "zählt nicht: {0}",
    disputed: "strittig", due: "wird gewertet", annulled: "annulliert", other: "nicht aus dieser Runde",
  },
  fr: {
    language: "Langue", standings: "Classement", place: "Rang", player: "Joueur", points: "Points",
    penalties: "Pénalités", hands: "Donnes", latest: "Dernières donnes", chart: "Totaux au fil des donnes",
    figures: "Toutes les donnes en tableau", hand: "Donne", total: "Total", live: "En direct", closed: "Clos",
    away: "Pas de connexion ; nouvel essai", gone: "Ce lien ne mène plus à aucun tableau.",
    none: "Aucune donne n’est encore comptée.", won: "réussi", lost: "chuté", declarer: "Preneur", base: "Base",
    series: "Partie {0}", bonus: "Prime", scored: "La donne {0} est comptée", counts_not: "ne compte pas : {0}",
    disputed: "contestée", due: "en cours de calcul", annulled: "annulée", other: "hors de cette séance",
  },
  ru: {
    language: "Язык", standings: "Положение", place: "Место", player: "Игрок", points: "Очки",
    penalties: "Штрафы", hands: "Сдачи", latest: "Последние сдачи", chart: "Ход игры",
    figures: "Все сдачи таблицей", hand: "Сдача", total: "Сумма", live: "В эфире", closed: "Завершено",
    away: "Нет связи, пробуем снова", gone: "Эта ссылка больше никуда не ведёт.",
    none: "Ещё ни одна сдача не подсчитана.", won: "выиграно", lost: "проиграно", declarer: "Разыгрывающий", base: "Основа",
    series: "Партия {0}", bonus: "Премия", scored: "Сдача {0} подсчитана", counts_not: "не в счёт: {0}",
    disputed: "оспорена", due: "подсчитывается", annulled: "аннулирована", other: "не из этой встречи",
  },
};

let language = "en";

/** The word in the reader's language, with what belongs in its places. */
function word(name, ...parts) {
  const said = WORDS[language][name] ?? WORDS.en[name] ?? name;
  return parts.reduce((text, part, at) => text.replace(`{${at}}`, part), said);
}

/** Takes the language that was chosen before, or one that the reader's browser asks for. */
function chooseLanguage(wanted) {
  const offers = [wanted, ...navigator.languages.map((tag) => tag.slice(0, 2))];
  language = offers.find((offer) => offer in WORDS) ?? "en";
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = word(element.dataset.word);
  }
}

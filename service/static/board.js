"use strict";
// The board: asks the service for the board of the token in its own address, and follows it live.
// What only a tournament has is in tournament.js.
const token = location.pathname.split("/").pop();
const COLOURS = ["#c2410c", "#1d6fb8", "#2e8b57", "#9333ea", "#b8860b", "#d6336c", "#0e7490", "#6b7280"];
const LINE_WIDTH = 2.5;
const AGAIN_SECONDS = 4; // after which a stream that could not be had is asked for again
const $ = (id) => document.getElementById(id);
const projector = matchMedia("(min-width: 60rem) and (min-height: 35rem)");
let board = null;
let plot = null;
let source = null;
let state = "";
let opened = new Set(); // hands whose lines the reader has opened or closed by hand

function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text ?? "";
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function fill(element, ...children) {
  element.append(...children);
  return element;
}

/** A figure with its sign, as the reader's language writes it. */
const signed = (points) =>
  points == null ? "" : points.toLocaleString(language, { signDisplay: "exceptZero" }).replace("-", "−");
const tone = (points) => (points > 0 ? "number won" : points < 0 ? "number lost" : "number");
const cell = (points) => make("td", signed(points), { class: tone(points) });
const heading = (text, attributes = {}) => make("th", text, { scope: "col", ...attributes });

/** How a hand is called: by its place where it has one, else by its place in the list. */
function nameOf(hand, at) {
  const place = [hand.table, hand.round, hand.number].filter((part) => part != null);
  return place.length ? place.join("·") : String(at + 1);
}

// --- sections --------------------------------------------------------------------------------------

function showStandings() {
  const punished = board.standings.some((standing) => standing.penalties);
  const titles = ["place", "player", "points", ...(punished ? ["penalties"] : []), "hands"];
  const head = make("tr");
  head.append(...titles.map((title, at) => heading(word(title), at > 1 ? { class: "number" } : {})));
  const rows = board.standings.map((standing) =>
    fill(
      make("tr", "", { class: `place-${standing.place}` }),
      fill(make("td", "", { class: "place" }), make("span", standing.place)),
      make("th", board.players[standing.player], { scope: "row" }),
      cell(standing.points),
      ...(punished ? [cell(standing.penalties || null)] : []),
      make("td", standing.hands, { class: "number" }),
    ),
  );
  document.querySelector("#standings thead").replaceChildren(head);
  document.querySelector("#standings tbody").replaceChildren(...rows);
}

/** The lines of a hand: what each point is for. */
function sheetTable(sheet, players) {
  const playing = players.map((_, seat) => seat).filter((seat) => sheet.scores[seat] != null);
  const head = fill(
    make("tr"),
    heading(word("points")),
    ...playing.map((seat) => heading(players[seat], { class: "number" })),
  );
  const lines = [...sheet.items, { item: "total", points: sheet.scores }].map((item) => {
    const factors = [item.base, item.multiplier, item.contra].filter((factor) => factor != null && factor !== 1);
    const sum = factors.length > 1 ? ` (${factors.join(" × ")})` : "";
    const what = item.item === "total" ? word("total") : named(item.item);
    return fill(
      make("tr", "", item.item === "total" ? { class: "total" } : {}),
      make("th", what + sum, { scope: "row", title: item.clause ?? "" }),
      ...playing.map((seat) => cell(item.points[seat])),
    );
  });
  return fill(make("table"), fill(make("thead"), head), fill(make("tbody"), ...lines));
}

/** On a screen that shows all at once no hand is cut off: the oldest give way, and then the lines of the newest.
 *  Where the reader has opened or closed one, it is as he has it, and he scrolls. */
function trim() {
  const hands = [...$("latest").children];
  for (const hand of hands) hand.hidden = false;
  if (!document.body.hasAttribute("data-fit") || opened.size) return;
  const box = $("latest-box");
  const drop = () => hands.slice(1).reverse().forEach((hand) => (hand.hidden = box.scrollHeight > box.clientHeight));
  drop();
  if (box.scrollHeight <= box.clientHeight) return;
  hands[0].open = false;
  for (const hand of hands) hand.hidden = false;
  drop();
}

/** The last hands, the newest first. What the reader opened stays open when a hand comes. */
function showLatest(playersOf, calledOf) {
  const newest = [...board.latest].reverse().map((sheet, at) => {
    const players = playersOf(sheet);
    const key = JSON.stringify([sheet.round, sheet.table, sheet.number, sheet.declarer, sheet.scores]);
    const details = make("details");
    details.open = opened.has(key) !== (at === 0);
    const said = [
      calledOf(sheet, at),
      named(sheet.contract),
      sheet.declarer == null ? null : players[sheet.declarer],
      sheet.outcome ? word(sheet.outcome) : null,
    ];
    const summary = make("summary", said.filter(Boolean).join(" · "));
    summary.addEventListener("click", () => {
      if (!opened.delete(key)) opened.add(key);
      requestAnimationFrame(trim);
    });
    const scroll = make("div", "", { class: "scroll" });
    return fill(details, summary, fill(scroll, sheetTable(sheet, players)));
  });
  $("latest").replaceChildren(...(newest.length ? newest : [make("p", word("none_scored"))]));
}

function showHands() {
  const head = fill(
    make("tr"),
    heading(word("hand")),
    ...board.players.map((player) => heading(player, { class: "number" })),
  );
  const rows = board.hands.map((hand, at) => {
    const why = hand.counted ? "" : ` (${word("counts_not", named(`why_${hand.why}`))})`;
    const row = make("tr", "", hand.counted ? {} : { class: "void" });
    return fill(row, make("th", nameOf(hand, at) + why, { scope: "row" }), ...hand.scores.map(cell));
  });
  const sum = make("tr", "", { class: "total" });
  rows.push(fill(sum, make("th", word("total"), { scope: "row" }), ...board.totals.map(cell)));
  $("hands").replaceChildren(fill(make("thead"), head), fill(make("tbody"), ...rows));
}

/** The chart of some lines `{name, running}` over steps, which are named by `label`. */
function showChart(lines, steps, label) {
  plot?.destroy();
  plot = null;
  $("chart-box").hidden = !steps.length;
  if (!steps.length) return;
  const ink = getComputedStyle(document.body).color;
  const size = 0.7 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const letter = Math.max(12, size);
  const font = `${letter}px system-ui, sans-serif`;
  const axis = { stroke: ink, font, grid: { stroke: "#8883" }, ticks: { show: false } };
  const colour = (at) => (lines[at].followed ? ink : COLOURS[at % COLOURS.length]);
  const series = lines.map((line, at) => ({
    label: line.name,
    stroke: colour(at),
    width: line.followed ? 2 * LINE_WIDTH : LINE_WIDTH,
    points: { show: steps.length < 3 },
  }));
  $("legend").replaceChildren(
    ...lines.map((line, at) => {
      const swatch = make("span", "", { class: "swatch" });
      swatch.style.background = colour(at);
      return fill(make("li"), swatch, line.name);
    }),
  );
  const whole = (_, splits) => splits.map((split) => (Number.isInteger(split) ? label(split) : ""));
  const height = chartHeight();
  const options = {
    width: $("chart").clientWidth,
    height,
    padding: [null, Math.max(8, 0.3 * letter * label(steps.length).length), null, null], // half of the last name
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false } },
    axes: [
      { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100], values: whole, size: 2.4 * size },
      { ...axis, size: 5 * size, space: 1.8 * letter, values: (_, splits) => splits.map((split) => split.toLocaleString(language).replace("-", "−")) },
    ],
    series: [{}, ...series],
  };
  const figures = lines.map((line) => [0, ...line.running]);
  plot = new uPlot(options, [[0, ...steps.map((_, at) => at + 1)], ...apart(figures, height)], $("chart"));
}

/** Figures of lines, those that are the same at a step one above the other by a line's width: or the last hides the rest. */
function apart(figures, height) {
  const all = figures.flat();
  const width = (LINE_WIDTH * (Math.max(...all) - Math.min(...all))) / (0.8 * height);
  return figures.map((line, at) =>
    line.map((figure, step) => {
      const same = figures.slice(0, at).filter((other) => other[step] === figure).length;
      return figure == null || step === 0 ? figure : figure + width * same;
    }),
  );
}

/** On a screen that shows all at once, a session's chart has what is left of it, and a tournament's is small. */
function chartHeight() {
  const fits = document.body.hasAttribute("data-fit");
  if (fits && board.kind === "session") return Math.max(100, $("chart").clientHeight);
  return Math.max(fits ? 150 : 200, Math.min(420, innerHeight * (board.kind === "tournament" ? 0.24 : 0.36)));
}

function showSession() {
  const counted = board.hands.filter((hand) => hand.counted);
  showStandings();
  showLatest(
    () => board.players,
    (sheet, at) => `${word("hand")} ${nameOf(sheet, board.hands.length - 1 - at)}`,
  );
  showHands();
  const lines = board.players.map((name, seat) => ({ name, running: counted.map((hand) => hand.totals[seat]) }));
  showChart(lines, counted, String);
}

function newsOfSession(before) {
  const counted = board.hands.filter((hand) => hand.counted);
  if (counted.length > before.hands.filter((hand) => hand.counted).length) {
    return word("scored", nameOf(counted.at(-1), counted.length - 1));
  }
  return null;
}

// --- the whole -------------------------------------------------------------------------------------

function say(what) {
  state = what;
  const shown = what === "live" && board?.status === "closed" ? "closed" : what;
  const text = word(shown);
  document.body.dataset.state = shown;
  if ($("state").textContent !== text) $("state").textContent = text;
}

function show() {
  if (!board) return;
  document.title = board.name ?? "Trull";
  document.body.dataset.kind = board.kind;
  $("name").textContent = board.name ?? "Trull";
  const focused = document.activeElement?.dataset.name;
  if (board.kind === "tournament") showTournament();
  else showSession();
  requestAnimationFrame(trim); // once the chart has taken its place
  if (focused) [...document.querySelectorAll("[data-name]")].find((one) => one.dataset.name === focused)?.focus();
}

function take(shown) {
  const before = board;
  board = shown;
  const news = before && (board.kind === "tournament" ? newsOfTournament(before) : newsOfSession(before));
  if (news) $("news").textContent = news;
  say("live");
  show();
}

// --- following -------------------------------------------------------------------------------------

function address() {
  const query = new URLSearchParams(wanted());
  return `/v1/boards/${token}${query.size ? `?${query}` : ""}`;
}

/** Follows the board. A stream that is cut off comes back by itself; one that is refused is asked for again. */
function follow() {
  source?.close();
  const own = (source = new EventSource(address()));
  own.addEventListener("board", (event) => take(JSON.parse(event.data)));
  own.addEventListener("gone", end);
  own.addEventListener("open", () => say("live"));
  own.addEventListener("error", () => {
    if (own !== source) return;
    if (own.readyState === EventSource.CLOSED) look();
    else say("away");
  });
}

function end() {
  source?.close();
  source = null;
  say("gone");
}

/** Looks once: there may be no place for one more listener, or the service may be starting. */
async function look() {
  const own = source;
  let answer = null;
  try {
    answer = await fetch(address(), { cache: "no-cache" });
  } catch {
    // The service is away; it is asked again below.
  }
  if (own !== source) return;
  if (answer?.status === 404) return void end();
  if (answer?.status === 422 && forget()) return void follow();
  if (answer?.ok) take(await answer.json());
  else say("away");
  setTimeout(() => own === source && follow(), AGAIN_SECONDS * 1000);
}

$("language").addEventListener("change", (event) => {
  localStorage.setItem("language", event.target.value);
  chooseLanguage(event.target.value);
  if (state) say(state);
  show();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
/** Whether all is to be seen at once: on a screen that is large enough, unless the table of all figures is open. */
function arrange() {
  document.body.toggleAttribute("data-fit", projector.matches && !$("figures").open);
  plot?.setSize({ width: $("chart").clientWidth, height: chartHeight() });
  if (board?.kind === "tournament") fit();
  if (board) requestAnimationFrame(trim);
}

addEventListener("resize", arrange);
$("figures").addEventListener("toggle", arrange);
// When tournament.js is there as well.
addEventListener("DOMContentLoaded", () => {
  chooseLanguage(localStorage.getItem("language"));
  $("language").value = language;
  arrange();
  follow();
});

"use strict";
// The board: asks the service for the board of the token in its own address, and follows it live.
const token = location.pathname.split("/").pop();
const COLOURS = ["#c2410c", "#1d6fb8", "#2e8b57", "#9333ea", "#b8860b", "#d6336c", "#0e7490", "#6b7280"];
const WHY = { disputed: "disputed", not_chosen: "disputed", due: "due", incomplete: "due", annulled: "annulled" };
const $ = (id) => document.getElementById(id);
let board = null;
let plot = null;

function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text ?? "";
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const signed = (points) => (points == null ? "" : points.toLocaleString(language, { signDisplay: "exceptZero" }));
const tone = (points) => (points > 0 ? "number won" : points < 0 ? "number lost" : "number");

/** How a hand is called: by its place where it has one, else by its place in the list. */
function nameOf(hand, at) {
  const place = [hand.table, hand.round, hand.number].filter((part) => part != null);
  return place.length ? place.join("·") : String(at + 1);
}

function showStandings() {
  const punished = board.standings.some((standing) => standing.penalties) ? "" : " unused";
  document.querySelector("#standings th[data-word=penalties]").className = `number${punished}`;
  const rows = board.standings.map((standing) => {
    const row = make("tr", "", standing.place === 1 ? { class: "first" } : {});
    row.append(
      make("td", standing.place),
      make("th", board.players[standing.player], { scope: "row" }),
      make("td", signed(standing.points), { class: tone(standing.points) }),
      make("td", standing.penalties ? signed(standing.penalties) : "", { class: `number${punished}` }),
      make("td", standing.hands, { class: "number" }),
    );
    return row;
  });
  document.querySelector("#standings tbody").replaceChildren(...rows);
}

function sheetTable(sheet) {
  const table = make("table");
  const head = make("tr");
  head.append(make("th", word("points"), { scope: "col" }));
  const playing = sheet.scores.map((score, seat) => seat).filter((seat) => sheet.scores[seat] != null);
  head.append(...playing.map((seat) => make("th", board.players[seat], { scope: "col", class: "number" })));
  const lines = [...sheet.items, { item: "total", points: sheet.scores }].map((item) => {
    const row = make("tr");
    const factors = [item.base, item.multiplier, item.contra].filter((factor) => factor != null && factor !== 1);
    const sum = factors.length > 1 ? ` (${factors.join(" × ")})` : "";
    const what = item.item === "total" ? word("total") : item.item.replaceAll("_", " ");
    row.append(make("th", what + sum, { scope: "row", title: item.clause ?? "" }));
    row.append(...playing.map((seat) => make("td", signed(item.points[seat]), { class: tone(item.points[seat]) })));
    return row;
  });
  const top = make("thead");
  top.append(head);
  const body = make("tbody");
  body.append(...lines);
  table.append(top, body);
  return table;
}

function showLatest() {
  const newest = [...board.latest].reverse().map((sheet, at) => {
    const details = make("details");
    details.open = at === 0;
    const said = [
      `${word("hand")} ${nameOf(sheet, board.hands.length - 1 - at)}`,
      sheet.contract?.replaceAll("_", " "),
      sheet.declarer == null ? null : board.players[sheet.declarer],
      sheet.outcome ? word(sheet.outcome) : null,
    ];
    details.append(make("summary", said.filter(Boolean).join(" · ")), sheetTable(sheet));
    return details;
  });
  $("latest").replaceChildren(...(newest.length ? newest : [make("p", word("none"))]));
}

function showHands() {
  const head = make("tr");
  head.append(make("th", word("hand"), { scope: "col" }));
  head.append(...board.players.map((player) => make("th", player, { scope: "col", class: "number" })));
  const rows = board.hands.map((hand, at) => {
    const row = make("tr", "", hand.counted ? {} : { class: "void" });
    const why = hand.counted ? "" : ` (${word("counts_not", word(WHY[hand.why] ?? "other"))})`;
    row.append(make("th", nameOf(hand, at) + why, { scope: "row" }));
    row.append(...hand.scores.map((score) => make("td", signed(score), { class: tone(score) })));
    return row;
  });
  const sum = make("tr");
  sum.append(make("th", word("total"), { scope: "row" }));
  sum.append(...board.totals.map((total) => make("td", signed(total), { class: tone(total) })));
  const top = make("thead");
  top.append(head);
  const body = make("tbody");
  body.append(...rows, sum);
  $("hands").replaceChildren(top, body);
}

function showChart() {
  plot?.destroy();
  plot = null;
  const counted = board.hands.filter((hand) => hand.counted);
  if (!counted.length) return;
  const ink = getComputedStyle(document.body).color;
  const axis = { stroke: ink, grid: { stroke: "#8884" }, ticks: { stroke: "#8884" } };
  const totals = board.players.map((_, seat) => [0, ...counted.map((hand) => hand.totals[seat])]);
  const options = {
    width: $("chart").clientWidth,
    height: Math.max(220, Math.min(460, innerHeight * 0.45)),
    scales: { x: { time: false } },
    axes: [{ ...axis, incrs: [1, 2, 5, 10, 20, 50, 100] }, axis],
    series: [
      { label: word("hand") },
      ...board.players.map((player, seat) => ({
        label: player,
        stroke: COLOURS[seat % COLOURS.length],
        width: 2.5,
        dash: seat >= COLOURS.length ? [8, 4] : [],
      })),
    ],
  };
  plot = new uPlot(options, [[0, ...counted.map((_, at) => at + 1)], ...totals], $("chart"));
}

function show() {
  if (!board) return;
  document.title = board.name ?? "Trull";
  $("name").textContent = board.name ?? "Trull";
  $("state").textContent = word(board.status === "closed" ? "closed" : "live");
  showStandings();
  showLatest();
  showHands();
  showChart();
}

function follow() {
  const source = new EventSource(`/v1/boards/${token}`);
  source.addEventListener("board", (event) => {
    const before = board?.hands.filter((hand) => hand.counted).length;
    board = JSON.parse(event.data);
    const counted = board.hands.filter((hand) => hand.counted);
    if (before !== undefined && counted.length > before) {
      $("news").textContent = word("scored", nameOf(counted.at(-1), counted.length - 1));
    }
    show();
  });
  source.addEventListener("gone", () => {
    source.close();
    $("state").textContent = word("gone");
  });
  source.addEventListener("error", () => {
    $("state").textContent = word(source.readyState === EventSource.CLOSED ? "gone" : "away");
  });
}

chooseLanguage(localStorage.getItem("language"));
$("language").value = language;
$("language").addEventListener("change", (event) => {
  localStorage.setItem("language", event.target.value);
  chooseLanguage(event.target.value);
  show();
});
addEventListener("resize", () => plot?.setSize({ width: $("chart").clientWidth, height: plot.height }));
follow();

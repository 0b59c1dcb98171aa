"use strict";
// What the board of a tournament has beside that of a session: parts of long standings, and whom to follow.
const PAGE = 50; // lines on a page that is scrolled by hand
const TURN_SECONDS = 12; // after which a projector turns to the next page
const ROUNDS_SHOWN = 6;
const still = matchMedia("(prefers-reduced-motion: reduce)");
// What the reader wants to see; it stands behind the # of the address, so that it lasts.
let view = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
let after = 0;
let rows = 0; // lines that fit on the projector; 0: it is none
let paused = still.matches;
let pointsOf = new Map(); // what was shown before, to tell what has changed

/** What is asked for. Nothing, as long as it is not known to be a tournament's board. */
function wanted() {
  const asked = { ...view };
  if (after) asked.after = after;
  if (rows) asked.limit = rows;
  return asked;
}

/** Takes everything back that was asked for; whether there was anything. */
function forget() {
  const had = Object.keys(wanted()).length > 0;
  view = {};
  after = rows = 0;
  return had;
}

function ask(changes) {
  view = Object.fromEntries(Object.entries({ ...view, ...changes }).filter(([, value]) => value));
  history.replaceState(null, "", `#${new URLSearchParams(view)}`);
  after = 0;
  follow();
}

// --- pages -----------------------------------------------------------------------------------------

function turn(by) {
  const size = rows || PAGE;
  const last = Math.max(0, Math.ceil(board.lines / size) - 1);
  const page = Math.round(after / size) + by;
  after = size * (page < 0 ? last : page > last ? 0 : page);
  follow();
}

/** How many lines fit on a projector's screen; what was asked for is asked for anew if that has changed. */
function fit() {
  const before = rows;
  const first = document.querySelector("#standings tbody tr");
  rows = 0;
  if (document.body.hasAttribute("data-fit") && first) {
    const box = first.getBoundingClientRect();
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const below = $("ties").offsetHeight + ($("pages").offsetHeight || 3 * rem) + 3.5 * rem;
    rows = Math.max(5, Math.min(250, Math.floor((innerHeight - box.top - scrollY - below) / box.height)));
  }
  if (rows === before) return;
  after = rows ? rows * Math.floor(after / rows) : 0;
  follow();
}

function showPages() {
  const size = rows || PAGE;
  $("pages").hidden = board.lines <= size;
  const from = board.lines ? board.after + 1 : 0;
  $("pages-range").textContent = word("places", from, board.after + board.standings.length, board.lines);
  $("pause").hidden = !rows;
  $("pause").textContent = word(paused ? "resume" : "pause");
}

function pause(is) {
  paused = is;
  showPages();
}

// --- sections --------------------------------------------------------------------------------------

/** A figure of what is ranked: percentages have no sign. */
function figure(points) {
  if (points == null) return "";
  if (board.ranking === "points") return signed(points);
  const said = points.toLocaleString(language, { minimumFractionDigits: board.ranking === "percentage" ? 2 : 0 });
  return board.ranking === "percentage" ? `${said} %` : said;
}

/** The figure of a tie-break; some only count hands. */
const tieFigure = (line, name) =>
  name === "contracts_won" || name === "positive_hands" ? line.tie_breaks[name] : signed(line.tie_breaks[name]);

const figureCell = (points, kind = "") =>
  make("td", figure(points), { class: `${board.ranking === "points" ? tone(points) : "number"} ${kind}` });

/** The last rounds that have begun. */
function roundsShown() {
  const begun = board.progress.filter((round) => round.hands && (!board.round || round.round <= board.round));
  return begun.map((round) => round.round).slice(-ROUNDS_SHOWN);
}

function lineRow(line, columns) {
  const row = make("tr", "", { class: `place-${line.place}` });
  const isFollowed = board.followed?.name === line.name;
  if (isFollowed) row.classList.add("followed");
  if (pointsOf.has(line.name) && pointsOf.get(line.name) !== line.points) row.classList.add("changed");
  const name = make("button", line.name, { type: "button", "data-name": line.name, "aria-pressed": isFollowed });
  name.addEventListener("click", () => ask({ player: isFollowed ? null : line.name }));
  const beside = line.team ?? line.players.join(", ");
  const more = [
    ...columns.rounds.map((round) => [`${word("round_short")}${round}`, figure(line.rounds[round - 1])]),
    ...board.tie_breaks.map((name_) => [word(name_), tieFigure(line, name_)]),
    [word("penalties"), signed(line.penalties || null)],
  ];
  const details = more.filter(([, said]) => said !== "").map((pair) => pair.join(" ").replaceAll(" ", "\u00a0"));
  return fill(
    row,
    fill(make("td", "", { class: "place" }), make("span", line.place)),
    fill(
      make("th", "", { scope: "row" }),
      name,
      ...(beside ? [make("small", beside)] : []),
      make("small", details.join("\u00a0· "), { class: "narrow" }),
    ),
    figureCell(line.points, "sum"),
    ...columns.rounds.map((round) => figureCell(line.rounds[round - 1], "broad")),
    ...board.tie_breaks.map((name_) => make("td", tieFigure(line, name_), { class: "number broad" })),
    ...(columns.punished ? [make("td", signed(line.penalties || null), { class: "number broad" })] : []),
    make("td", line.hands, { class: "number broad" }),
  );
}

function showLines() {
  const columns = { rounds: roundsShown(), punished: board.standings.some((line) => line.penalties) };
  const head = fill(
    make("tr"),
    heading(word("place"), { class: "place" }),
    heading(word(board.of === "teams" ? "team" : "player")),
    heading(word(board.ranking), { class: "number" }),
    ...columns.rounds.map((round) => heading(`${word("round_short")}${round}`, { class: "number broad" })),
    ...board.tie_breaks.map((name) => heading(word(name), { class: "number broad" })),
    ...(columns.punished ? [heading(word("penalties"), { class: "number broad" })] : []),
    heading(word("hands"), { class: "number broad" }),
  );
  const lines = board.standings.map((line) => lineRow(line, columns));
  document.querySelector("#standings thead").replaceChildren(head);
  document.querySelector("#standings tbody").replaceChildren(...lines);
  pointsOf = new Map(board.standings.map((line) => [line.name, line.points]));
  const broken = board.tie_breaks.map((name) => word(name)).join(", ");
  $("ties").hidden = false;
  $("ties").textContent = broken ? word("ties_broken", broken) : word("ties_shared");
}

function showFollowed() {
  const followed = board.followed;
  $("followed").hidden = !view.player;
  if (!view.player) return;
  if (followed) {
    $("followed").textContent = `${word("place")} ${followed.place} · ${followed.name} · ${figure(followed.points)}`;
  } else $("followed").textContent = word("nobody");
}

function showView() {
  $("view").hidden = false;
  $("of-box").hidden = !board.has_teams;
  $("of").value = board.of;
  const begun = board.progress.filter((round) => round.hands).map((round) => round.round);
  const options = [make("option", word("now"), { value: "" })];
  options.push(...begun.map((round) => make("option", word("after", round), { value: round })));
  if (document.activeElement !== $("round")) {
    $("round").replaceChildren(...options);
    $("round").value = board.round ?? "";
  }
  if (document.activeElement !== $("find")) $("find").value = view.player ?? "";
}

function showProgress() {
  $("progress-box").hidden = false;
  const next = board.progress.find((round) => !round.hands)?.round;
  const shown = board.progress.filter((round) => round.hands || round.round === next).slice(-ROUNDS_SHOWN);
  $("progress").replaceChildren(
    ...shown.map((round) => {
      const isDone = round.tables > 0 && round.done === round.tables;
      const name = word("round_n", round.round);
      if (isDone) return make("li", `✓ ${name}`, { class: "done", title: word("tables_done", round.done, round.tables) });
      const bar = make("progress", "", { max: round.tables || 1, value: round.done, "aria-label": name });
      const said = make("span", word("tables_done", round.done, round.tables));
      const item = fill(make("li"), make("strong", name), bar, said);
      if (round.hands) {
        const more = round.tables - round.done - round.missing.length;
        const rest = more > 0 ? ` ${word("and_more", more)}` : "";
        item.append(make("small", word("missing", round.missing.join(", ")) + rest));
      }
      return item;
    }),
  );
  const places = board.disputes.map((place) => word("place_of", place.round, place.table, place.number));
  $("disputes").hidden = !places.length;
  $("disputes").textContent = word("undecided", places.join("; "));
  $("notice").hidden = !board.changed_since_closing;
  $("notice").textContent = word("changed");
}

/** The running totals as a table, for those who do not see the chart. */
function showRunning(lines) {
  const head = fill(make("tr"), heading(word("hand")), ...lines.map((line) => heading(line.name, { class: "number" })));
  const body = board.steps.map((step, at) =>
    fill(
      make("tr"),
      make("th", stepName(step), { scope: "row" }),
      ...lines.map((line) => figureCell(line.running[at])),
    ),
  );
  $("hands").replaceChildren(fill(make("thead"), head), fill(make("tbody"), ...body));
}

/** Where rounds are told hand by hand, a step without a number has the penalties behind a round. */
function stepName(step) {
  if (step.number != null) return `${step.round}·${step.number}`;
  return board.steps.some((one) => one.number != null) ? word("penalties") : word("round_n", step.round);
}

function showTournament() {
  showView();
  showLines();
  showFollowed();
  showPages();
  showProgress();
  const lines = board.chart.map((line) => ({ ...line, followed: line.name === board.followed?.name }));
  if (board.followed && !lines.some((line) => line.followed)) lines.push({ ...board.followed, followed: true });
  showChart(lines, board.steps, (at) => (board.steps[at - 1] ? stepName(board.steps[at - 1]) : ""));
  showRunning(lines);
  showLatest(
    (sheet) => sheet.players,
    (sheet) => `${word("table_n", sheet.table)} · ${sheet.round}·${sheet.number}`,
  );
  fit();
}

/** What a reader who does not see the page is told: who leads now, or how far the round is. */
function newsOfTournament(before) {
  if (before.of !== board.of || before.after !== board.after || before.round !== board.round) return null;
  const leader = board.after ? null : board.standings[0]?.name;
  if (leader && leader !== before.standings[0]?.name) return word("leads", leader);
  const moved = board.progress.find((round, at) => round.done > (before.progress[at]?.done ?? 0));
  return moved ? `${word("round_n", moved.round)}: ${word("tables_done", moved.done, moved.tables)}` : null;
}

$("view").addEventListener("submit", (event) => event.preventDefault());
$("of").addEventListener("change", (event) => ask({ of: event.target.value === "teams" ? "teams" : null, player: null }));
$("round").addEventListener("change", (event) => ask({ round: event.target.value }));
$("find").addEventListener("change", (event) => ask({ player: event.target.value.trim() }));
$("find").addEventListener("search", (event) => event.target.value || (view.player && ask({ player: null })));
$("previous").addEventListener("click", () => turn(-1));
$("next").addEventListener("click", () => turn(1));
$("pause").addEventListener("click", () => pause(!paused));
addEventListener("keydown", (event) => {
  if (board?.kind !== "tournament" || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest?.("input, select, button, summary, [tabindex]")) return;
  if (event.key === " " && rows) pause(!paused);
  else if (event.key === "ArrowRight" && board.lines > (rows || PAGE)) turn(1);
  else if (event.key === "ArrowLeft" && board.lines > (rows || PAGE)) turn(-1);
  else return;
  event.preventDefault();
});
setInterval(() => {
  const isBusy = document.activeElement?.closest?.("#view");
  if (board && rows && !paused && !isBusy && board.lines > rows) turn(1);
}, TURN_SECONDS * 1000);

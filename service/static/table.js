"use strict";
// The page of a table: asks the service for the table of the token in its own address, again and again.
const token = location.pathname.split("/").pop();
const LOOK_MS = 2000;
const TYPING_MS = 150;
const $ = (id) => document.getElementById(id);

let table = null; // as it was told last
let entry = null; // what is being entered
let me = sessionStorage.getItem(`me:${token}`);
let editing = false; // whether the form is open over a proposal that waits
let typing = null;
let asked = 0;
let message = null; // a word of the page, and what belongs in its places

/** Calls the service: the status, and the body. A status of 0 is no answer. */
async function call(path, method = "GET", body = undefined, version = undefined) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (version !== undefined) headers["If-Match"] = `"${version}"`;
  try {
    const answer = await fetch(`/v1/tables/${token}${path}`, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-cache",
    });
    return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
  } catch {
    return { status: 0, body: null };
  }
}

const nameOf = (player) => table.names[player] ?? player;
const signed = (points) => (points == null ? "" : points.toLocaleString(language, { signDisplay: "exceptZero" }));
const tone = (points) => `figure${points > 0 ? " won" : points < 0 ? " lost" : ""}`;

function say(name, ...parts) {
  message = name ? [name, ...parts] : null;
  showState();
}

function showState() {
  const lasting = { closed: "is_closed", complete: "complete" }[table?.status];
  const told = message ?? (lasting ? [lasting] : null);
  $("state").textContent = told ? word(...told) : "";
  $("state").className = told && /^in_log|^sent/.test(told[0]) ? "good" : "";
}

// --- the sheet ---------------------------------------------------------------------------------

function row(kind, head, cells, attributes = {}) {
  const made = make("tr", null, attributes);
  made.append(make("th", head, { scope: kind }), ...cells);
  return made;
}

/** A table of figures: lines with a label and a figure for each player. Where the players' names take more room
 *  than the lines do, each player has a row, and the lines are columns. */
function figures(lines, players) {
  const cell = (line, player) => make("td", signed(line.points[player]), { class: `${tone(line.points[player])} ${line.class ?? ""}` });
  const wide = players.length > 4 || players.reduce((sum, player) => sum + Math.max(4, nameOf(player).length), 0) > 26;
  const column = (text) => make("th", text, { scope: "col", class: "figure" });
  const body = make("tbody");
  const head = make("tr", null, {}, make("td", ""));
  if (wide) {
    head.append(...lines.map((line) => column(line.label)));
    body.append(...players.map((player) => row("row", nameOf(player), lines.map((line) => cell(line, player)))));
  } else {
    head.append(...players.map((player) => column(nameOf(player))));
    body.append(...lines.map((line) => row("row", line.label, players.map((player) => cell(line, player)), { class: line.class })));
  }
  return [make("thead", null, {}, head), body];
}

/** The players whose figures the table shows, in its one order. */
function listed() {
  const counted = Object.keys(table.totals);
  return counted.length ? counted : table.players;
}

/** Players of a hand in that order, and not in the order in which they sat. */
const inOrder = (players) => [...players].sort((one, other) => listed().indexOf(one) - listed().indexOf(other));

/** A sheet: a line for each item, and the total. `label` names it among others. */
function sheetTable(sheet, players, label) {
  const lines = sheet.items.map((item) => {
    const factors = [item.base, item.multiplier, item.contra].filter((factor) => factor != null && factor !== 1);
    const sum = factors.length > 1 ? ` (${factors.join("\u00a0×\u00a0")})` : "";
    return { label: named(item.item) + sum, points: item.points };
  });
  lines.push({ label: word("total"), points: sheet.scores, class: "total" });
  const whole = make("table", null, {}, ...figures(lines, inOrder(players)));
  return make("div", null, { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, whole);
}

/** What was played, in a few words. */
function spoken(event) {
  if (event.type === "hand_annulled") return `${word("not_played")} · ${named(event.reason)}`;
  const points = event.card_points == null ? null : word("points_of", event.card_points.toLocaleString(language));
  const oudlers = event.oudlers == null ? null : word("oudlers_of", event.oudlers);
  const partner = event.partner == null || event.partner === event.declarer ? null : nameOf(event.partner);
  const who = event.declarer == null ? null : [nameOf(event.declarer), partner].filter(Boolean).join(" + ");
  return [who, named(event.contract), points, oudlers].filter(Boolean).join(" · ");
}

// --- the proposal ------------------------------------------------------------------------------

function button(name, act, attributes = {}) {
  const made = make("button", word(name), { type: "button", ...attributes });
  made.addEventListener("click", act);
  return made;
}

function showProposal() {
  const proposal = table.proposal;
  $("proposal").hidden = !proposal;
  if (!proposal) return;
  const open = proposal.status === "open";
  const place = proposal.number == null ? "" : `${word("enter", proposal.number)} · `;
  const parts = [
    make("h2", word("entered", nameOf(proposal.by)), { id: "proposal-title" }),
    make("p", place + spoken(proposal.event), { class: "said big" }),
  ];
  if (proposal.replaces) parts.push(make("p", word("replaced", nameOf(proposal.replaces.by)), { class: "said" }));
  if (proposal.objection) {
    const text = [word("objected", nameOf(proposal.objection.by)), proposal.objection.word].filter(Boolean).join(": ");
    parts.push(make("p", text, { class: "objection" }));
  }
  if (proposal.event.type !== "hand_annulled") parts.push(sheetTable(proposal.sheet, proposal.players, `${word("worth")} (${nameOf(proposal.by)})`));
  const speaks = open && proposal.confirmers.includes(me) && table.status !== "closed";
  if (open && !speaks) parts.push(make("p", word("waits", proposal.confirmers.map(nameOf).join(` ${word("or")} `)), { class: "said" }));
  const actions = make("div", null, { class: "actions" });
  if (speaks) {
    actions.append(button("confirm", confirmIt, { class: "main yes", id: "confirm" }), button("objects", askWhy, { id: "objects" }));
  }
  if (table.status === "open") actions.append(button("change", changeIt, { id: "change" }));
  parts.push(actions);
  $("proposal").replaceChildren(...parts);
}

function askWhy() {
  const text = make("textarea", null, { id: "why", maxlength: 500 });
  const box = make("div", null, {}, make("label", word("word"), { for: "why", class: "label" }), text);
  box.append(make("div", null, { class: "actions" }, button("object", objectToIt, { class: "main", id: "object" })));
  $("proposal").append(box);
  $("objects").disabled = true;
  text.focus();
}

async function confirmIt() {
  $("confirm").disabled = true;
  await change("/proposal:confirm", "POST", { by: me }, table.version);
}

async function objectToIt() {
  $("object").disabled = true;
  await change("/proposal:object", "POST", { by: me, word: $("why").value.trim() || null }, table.version);
}

function changeIt() {
  const { players, event, number } = table.proposal;
  entry.load(players, event, table.next.asks_number ? number : null);
  editing = true;
  show();
  entry.again();
  $("fields").querySelector("input:checked")?.focus();
}

/** Makes a change that was made for a version, and shows what came of it. */
async function change(path, method, body, version) {
  const answer = await call(path, method, body, version);
  if (answer.status === 200) {
    take(answer.body);
    return true;
  }
  if (answer.status === 0 || answer.status === 503) say("lost_reply");
  else if (answer.status === 429) say("busy");
  else if (answer.status === 404) gone();
  else if (answer.status === 412) {
    await look();
    say("faster");
  } else return refused(answer.body);
  show();
  return false;
}

function refused(problem) {
  const left = $("form").hidden ? (problem.errors ?? [{}]) : entry.show(problem.errors ?? []);
  const texts = left.map((fault) => fault.detail ?? problem.detail);
  if (!problem.errors) texts.push(problem.detail);
  if ($("form").hidden) $("state").textContent = texts.join(" ");
  else $("fault").textContent = texts.join(" ");
  return false;
}

// --- entering ----------------------------------------------------------------------------------

function showForm() {
  const hasForm = entry && table.status === "open" && (!table.proposal || table.proposal.status === "objected" || editing);
  $("form").hidden = !hasForm;
  if (!hasForm) return;
  $("form-title").textContent = table.next.number == null ? word("enter_new") : word("enter", table.next.number);
  $("cancel").hidden = !editing;
  $("form").querySelector("[type=submit]").textContent = word(table.proposal ? "replace" : "send");
  entry.draw($("fields"), table);
}

function changed() {
  sessionStorage.setItem(`entry:${token}`, JSON.stringify(entry.save()));
  $("fault").textContent = "";
  clearTimeout(typing);
  typing = setTimeout(preview, TYPING_MS);
}

/** Has the service score what is entered by now. */
async function preview() {
  const turn = ++asked;
  const whole = entry.missing().length === 0 && entry.players.filter(Boolean).length === entry.form.players;
  if (!whole) return showSheet(null);
  const players = [...entry.players];
  const answer = await call("/score", "POST", { players, event: entry.event() });
  if (turn !== asked) return; // something else is entered by now
  entry.show([]);
  if (answer.status === 200) showSheet(answer.body, players);
  else {
    showSheet(null);
    if (answer.status === 422) refused(answer.body);
  }
}

function showSheet(sheet, players) {
  $("preview").hidden = !sheet || sheet.status !== "scored";
  if (!sheet || sheet.status !== "scored") return $("scores").replaceChildren();
  $("sheet").replaceChildren(sheetTable(sheet, players, word("worth")));
  $("scores").replaceChildren(
    ...inOrder(players).map((player) => make("span", `${nameOf(player)} `, {}, make("b", signed(sheet.scores[player]), { class: tone(sheet.scores[player]) }))),
  );
}

async function send(event) {
  event.preventDefault();
  if (!me || !entry.players.includes(me)) {
    say("who_first");
    $("me").focus();
    return;
  }
  entry.asked = true;
  if (entry.missing().length) {
    entry.mark();
    $("fields").querySelector(".wrong input, .wrong button")?.focus();
    return;
  }
  const body = { players: entry.players, event: entry.event(), by: me };
  if (table.next.asks_number) body.number = entry.number;
  const submit = $("form").querySelector("[type=submit]");
  submit.disabled = true;
  const done = await change("/proposal", "PUT", body, table.version);
  submit.disabled = false;
  if (done) {
    say("sent");
    scrollTo({ top: 0, behavior: "instant" });
  }
}

// --- all of it ---------------------------------------------------------------------------------

function showPlayed() {
  const players = listed();
  $("played").hidden = players.length > 8 && !table.hands.length;
  const lines = [...table.hands].reverse().map((hand) => {
    const what = [hand.number, hand.contract == null ? null : named(hand.contract), hand.why === "due" ? word("due_hand") : null];
    const label = what.filter((part) => part != null).join(" · ");
    return { label, points: hand.scores, class: hand.counted || hand.why === "due" ? null : "void" };
  });
  lines.unshift({ label: word("total"), points: table.totals, class: "total" });
  $("hands").replaceChildren(...figures(lines, players));
  $("none").hidden = table.hands.length > 0;
}

function showMe() {
  const options = [make("option", word("choose"), { value: "" })];
  options.push(...table.players.map((player) => make("option", nameOf(player), { value: player, selected: player === me })));
  $("me").replaceChildren(...options);
  $("me").parentElement.classList.toggle("asked", !me);
}

function show() {
  if (!table) return;
  document.title = table.name ?? "Trull";
  $("name").textContent = table.name ?? "Trull";
  const where = [table.table == null ? null : word("table_n", table.table), table.round == null ? null : word("round_n", table.round)];
  $("where").textContent = where.filter(Boolean).join(" · ");
  showMe();
  showState();
  showProposal();
  showForm();
  showPlayed();
}

/** Takes in what the service has told of the table, and tells what is new. */
function take(told) {
  const before = table;
  table = told;
  if (me && !table.players.includes(me)) me = null;
  const wasConfirmed = before && table.last && table.last.hand_id !== before.last?.hand_id;
  const isNew = before && table.proposal && table.proposal.hand_id !== before.proposal?.hand_id;
  if (wasConfirmed) {
    const { number, by, confirmed_by } = table.last;
    say(number == null ? "in_log_new" : "in_log", number, nameOf(by), nameOf(confirmed_by));
    fresh();
  } else if (isNew && table.proposal.by !== me) {
    say(null);
    editing = false;
    $("news").textContent = word("new_one", nameOf(table.proposal.by));
  } else if (before?.proposal?.status === "open" && table.proposal?.status === "objected") {
    say(null);
    const { by, word: why } = table.proposal.objection;
    $("news").textContent = [word("objected", nameOf(by)), why].filter(Boolean).join(": ");
    if (table.proposal.by === me) entry?.load(table.proposal.players, table.proposal.event, table.proposal.number);
  }
  if (table.proposal?.status === "open" && (isNew || !before) && table.proposal.by === me) editing = false;
  const places = (one) => JSON.stringify([one?.round, one?.next.players, one?.table]);
  if (entry && before && !table.proposal && places(before) !== places(table)) fresh();
  show();
  if (wasConfirmed && entry) entry.again(false);
}

/** Begins the next hand, with the contract of the last one. */
function fresh() {
  editing = false;
  entry?.clear(table.next.players, entry.contract);
  showSheet(null);
}

function gone() {
  table = null;
  clearInterval(looking);
  for (const id of ["proposal", "form", "played"]) $(id).hidden = true;
  $("state").textContent = word("no_link");
}

async function look() {
  const answer = await call("");
  if (answer.status === 404) return gone();
  if (answer.status !== 200) {
    if (answer.status === 0 || answer.status >= 500) $("state").textContent = word("away");
    return;
  }
  if (JSON.stringify(answer.body) !== JSON.stringify(table)) take(answer.body);
  else showState();
}

async function begin() {
  await look();
  if (!table) return;
  const answer = await call("/form");
  if (answer.status !== 200) return setTimeout(begin, LOOK_MS);
  entry = new Entry(answer.body, changed);
  const saved = JSON.parse(sessionStorage.getItem(`entry:${token}`) ?? "null");
  entry.clear(table.next.players, saved?.contract ?? null);
  if (saved && same([...saved.players].sort(), [...table.next.players].sort())) entry.restore(saved);
  show();
  if (!$("form").hidden) changed();
}

chooseLanguage(localStorage.getItem("language"));
$("language").value = language;
$("language").addEventListener("change", (event) => {
  localStorage.setItem("language", event.target.value);
  chooseLanguage(event.target.value);
  show();
  if (entry && !$("form").hidden) changed();
});
$("me").addEventListener("change", (event) => {
  me = event.target.value || null;
  if (me) sessionStorage.setItem(`me:${token}`, me);
  say(null);
  show();
});
$("form").addEventListener("submit", send);
$("cancel").addEventListener("click", () => {
  editing = false;
  show();
});
addEventListener("visibilitychange", () => document.hidden || look());
const looking = setInterval(() => document.hidden || look(), LOOK_MS);
begin();

"use strict";
// The form of a result. It knows no rule: what there is to fill in, the service tells (…/form).

/** An element with a text, attributes and children. */
function make(tag, text, attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (text != null) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value != null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** A hand that is being entered. `changed` is called after every change. */
class Entry {
  constructor(form, changed) {
    this.form = form;
    this.changed = changed;
    this.root = null;
    this.clear([]);
  }

  clear(players, contract = null) {
    this.players = [...players];
    this.number = null;
    this.contract = contract;
    this.reason = null;
    this.values = {};
    this.bonuses = [];
    this.asked = false; // whether what is missing is shown
  }

  /** Takes a hand that was sent before, to change it. */
  load(players, event, number) {
    this.clear(players, event.contract ?? null);
    this.number = number;
    if (event.type === "hand_annulled") this.reason = event.reason;
    for (const field of this.row()?.fields ?? []) {
      if (field.name in event) this.values[field.name] = event[field.name];
    }
    for (const { bonus, ...rest } of event.bonuses ?? []) {
      const ways = this.row()?.bonuses.find((one) => one.bonus === bonus)?.ways ?? [];
      const fits = (way) =>
        Object.entries(way.says).every(([name, value]) => same(rest[name], value)) &&
        Object.keys(rest).every((name) => name in way.says || way.fields.some((field) => field.name === name));
      const way = ways.find(fits) ?? ways[0];
      if (way) this.bonuses.push({ bonus, way: way.way, values: rest });
    }
  }

  save() {
    const { players, number, contract, reason, values, bonuses } = this;
    return { players, number, contract, reason, values, bonuses };
  }

  restore(saved) {
    Object.assign(this, saved);
  }

  row() {
    return this.form.contracts.find((one) => one.contract === this.contract);
  }

  wayOf(entered) {
    const ways = this.row().bonuses.find((one) => one.bonus === entered.bonus).ways;
    return ways.find((way) => way.way === entered.way) ?? ways[0];
  }

  /** What came of the hand, as it is sent; what is missing is left out. */
  event() {
    if (this.reason != null) return { type: "hand_annulled", reason: this.reason };
    const event = { type: "result_reported", contract: this.contract };
    Object.assign(event, this.filled(this.row().fields, this.values));
    if (this.row().bonuses.length) {
      event.bonuses = this.bonuses.map((entered) => {
        const way = this.wayOf(entered);
        return { bonus: entered.bonus, ...way.says, ...this.filled(way.fields, entered.values) };
      });
    }
    return event;
  }

  filled(fields, values) {
    const found = {};
    for (const field of fields) {
      let value = values[field.name] ?? field.usual;
      const who = this.who(field);
      if (field.kind === "player" && who.length === 1) value = who[0];
      if (field.kind === "player" && !who.includes(value)) value = null;
      if (field.kind === "numbers_by_player") {
        const entries = this.players.map((player) => [player, values[field.name]?.[player]]);
        value = entries.some(([, count]) => count == null) ? null : Object.fromEntries(entries);
      }
      if (value != null) found[field.name] = value;
    }
    return found;
  }

  /** Who a player may be. */
  who(field) {
    const side = [this.values.declarer, this.values.partner];
    if (field.among === "declarer") return this.players.filter((player) => player === this.values.declarer);
    if (field.among === "defenders") return this.players.filter((player) => !side.includes(player));
    return this.players;
  }

  /** The pointers of what is missing. */
  missing() {
    if (this.reason != null) return [];
    if (!this.row()) return ["/event/contract"];
    const lacks = (fields, values, path) => {
      const found = this.filled(fields, values);
      return fields.filter((field) => !(field.name in found)).map((field) => `${path}/${field.name}`);
    };
    const ofBonuses = this.bonuses.flatMap((entered, at) =>
      lacks(this.wayOf(entered).fields, entered.values, `/event/bonuses/${at}`),
    );
    return [...lacks(this.row().fields, this.values, "/event"), ...ofBonuses];
  }

  // --- drawing ---------------------------------------------------------------------------------

  draw(root, table) {
    this.root = root;
    this.table = table;
    const focused = document.activeElement?.id;
    const parts = [this.drawContracts()];
    if (this.reason == null && this.row()) {
      parts.push(...this.row().fields.map((field) => this.drawField(field, this.values, "/event")));
      parts.push(...this.drawBonuses());
    }
    if (table.next.asks_number) parts.push(this.drawDeal());
    parts.push(this.drawSeats());
    root.replaceChildren(...parts);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    this.mark();
  }

  again(shape = true) {
    if (shape) this.draw(this.root, this.table);
    this.changed();
  }

  group(label, pointer, ...inside) {
    const group = make("fieldset", null, { "data-pointer": pointer });
    group.append(make("legend", label), ...inside, make("p", "", { class: "fault", role: "alert" }));
    return group;
  }

  /** One of several, as radio buttons that look like buttons. */
  chips(pointer, label, offers, chosen, choose) {
    const longest = Math.max(...offers.map(([, text]) => text.length));
    const columns = offers.length !== 4 ? "" : longest <= 6 ? " four" : longest <= 14 ? " two" : "";
    const box = make("div", null, { class: `chips${columns}` });
    offers.forEach(([value, text], at) => {
      const id = `${pointer}:${at}`;
      const radio = make("input", null, { type: "radio", name: pointer, id, checked: same(value, chosen) });
      radio.addEventListener("change", () => choose(value));
      box.append(make("label", null, { class: "chip" }, radio, make("span", text)));
    });
    const group = this.group(label, pointer, box);
    // "made: made or failed" says it twice to the eye.
    if (offers.some(([, text]) => text === label)) group.querySelector("legend").classList.add("unseen");
    return group;
  }

  drawContracts() {
    const offers = this.form.contracts.map((row) => [row.contract, named(row.contract)]);
    const reasons = this.form.annulments.map((reason) => [reason, named(reason)]);
    offers.push([null, named("not_played")]);
    const chosen = this.reason != null ? null : (this.contract ?? undefined);
    const group = this.chips("/event/contract", named("contract"), offers, chosen, (contract) => {
      this.reason = contract == null ? this.form.annulments[0] : null;
      if (contract != null) this.contract = contract;
      this.bonuses = this.bonuses.filter((entered) => this.row()?.bonuses.some((one) => one.bonus === entered.bonus));
      this.again();
    });
    if (this.reason == null) return group;
    const why = this.chips("/event/reason", named("reason"), reasons, this.reason, (reason) => {
      this.reason = reason;
      this.again(false);
    });
    return make("div", null, {}, group, why);
  }

  drawField(field, values, path) {
    const pointer = `${path}/${field.name}`;
    const label = field.name === "player" ? word("of_whom") : named(field.name);
    const set = (value, shape) => {
      values[field.name] = value;
      this.again(shape);
    };
    if (field.kind === "player") {
      const who = this.who(field);
      const alone = (player) => (field.name === "partner" && player === this.values.declarer ? ` (${named("alone")})` : "");
      const offers = who.map((player) => [player, this.nameOf(player) + alone(player)]);
      const chosen = who.length === 1 ? who[0] : values[field.name];
      return this.chips(pointer, label, offers, chosen, (player) => set(player, true));
    }
    if (field.kind === "choice") {
      const offers = field.choices.map((one) => [one.value, one.says.map(named).join(" · ")]);
      return this.chips(pointer, label, offers, values[field.name] ?? field.usual, (value) => set(value, false));
    }
    if (field.kind === "number") return this.drawNumber(pointer, label, field, values);
    return this.drawNumbers(pointer, label, field, values);
  }

  drawNumber(pointer, label, field, values) {
    const input = this.numberInput(pointer, label, field, values[field.name]);
    const rest = make("p", "", { class: "rest" });
    const tell = () => {
      const value = values[field.name];
      rest.textContent = field.of == null || value == null ? "" : word("rest", (field.of - value).toLocaleString(language));
    };
    const set = (value) => {
      values[field.name] = value;
      tell();
      this.again(false);
    };
    input.addEventListener("input", () => set(read(input)));
    const step = (by) => () => {
      const value = Math.min(field.most, Math.max(field.least, (values[field.name] ?? 0) + by));
      input.value = value;
      set(value);
    };
    const button = (text, name, by) => {
      const made = make("button", text, { type: "button", "aria-label": `${label}: ${named(name)}` });
      made.addEventListener("click", step(by));
      return made;
    };
    tell();
    const box = make("div", null, { class: "number" });
    box.append(button("−", "less", -field.step), input, button("+", "more", field.step));
    return this.group(label, pointer, box, rest);
  }

  drawNumbers(pointer, label, field, values) {
    const grid = make("div", null, { class: "grid" });
    for (const player of this.players) {
      const id = `${pointer}/${player}`;
      const input = this.numberInput(id, `${label}: ${this.nameOf(player)}`, field, values[field.name]?.[player]);
      input.addEventListener("input", () => {
        values[field.name] = { ...values[field.name], [player]: read(input) };
        this.again(false);
      });
      grid.append(make("label", this.nameOf(player), { for: id }), input);
    }
    return this.group(label, pointer, grid);
  }

  numberInput(id, label, field, value) {
    const mode = field.step < 1 ? "decimal" : "numeric";
    const input = make("input", null, { type: "text", inputmode: mode, id, "aria-label": label, autocomplete: "off" });
    input.value = value == null ? "" : value.toLocaleString(language, { useGrouping: false });
    input.addEventListener("click", () => input.select());
    return input;
  }

  drawBonuses() {
    const parts = this.bonuses.map((entered, at) => this.drawBonus(entered, at));
    if (!this.row().bonuses.length) return parts;
    const box = make("div", null, { class: "chips" });
    for (const { bonus, ways } of this.row().bonuses) {
      const add = make("button", `+ ${named(bonus)}`, { type: "button", class: "add", id: `add:${bonus}` });
      add.addEventListener("click", () => {
        this.bonuses.push({ bonus, way: ways[0].way, values: {} });
        this.again();
        document.getElementById(`remove:${this.bonuses.length - 1}`)?.focus({ preventScroll: true });
      });
      box.append(add);
    }
    return [...parts, this.group(named("bonuses"), "/event/bonuses", box)];
  }

  drawBonus(entered, at) {
    const path = `/event/bonuses/${at}`;
    const ways = this.row().bonuses.find((one) => one.bonus === entered.bonus).ways;
    const name = named(entered.bonus);
    const box = make("div", null, { class: "bonus", role: "group", "aria-label": name, "data-pointer": path });
    const remove = make("button", "×", { type: "button", id: `remove:${at}`, "aria-label": word("remove", name) });
    remove.addEventListener("click", () => {
      this.bonuses.splice(at, 1);
      this.again();
      document.getElementById(`add:${entered.bonus}`)?.focus({ preventScroll: true });
    });
    box.append(make("h3", name), remove);
    if (ways.length > 1) {
      const offers = ways.map((way) => [way.way, named(way.way)]);
      box.append(
        this.chips(`${path}/stage`, named("way"), offers, this.wayOf(entered).way, (way) => {
          entered.way = way;
          this.again();
        }),
      );
    }
    const asked = this.wayOf(entered).fields.filter((field) => field.kind !== "player" || this.who(field).length !== 1);
    box.append(...asked.map((field) => this.drawField(field, entered.values, path)), make("p", "", { class: "fault", role: "alert" }));
    return box;
  }

  drawDeal() {
    const input = this.numberInput("/number", named("deal"), { step: 1 }, this.number);
    input.addEventListener("input", () => {
      this.number = read(input);
      this.again(false);
    });
    return this.group(named("deal"), "/number", make("div", null, { class: "number" }, input));
  }

  /** Who plays, forehand first; told already, as a rule. */
  drawSeats() {
    const details = make("details", null, { "data-pointer": "/players" });
    const names = this.players.map((player) => this.nameOf(player)).join(", ");
    details.open = this.players.length < this.form.players || this.seatsOpen === true;
    details.addEventListener("toggle", () => (this.seatsOpen = details.open));
    details.append(make("summary", `${named("seats")}: ${names}`));
    for (let seat = 0; seat < this.form.players; seat += 1) {
      const name = seat === 0 ? named("first_seat") : seat === this.form.players - 1 ? named("dealer") : word("seat", seat + 1);
      const select = make("select", null, { id: `seat:${seat}` });
      select.append(make("option", "", { value: "" }));
      for (const player of this.table.players) {
        select.append(make("option", this.nameOf(player), { value: player, selected: this.players[seat] === player }));
      }
      select.addEventListener("change", () => this.sit(seat, select.value));
      details.append(make("label", null, { class: "seat" }, make("span", name), select));
    }
    details.append(make("p", "", { class: "fault", role: "alert" }));
    return details;
  }

  /** Seats a player; who sat there takes the seat that becomes free. */
  sit(seat, player) {
    this.seatsOpen = true;
    const before = this.players.indexOf(player);
    if (before >= 0) this.players[before] = this.players[seat] ?? "";
    this.players[seat] = player;
    for (let at = 0; at < this.form.players; at += 1) this.players[at] ??= "";
    this.again();
  }

  nameOf(player) {
    return this.table?.names[player] ?? player;
  }

  // --- what is wrong ---------------------------------------------------------------------------

  /** Shows faults beside their fields; what has no field is given back. */
  show(faults) {
    for (const place of this.root.querySelectorAll("[data-pointer]")) {
      place.classList.remove("wrong");
      const told = place.querySelector(":scope > .fault");
      if (told) told.textContent = "";
    }
    return faults.filter(({ pointer, detail }) => {
      const steps = (pointer ?? "").split("/");
      for (; steps.length > 1; steps.pop()) {
        const place = this.root.querySelector(`[data-pointer="${CSS.escape(steps.join("/"))}"]`);
        const told = place?.querySelector(":scope > .fault");
        if (told) {
          place.classList.add("wrong");
          told.textContent = detail;
          return false;
        }
      }
      return true;
    });
  }

  /** Shows what is missing, once that was asked for. */
  mark() {
    if (!this.asked) return;
    const detail = (pointer) => named(/points|tricks/.test(pointer) ? "how_many" : "choose_one");
    this.show(this.missing().map((pointer) => ({ pointer, detail: detail(pointer) })));
  }
}

/** The number of an input; null where there is none. */
function read(input) {
  const text = input.value.trim().replace(",", ".");
  return text === "" || Number.isNaN(Number(text)) ? null : Number(text);
}

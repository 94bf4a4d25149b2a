// Putting a move right: who made it, what was laid, taking it out, or putting a forgotten one in before it.

import { fetchOptions, judge } from "./api.js";
import { copied, h, spoken } from "./dom.js";
import { entering } from "./lay.js";
import { ruleButton } from "./rule.js";
import { t } from "./words.js";

// `entry` is how the game's own moves are entered, where it has such a way; `state` the table as it is now.
export async function editor(move, { state, game, entry, press, close }) {
  const wanted = copied(move.command);
  const stood = { ...state, ...move.stood, proposal: null, last: null };
  const note = h("div", { class: "answer", role: "status" });

  // The answer stands under the very button that was pressed.
  const send = async (change, event) => {
    const pressed = event?.currentTarget;
    const answer = await press.correct(move, change, note);
    if (!answer) return;
    if (!answer.error) return close();
    (pressed?.closest("li, .row") ?? pressed)?.after(note);
    note.replaceChildren(h("p", {}, spoken(answer.error.message)), ...ways(answer.error, change), ruleButton(game, answer.error, press.howTo) ?? "");
    note.scrollIntoView({ block: "center" }); // clear of what is said below
  };
  const ways = ({ code }, change) => {
    if (code === "does-not-follow") return [way(t("correct-cut"), { ...change, cut: true })];
    if (code !== "not-your-turn") return [];
    return plain(move).filter(({ player }) => player === stood.turn)
      .map(({ label, command }) => way(t("correct-before", { label }), { ...change, commands: [command, ...change.commands] }));
  };
  const way = (words, change) => h("button", { class: "small", onclick: (event) => send(change, event) }, words);
  const replace = (command, event) => send({ at: move.n, replaced: 1, commands: [command] }, event);
  const insert = (command, event) => send({ at: move.n, replaced: 0, commands: [command] }, event);
  const players = Object.keys(state.players);
  const by = { state: stood, game, players, howTo: press.howTo };
  const asked = { state: stood, players, judge: (commands) => judge(commands, move.n), options: (cell) => fetchOptions(cell, move.n) };
  const isTyped = entry?.takes(wanted) && !entry.isListed;
  const typed = isTyped ? await entry.controls(wanted, asked) : [];
  const isOnCell = Array.isArray(wanted.cell);

  return h("section", { class: "editor", "aria-label": t("put-it-right") },
    h("h3", {}, t("put-it-right")),
    move.picture ? crop(move.n) : null,
    isTyped && !isOnCell ? null : who(wanted, players),
    ...typed,
    isOnCell ? where(wanted, stood, game) : null,
    ...(isTyped ? [] : numbers(wanted, game)),
    isOnCell && entry?.isListed ? another(wanted, { ...by, at: move.n, lay: replace }) : null,
    h("button", { id: "correct", onclick: (event) => replace(wanted, event) }, t("correct")),
    suggestions(move, game, state, replace),
    h("details", {}, h("summary", { id: "something-else" }, t("something-else")),
      h("div", { class: "row wrap" },
        ...others(move).map(({ label, command }) => h("button", { class: "plain small", onclick: (event) => replace(command, event) }, t("it-was", { label }))),
        h("button", { id: "take-out", class: "plain small", onclick: (event) => send({ at: move.n, replaced: 1, commands: [] }, event) }, t("not-happened")))),
    h("details", {}, h("summary", { id: "forgotten" }, t("forgotten")),
      h("div", { class: "row wrap" },
        ...plain(move).map(({ label, command }) => h("button", { class: "plain small", onclick: (event) => insert(command, event) }, t("put-in", { label })))),
      forgotten(entry, { ...by, at: move.n, lay: insert })),
    note);
}

// The card as the camera saw it, beside what it may have been.
function crop(number) {
  const image = h("img", { src: `/api/moves/${number}/evidence.jpg?close=1`, alt: t("crop"), class: "crop" });
  image.addEventListener("error", () => image.remove());
  return image;
}

// What needs no card, of whatever kind; an amount takes its least.
function plain({ actions }) {
  return actions.map((action) => ({
    player: action.player,
    label: action.said,
    command: action.field ? { ...action.command, [action.field]: action.least } : action.command,
  }));
}

function others(move) {
  return plain(move).filter(({ command }) => command.cmd !== move.command.cmd);
}

// A card that was laid before and that nobody entered: the table as it lay then, its free cells to tap, or the game's
// own entry.
function forgotten(entry, asked) {
  const { state, game } = asked;
  if (!game.layWords?.(state)) return null;
  const form = h("div", { class: "editor" });
  const ask = (cell) => entering(cell, asked).then((parts) => form.replaceChildren(...parts));
  const begin = () => (entry?.takesCell?.(state) ? form.replaceChildren(tableau(state, game, ask)) : ask(null));
  return h("div", {}, h("button", { id: "forgotten-card", class: "plain small", onclick: begin }, game.layWords(state)), form);
}

function who(wanted, names) {
  if (!wanted.player || names.length < 2) return null;
  const buttons = names.map((name) =>
    h("button", { type: "button", class: "plain pick name", "aria-pressed": String(name === wanted.player), onclick: () => choose(name) }, name));
  const choose = (name) => {
    wanted.player = name;
    for (const [n, button] of buttons.entries()) button.setAttribute("aria-pressed", String(names[n] === name));
  };
  return h("div", { class: "row picks", role: "group", "aria-label": t("who") }, ...buttons);
}

// Another tile in that cell, where tiles are picked from what the rules allow and not painted.
function another(wanted, asked) {
  const form = h("div", {});
  const part = h("details", {}, h("summary", { id: "another-tile" }, t("another-tile")), form);
  part.addEventListener("toggle", () => part.open && entering(wanted.cell, asked).then((parts) => form.replaceChildren(...parts)));
  return part;
}

// Another cell: the table as it lay then, with its free cells to tap.
function where(wanted, stood, game) {
  return h("details", {}, h("summary", { id: "elsewhere" }, t("elsewhere")), tableau(stood, game, (cell) => (wanted.cell = cell)));
}

function tableau(stood, game, onCell) {
  const drawing = h("div", { class: "cloth" }, game.drawTable(stood, true));
  const choose = ({ target }) => {
    const place = target.closest("[data-free]");
    if (!place) return;
    drawing.querySelector(".is-chosen")?.classList.remove("is-chosen");
    place.classList.add("is-chosen");
    onCell(place.dataset.free.split(",").map(Number));
  };
  drawing.addEventListener("click", choose);
  drawing.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    choose(event);
  });
  return drawing;
}

function numbers(wanted, { quantities = {} }) {
  const fields = Object.keys(wanted).filter((name) => typeof wanted[name] === "number");
  return fields.map((name) => {
    const input = h("input", { id: `edit-${name}`, type: "number", inputmode: "numeric", value: wanted[name] });
    input.addEventListener("input", () => (wanted[name] = Number(input.value)));
    return h("div", { class: "row field" }, h("label", { for: input.id }, quantities[name] ?? name), input);
  });
}

function suggestions({ instead }, game, state, replace) {
  if (!instead.length) return null;
  const choices = instead.map(({ command, said }) =>
    h("li", {}, h("button", { class: "plain suggestion", onclick: (event) => replace(command, event) },
      game.preview?.(command, state) ?? null, h("span", {}, said))));
  return h("div", {}, h("h4", {}, t("or-this")), h("ul", { class: "suggestions" }, ...choices));
}

// Putting a move right: who made it, what was laid, taking it out, or putting a forgotten one in before it.

import { h } from "./dom.js";
import { paint } from "./paint.js";

export function editor(move, { state, game, press, close }) {
  const wanted = structuredClone(move.command);
  const note = h("p", { class: "soft", role: "status" });

  const send = async (change) => {
    const answer = await press.correct(move.version, change);
    if (!answer) return;
    if (!answer.error) return close();
    note.replaceChildren(answer.error.message);
    if (answer.error.code === "does-not-follow") {
      note.append(" ", h("button", { class: "small", onclick: () => send({ ...change, cut: true }) }, "Correct, and take back the moves from there on"));
    }
  };
  const replace = (command) => send({ at: move.n, replaced: 1, commands: [command] });
  const insert = (command) => send({ at: move.n, replaced: 0, commands: [command] });

  return h("section", { class: "editor", "aria-label": "Put it right" },
    h("h3", {}, "Put it right"),
    who(wanted, state),
    paint(wanted, game, state),
    where(wanted, state, game),
    numbers(wanted),
    h("button", { id: "correct", onclick: () => replace(wanted) }, "Correct it so"),
    suggestions(move, game, state, replace),
    h("details", {}, h("summary", {}, "It was something else"),
      h("div", { class: "row wrap" },
        ...others(move).map(({ label, command }) => h("button", { class: "plain small", onclick: () => replace(command) }, `It was: ${label}`)),
        h("button", { id: "take-out", class: "plain small", onclick: () => send({ at: move.n, replaced: 1, commands: [] }) }, "It did not happen")),
      h("p", {}, "A move before it was forgotten:"),
      h("div", { class: "row wrap" },
        ...others(move).map(({ label, command }) => h("button", { class: "plain small", onclick: () => insert(command) }, `Put in: ${label}`)))),
    note);
}

// What needs no card; an amount takes its least.
function others({ actions, command }) {
  return actions
    .filter((action) => action.command.cmd !== command.cmd)
    .map((action) => ({
      label: [action.player, action.label, action.field ? action.least : ""].filter((part) => part !== null && part !== "").join(" "),
      command: action.field ? { ...action.command, [action.field]: action.least } : action.command,
    }));
}

function who(wanted, state) {
  const names = Object.keys(state.players);
  if (!wanted.player || names.length < 2) return null;
  const buttons = names.map((name) =>
    h("button", { type: "button", class: "plain pick name", "aria-pressed": String(name === wanted.player), onclick: () => choose(name) }, name));
  const choose = (name) => {
    wanted.player = name;
    buttons.forEach((button, n) => button.setAttribute("aria-pressed", names[n] === name));
  };
  return h("div", { class: "row picks", role: "group", "aria-label": "Who" }, ...buttons);
}

// Another cell: the table with its free cells to tap.
function where(wanted, state, game) {
  if (!Array.isArray(wanted.cell) || !game.layWords) return null;
  const drawing = h("div", { class: "cloth" }, game.drawTable({ ...state, phase: "play", proposal: null, last: null }, true));
  const choose = ({ target }) => {
    const place = target.closest("[data-free]");
    if (!place) return;
    drawing.querySelector(".is-chosen")?.classList.remove("is-chosen");
    place.classList.add("is-chosen");
    wanted.cell = place.dataset.free.split(",").map(Number);
  };
  drawing.addEventListener("click", choose);
  drawing.addEventListener("keydown", (event) => ["Enter", " "].includes(event.key) && choose(event));
  return h("details", {}, h("summary", { id: "elsewhere" }, "It lies in another cell"), drawing);
}

function numbers(wanted) {
  const fields = Object.keys(wanted).filter((name) => typeof wanted[name] === "number");
  return fields.map((name) => {
    const input = h("input", { id: `edit-${name}`, type: "number", inputmode: "numeric", value: wanted[name] });
    input.addEventListener("input", () => (wanted[name] = Number(input.value)));
    return h("div", { class: "row field" }, h("label", { for: input.id }, name.replaceAll("_", " ")), input);
  });
}

function suggestions({ instead }, game, state, replace) {
  if (!instead.length) return null;
  const choices = instead.map(({ command, said }) =>
    h("li", {}, h("button", { class: "plain suggestion", onclick: () => replace(command) },
      game.preview?.(command, state) ?? null, h("span", {}, said))));
  return h("div", {}, h("h4", {}, "Or was it this?"), h("ul", { class: "suggestions" }, ...choices));
}

// Buttons and steppers for what may be done by hand now, as the server lists it: no game is known here by name.

import { h, retype } from "./dom.js";
import { t } from "./words.js";

const NEW_MS = 400; // so long a finger may still mean the button that stood there before
const MINE = "companion-player"; // who was chosen on this phone the last time

export function actions(state, press, me, doubt) {
  if (state.is_over) return h("div", { class: "row" }, h("button", { id: "next-game", onclick: press.nextGame }, t("next-game")));
  const amounts = grouped(state.actions.filter((action) => action.field));
  const steppers = [...amounts.values()].map((same, n) => stepper(same, n, press, me, doubt));
  const presses = [...grouped(state.actions.filter((action) => !action.field)).values()];
  const shared = presses.filter((same) => same.length > 1).map((same, n) => roll(same, n, press));
  const buttons = presses.filter((same) => same.length === 1).map(([action], n) => button(action, n, press, me));
  return [...steppers, ...shared, buttons.length ? h("div", { class: "row wrap" }, ...buttons) : null];
}

/**
 * Whether a press is meant for what has stood under the finger since then.
 * @param {Event} event @param {number} since
 */
export const isMeant = (event, since) => !event.isTrusted || event.timeStamp - since > NEW_MS;

// A press for another's seat says whose it is, and stays without effect while the button under the finger is new.
function button({ label, player, command }, n, press, me) {
  const words = player && player !== me.seat ? t("by-player", { player, label }) : label;
  const drawn = performance.now();
  return h("button", { id: `do-${n}`, class: "plain", onclick: (event) => isMeant(event, drawn) && press.command(command) }, words);
}

// One button for each player who may press it.
function roll(choices, n, press) {
  const names = choices.map((choice, k) => name(choice, `roll-${n}-${k}`, () => press.command(choice.command)));
  const label = `roll-${n}`;
  return h("div", { class: "stepper" }, h("p", { id: label, class: "soft" }, t("label-of", { label: choices[0].label })),
    h("div", { class: "row picks", role: "group", "aria-labelledby": label }, ...names));
}

// One amount of one player, in steps that the rules allow; some ready to tap. Too much is for the rules to refuse; what is
// hardly meant is asked for once more.
function stepper(choices, n, press, me, doubt) {
  const remembered = choices.findIndex(({ player }) => player === (me.seat ?? localStorage.getItem(MINE)));
  let chosen = choices[Math.max(0, remembered)];
  const input = h("input", { id: `amount-${n}`, type: "number", inputmode: "numeric", oninput: () => put(input.value) });
  const question = h("p", { role: "alert" });
  let askedAt = 0;
  const ready = h("div", { class: "row picks", role: "group", "aria-label": t("amounts") });
  const names = choices.length > 1 ? choices.map((choice, k) => name(choice, `who-${n}-${k}`, () => choose(choice))) : [];

  const put = (value) => {
    retype(input, value);
    question.textContent = "";
  };
  const bounded = (value) => {
    const { least, step } = chosen;
    return Math.max(least, least + Math.round((value - least) / step) * step);
  };
  const move = (sign) => put(bounded(Number(input.value) + sign * chosen.step));
  const choose = (choice) => {
    chosen = choice;
    if (choices.length > 1) localStorage.setItem(MINE, choice.player);
    for (const [k, element] of names.entries()) element.setAttribute("aria-pressed", choices[k] === choice);
    Object.assign(input, { min: choice.least, step: choice.step });
    input.value = choice.least;
    delete input.dataset.typed;
    question.textContent = "";
    ready.replaceChildren(...choice.examples.map((amount) => pick(amount, () => put(amount))));
  };
  // What was typed is asked for as it stands: an amount that nobody meant must not count.
  const submit = (event) => {
    event.preventDefault();
    if (Number.isNaN(input.valueAsNumber)) return input.focus();
    const command = { ...chosen.command, [chosen.field]: input.valueAsNumber };
    const asked = doubt(command);
    const isAsked = !asked || question.textContent === asked;
    question.textContent = asked;
    if (!isAsked) {
      askedAt = performance.now();
      return question.scrollIntoView({ block: "nearest" });
    }
    delete input.dataset.typed;
    press.command(command);
  };

  // The second tap of a double one was meant before there was a question.
  const hold = (event) => question.textContent && !isMeant(event, askedAt) && event.preventDefault();

  choose(chosen);
  const { label, player } = chosen;
  return h("form", { class: "stepper", onsubmit: submit, novalidate: true },
    h("label", { for: input.id }, names.length ? label : h("span", {}, h("b", {}, player), " · ", label)),
    names.length ? h("div", { class: "row picks", role: "group", "aria-label": t("who") }, ...names) : null,
    h("div", { class: "row" },
      h("button", { type: "button", class: "plain round", "aria-label": t("less"), onclick: () => move(-1) }, "−"),
      input,
      h("button", { type: "button", class: "plain round", "aria-label": t("more"), onclick: () => move(1) }, "+"),
      h("button", { type: "submit", id: `set-${n}`, onclick: hold }, t("set"))),
    question,
    ready);
}

function name({ player }, id, onclick) {
  return h("button", { type: "button", id, class: "plain pick name", onclick }, player);
}

function pick(amount, onclick) {
  return h("button", { type: "button", class: "plain pick", onclick }, amount);
}

function grouped(list) {
  const groups = new Map();
  for (const action of list) {
    const key = `${action.label} ${action.field}`;
    groups.set(key, [...(groups.get(key) ?? []), action]);
  }
  return groups;
}

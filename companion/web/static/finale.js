// The end of a game: ranking, totals and the evening's wins; in a dialog on phones, in its own place on the television.

import { closeDialog, openDialog } from "./dialog.js";
import { h } from "./dom.js";
import { isolated, t } from "./words.js";

let told = /** @type {string | null} */ (null);

/** @param {any} finale */
export function drawFinale(finale) {
  if (!finale) return [];
  const { measure, ranking, evening } = finale;
  const winners = ranking.filter(({ won }) => won).map(({ name }) => name);
  const rows = ranking.map(({ place, name, total, won }) =>
    h("li", { class: won ? "is-winner" : null, value: place }, h("b", { class: "place" }, `${place}.`), h("span", { class: "name" }, name),
      total === null ? null : h("b", { class: "total" }, total)));
  const wins = Object.entries(evening).sort(([, a], [, b]) => b - a);
  return [
    h("p", { class: winners.length > 2 ? "winner many" : "winner" }, winners.length ? t(winners.length > 1 ? "finale-shared" : "finale-won", { players: winners.map(isolated).join(", ") }) : t("finale-nobody")),
    measure ? h("p", { class: "soft" }, t(`finale-${measure}`)) : null,
    h("ol", { class: "places" }, ...rows),
    wins.length ? h("div", { class: "evening" }, h("h3", {}, t("finale-evening")),
      h("ul", {}, ...wins.map(([name, games]) => h("li", {}, h("span", { class: "name" }, name), h("b", {}, games))))) : null,
  ];
}

/** Opens the end of a game once, when it has come while one looked, and gives the rematch. */
export function tellFinale(state, game, me, press) {
  const key = state.finale ? `${state.game} ${state.changed}` : "";
  const isNew = told !== null && key && key !== told;
  told = key;
  if (!key) closeDialog(document.querySelector("#sheet .finale")); // the next game has begun
  if (isNew) openFinale(state, game, me, press);
}

/** The same with the table as it lay. */
export function openFinale(state, game, me, press) {
  const ranked = h("div", { class: "finale" }, ...drawFinale(state.finale));
  const again = async (ask) => {
    const answer = await ask();
    if (answer && !answer.error) closeDialog(ranked);
  };
  openDialog(t("over"), [ranked,
    me.joined ? h("button", { id: "rematch", class: "wide", onclick: () => again(press.nextGame) }, t("rematch")) : null,
    me.operator ? h("button", { id: "finale-other", class: "plain wide", onclick: press.anotherGame }, t("another-game")) : null,
    h("div", { class: "cloth" }, game.drawTable(state))]);
}

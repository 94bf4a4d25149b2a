// Putting another game on the table: which, in which edition, and who plays. Loaded when the operator asks for it.

import { fetchGames } from "./api.js";
import { find, h } from "./dom.js";
import { gameModule } from "./games.js";
import { t } from "./words.js";

const dialog = find("sheet");

export async function openBegin({ state, press }) {
  const games = await fetchGames().catch(() => []);
  const titles = await Promise.all(games.map(async ({ name }) => (await gameModule(name)).title ?? name));
  const wanted = { game: games.find(({ name }) => name === state.game), edition: state.header.edition, names: Object.keys(state.players) };
  const note = h("p", { class: "soft", role: "status" });
  const form = h("form", { class: "begin", autocomplete: "off", onsubmit: (event) => begin(event) });

  const begin = async (event) => {
    event.preventDefault();
    const players = wanted.names.map((name) => name.trim()).filter(Boolean);
    const same = wanted.game.name === state.game;
    const edition = wanted.game.editions.includes(wanted.edition) ? { edition: wanted.edition } : {};
    const answer = await press.begin({ record: 1, game: wanted.game.name, ...edition, players, options: same ? state.header.options : {} });
    if (answer?.error) note.textContent = answer.error.message;
    else if (answer) dialog.close();
  };
  const draw = () => {
    const { editions, least, most } = wanted.game;
    while (wanted.names.length < least) wanted.names.push("");
    if (most) wanted.names.length = Math.min(wanted.names.length, most);
    form.replaceChildren(...[
      picks(t("game-which"), games, (game) => titles[games.indexOf(game)], wanted.game, (game) => (wanted.game = game)),
      editions.length > 1 ? picks(t("deck-which"), editions, (edition) => t("deck-of", { edition }), wanted.edition ?? editions[0], (edition) => (wanted.edition = edition)) : null,
      h("fieldset", {}, h("legend", {}, t("players")), ...wanted.names.map(nameField),
        most && wanted.names.length >= most ? null : h("button", { type: "button", id: "add-player", class: "plain small", onclick: () => redraw(() => wanted.names.push("")) }, t("player-more"))),
      h("p", { class: "soft" }, t("game-kept")),
      h("button", { type: "submit", id: "begin", class: "wide" }, t("begin")),
      note].filter(Boolean));
  };
  const redraw = (change) => {
    change();
    draw();
  };
  const picks = (label, list, words, chosen, choose) =>
    h("div", { class: "row picks", role: "group", "aria-label": label },
      ...list.map((one) => h("button", { type: "button", class: "plain pick name", "aria-pressed": String(one === chosen), onclick: () => redraw(() => choose(one)) }, words(one))));
  const nameField = (name, n) => {
    const input = h("input", { id: `player-${n}`, value: name, maxlength: 40, "aria-label": t("player", { n: n + 1 }) });
    input.addEventListener("input", () => (wanted.names[n] = input.value));
    return h("div", { class: "row" }, input,
      wanted.names.length > wanted.game.least ? h("button", { type: "button", class: "plain round", "aria-label": t("player-without", { n: n + 1 }), onclick: () => redraw(() => wanted.names.splice(n, 1)) }, "−") : null);
  };

  draw();
  dialog.replaceChildren(
    h("div", { class: "row head" }, h("h2", { id: "sheet-title" }, t("another-game")),
      h("button", { class: "plain small", id: "sheet-close", onclick: () => dialog.close() }, t("close"))),
    form);
  dialog.showModal();
}

// Setting a table up: which game, in which edition, who plays in which colour, and the house rules. It opens by itself on
// a table where nothing was begun, and for the operator in the middle of an evening.

import { fetchGames, fetchMe, fetchPlayers } from "./api.js";
import { cameraView } from "./camera.js";
import { closeDialog, openDialog } from "./dialog.js";
import { h } from "./dom.js";
import { gameModule } from "./games.js";
import { t } from "./words.js";

const DRAFT = "companion-setup"; // what was chosen before a page was opened from here

export async function openSetup({ state, me, press }) {
  const [games, known] = await Promise.all([fetchGames(), fetchPlayers()]);
  const pages = Object.fromEntries(await Promise.all(games.map(async ({ name }) => [name, await gameModule(name)])));
  const wanted = {
    game: games.find(({ name }) => name === state.game) ?? games[0],
    edition: state.header.edition,
    seats: me.setup ? [] : Object.keys(state.players).map((name) => seatOf(name, state.header.options.colours?.[name])),
    options: me.setup ? {} : { ...state.header.options },
  };
  Object.assign(wanted, taken(games));
  const isSetup = me.setup; // when it was opened
  const note = h("p", { class: "answer", role: "status" });
  const leave = () => sessionStorage.setItem(DRAFT, JSON.stringify({ ...wanted, game: wanted.game.name }));
  const camera = me.camera ? cameraView(me, press, () => wanted.game.name, leave) : null;
  const form = h("form", { class: "begin", autocomplete: "off", onsubmit: (event) => begin(event) });

  function seatOf(name, colour = known.find((player) => player.name === name)?.colour) {
    return { name, colour };
  }
  const begin = async (event) => {
    event.preventDefault();
    const answer = await press.begin(header(wanted, pages[wanted.game.name]), isSetup);
    if (answer?.error) note.textContent = answer.error.message;
    else if (answer) closeDialog(form);
  };
  // All is drawn anew: the focus stays where it was, or goes to the first of some places that is there.
  const redraw = (change, ...ids) => {
    const here = document.activeElement?.id ?? "";
    change();
    draw();
    const places = [...(ids.length ? ids : [here]), "add-player", "player-0"].map((id) => document.getElementById(id));
    places.find((place) => place && !place.matches(":disabled"))?.focus();
  };
  const draw = () => {
    const { editions, least, most, name } = wanted.game;
    const page = pages[name];
    while (wanted.seats.length < Math.max(2, least)) wanted.seats.push(seatOf(""));
    if (most) wanted.seats.length = Math.min(wanted.seats.length, most);
    const names = new Set(wanted.seats.map((seat) => seat.name.trim()));
    const others = known.filter((player) => !names.has(player.name)).slice(0, 8);
    const isFull = most && wanted.seats.length >= most && wanted.seats.every((seat) => seat.name.trim());
    form.replaceChildren(...[
      h("fieldset", {}, h("legend", {}, t("game-which")),
        h("div", { class: "game-picks" }, ...games.map((game) => gamePick(game, pages[game.name], game === wanted.game, () => redraw(() => choose(game)))))),
      editions.length > 1 ? picks(t("deck-which"), editions, "deck", (edition) => t("deck-of", { edition }), wanted.edition ?? editions[0], (edition) => (wanted.edition = edition)) : null,
      h("fieldset", {}, h("legend", {}, t("players")),
        h("ol", { class: "setup-seats" }, ...wanted.seats.map((seat, n) => seatField(seat, n, page))),
        others.length && !isFull ? h("div", { class: "row picks", role: "group", "aria-label": t("players-known") },
          ...others.map(({ name: other }, n) => h("button", { type: "button", id: `known-${n}`, class: "plain pick name", onclick: () => redraw(() => sit(other), `known-${n}`, `known-${n - 1}`) }, other))) : null,
        most && wanted.seats.length >= most ? null : h("button", { type: "button", id: "add-player", class: "plain small", onclick: addSeat }, t("player-more"))),
      page.options?.length ? h("details", {}, h("summary", { id: "house-rules" }, t("house-rules")), ...page.options.map((option) => optionField(option, wanted.options, wanted.seats.length))) : null,
      camera?.element,
      me.setup ? null : h("p", { class: "soft" }, t("game-kept")),
      h("button", { type: "submit", id: "begin", class: "wide" }, t("begin")),
      note].filter(Boolean));
    camera?.redraw();
  };
  const choose = (game) => {
    if (game !== wanted.game) Object.assign(wanted, { game, options: {}, edition: game.editions[0] });
  };
  // A known player takes the first seat without a name, or one more.
  const sit = (name) => {
    const free = wanted.seats.findIndex((seat) => !seat.name.trim());
    if (free >= 0) wanted.seats[free] = seatOf(name);
    else wanted.seats.push(seatOf(name));
  };
  const addSeat = () => redraw(() => wanted.seats.push(seatOf("")), `player-${wanted.seats.length}`);
  const picks = (label, list, id, words, chosen, pick) =>
    h("div", { class: "row picks", role: "group", "aria-label": label },
      ...list.map((one) => h("button", { type: "button", id: `${id}-${one}`, class: "plain pick", "aria-pressed": String(one === chosen), onclick: () => redraw(() => pick(one)) }, words(one))));
  const seatField = (seat, n, page) => {
    const input = h("input", { id: `player-${n}`, value: seat.name, maxlength: 40, "aria-label": t("player", { n: n + 1 }), placeholder: t("player", { n: n + 1 }) });
    input.addEventListener("input", () => (seat.name = input.value));
    const up = h("button", { type: "button", id: `up-${n}`, class: "plain round", "aria-label": t("player-up", { n: n + 1 }), disabled: n === 0, onclick: () => redraw(() => wanted.seats.splice(n - 1, 2, seat, wanted.seats[n - 1]), `up-${n - 1}`, `player-${n - 1}`) }, "↑");
    const out = h("button", { type: "button", id: `out-${n}`, class: "plain round", "aria-label": t("player-without", { n: n + 1 }), onclick: () => redraw(() => wanted.seats.splice(n, 1), `out-${n}`, `out-${n - 1}`) }, "−");
    return h("li", {}, h("div", { class: "row" }, input, up, wanted.seats.length > wanted.game.least ? out : null),
      page.colours ? picks(t("colour-of", { n: n + 1 }), page.colours, `colour-${n}`, (colour) => t(`colour-${colour}`), colourOf(wanted.seats, n, page.colours), (colour) => give(seat, colour)) : null);
  };
  // A colour that another has is swapped with one's own.
  const give = (seat, colour) => {
    const all = pages[wanted.game.name].colours;
    wanted.seats.forEach((one, k) => {
      one.colour = colourOf(wanted.seats, k, all);
    });
    const other = wanted.seats.find((one) => one.colour === colour);
    if (other) other.colour = seat.colour;
    seat.colour = colour;
  };

  draw();
  openDialog(me.setup ? t("setup") : t("another-game"), [me.setup ? h("p", { class: "soft" }, t("setup-welcome")) : null, form], me.setup ? leaveIfBegun : null);

  // Whoever joined an empty table sets it up; once somebody has begun there is nothing to set up.
  async function leaveIfBegun() {
    me.setup = (await fetchMe()).setup;
    if (!me.setup) closeDialog(form);
  }
}

// What was chosen when another page was opened from the set-up, once.
function taken(games) {
  const kept = JSON.parse(sessionStorage.getItem(DRAFT) ?? "null");
  sessionStorage.removeItem(DRAFT);
  const game = games.find(({ name }) => name === kept?.game);
  return game ? { ...kept, game } : {};
}

// The header of the game that is wanted; what is left as the house has it is not stated.
function header({ game, edition, seats, options }, page) {
  const players = seats.map(({ name }) => name.trim()).filter(Boolean);
  const stated = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== "" && value !== undefined));
  const colours = page.colours ? { colours: Object.fromEntries(seats.map((seat, n) => [seat.name.trim(), colourOf(seats, n, page.colours)]).filter(([name]) => name)) } : {};
  return { record: 1, game: game.name, ...(game.editions.includes(edition) ? { edition } : {}), players, options: { ...stated, ...colours } };
}

/**
 * A seat's colour: the one it was given, or the first that nobody was given.
 * @param {{colour?: string}[]} seats @param {number} n @param {string[]} all
 */
export function colourOf(seats, n, all) {
  const given = seats.map(({ colour }, k) => (seats.findIndex((other) => other.colour === colour) === k ? colour : undefined));
  const free = all.filter((colour) => !given.includes(colour));
  return given.map((colour) => (colour && all.includes(colour) ? colour : free.shift()))[n];
}

function gamePick({ name, least, most }, page, isChosen, onclick) {
  const many = most === least ? t("players-exactly", { n: least }) : most ? t("players-between", { least, most }) : t("players-from", { least });
  return h("button", { type: "button", id: `game-${name}`, class: "plain game-pick", "aria-pressed": String(isChosen), onclick },
    page.icon ? h("img", { src: page.icon, alt: "", width: 120, height: 77 }) : null,
    h("span", {}, h("b", {}, page.title ?? name), h("span", { class: "about" }, page.about ?? ""), h("span", { class: "soft" }, many)));
}

function optionField({ name, label, value, choices }, options, players) {
  const id = `option-${name}`;
  const current = options[name] ?? (typeof value === "function" ? value(players) : value);
  const change = ({ target }) => (options[name] = choices ? target.value : target.value === "" ? "" : Number(target.value));
  const field = choices
    ? h("select", { id, onchange: change }, ...choices.map(([choice, words]) => h("option", { value: choice, selected: choice === current }, words)))
    : h("input", { id, type: "number", inputmode: "numeric", value: current, oninput: change });
  return h("div", { class: "row field" }, h("label", { for: id }, label), field);
}

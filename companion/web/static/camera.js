// What the camera sees, while a table is set up: how many cards, how fit the picture is, and by which printing they are
// read. The picture shows the room: it is the operator's alone.

import { fetchHealth, post, send } from "./api.js";
import { h } from "./dom.js";
import { counted, t } from "./words.js";

const LOOK_MS = 2000;

/**
 * @param {any} me @param {any} press
 * @param {() => string} game the one that is chosen
 * @param {() => void} leave hears that another page is opened from here
 * @returns {{element: HTMLElement, redraw: () => void}} `redraw` after another game was chosen
 */
export function cameraView(me, press, game, leave) {
  const cards = h("p", { id: "camera-cards", role: "status" });
  const checks = h("ul", { id: "camera-checks", class: "checks" });
  const picture = h("img", { alt: t("camera-view") });
  const dark = h("p", { class: "soft", hidden: true }, t("camera-dark"));
  const printings = h("div", {});
  const room = h("div", { class: "stack" });
  const element = h("details", { ontoggle: () => look() }, h("summary", { id: "camera-view" }, t("camera-view")), cards, room);
  let taught = /** @type {any} */ (null);

  const look = async () => {
    if (!element.isConnected || !element.open) return;
    await Promise.all([count(), room.contains(picture) ? judge() : null]);
    setTimeout(look, LOOK_MS);
  };
  const count = () => fetchHealth().then(({ camera }) => (cards.textContent = camera?.state === "ok" && Number.isInteger(camera.cards) ? t("camera-cards", { cards: counted(camera.cards, "card") }) : ""), () => {});
  const judge = async () => {
    picture.src = `/api/calibrate/picture.jpg?n=${Date.now()}`;
    const told = await send("/api/calibrate").catch(() => ({ checks: [] }));
    checks.replaceChildren(...told.checks.map(({ state, words }) => h("li", { class: state }, words)));
  };
  picture.addEventListener("error", () => show(false));
  picture.addEventListener("load", () => show(true));
  const show = (isSeen) => {
    picture.hidden = !isSeen;
    dark.hidden = isSeen;
  };

  const redraw = () => {
    const decks = (taught?.decks ?? []).filter((one) => one.game === game()).map(({ deck }) => deck);
    const kept = (taught?.profiles ?? []).filter(({ deck }) => decks.includes(deck));
    printings.replaceChildren(kept.length ? h("div", { class: "stack" }, h("p", { id: "printings" }, t("printing-which")),
      h("div", { class: "row picks", role: "group", "aria-labelledby": "printings" }, ...kept.map(printing))) : "");
  };
  // The one in use, tapped again, makes room for the usual one.
  const printing = ({ key, name, deck, in_use: isInUse }, n) =>
    h("button", { type: "button", id: `printing-${n}`, class: "plain pick name", "aria-pressed": String(isInUse), onclick: () => use(deck, isInUse ? null : key) }, name);
  const use = async (deck, key) => {
    taught = await post("/api/teach/use", { deck, key }).catch(() => taught);
    redraw();
  };

  const open = async () => {
    room.replaceChildren(checks, picture, dark, printings, h("p", { class: "row wrap" },
      h("a", { href: "/calibrate", onclick: leave }, t("calibrate")),
      me.teaches ? h("a", { id: "set-up-teach", href: "/teach", onclick: leave }, t("teach")) : null));
    taught = me.teaches ? await send("/api/teach").catch(() => null) : null;
    redraw();
  };
  const ask = () => {
    const pin = h("input", { id: "camera-pin", type: "password", inputmode: "numeric", maxlength: 40, onkeydown: (event) => event.key === "Enter" && enter(event) });
    const enter = async (event) => {
      event.preventDefault(); // or the form around would begin the game
      const answer = await press.operate(pin.value.trim());
      if (!answer || answer.error) return;
      open();
      judge();
    };
    room.replaceChildren(h("label", { for: "camera-pin" }, t("camera-pin")),
      h("div", { class: "row" }, pin, h("button", { type: "button", id: "camera-operate", onclick: enter }, t("enter"))));
  };
  if (me.operator) open();
  else ask();
  return { element, redraw };
}

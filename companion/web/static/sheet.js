// One move opened in a dialog: its evidence and reasons, and for the operator what puts it right. Loaded when asked for.

import { fetchMove } from "./api.js";
import { closeDialog, openDialog } from "./dialog.js";
import { h, spoken } from "./dom.js";
import { editor } from "./editor.js";
import { stands } from "./presses.js";
import { amendment } from "./regions.js";
import { t } from "./words.js";

export async function openSheet(number, { state, game, me, press }) {
  const move = await fetchMove(number);
  const entry = me.operator ? await game.entry?.() : null;
  const outdated = h("div", { class: "outdated", role: "alert", hidden: true });
  const edit = me.operator ? await editor(move, { state, game, entry, press, close: () => closeDialog(outdated) }) : null;
  const onState = (now) => {
    if (stands(now, move) || !outdated.hidden) return;
    outdated.hidden = false;
    outdated.append(h("p", {}, h("b", {}, t("sheet-outdated")), " ", ...amendment(now)),
      now.history[number - 1] ? h("button", { id: "open-anew", class: "small", onclick: () => press.open(number) }, t("sheet-anew")) : "");
    edit?.toggleAttribute("inert", true);
  };
  openDialog(t("move", { n: number }), [
    outdated,
    h("ul", { class: "said" }, ...move.said.map((sentence) => h("li", {}, sentence))),
    pictures(move),
    h("div", { class: "reasons" }, ...move.why.map((reason) => h("p", {}, spoken(reason)))),
    chips(move, game),
    edit ?? h("p", { class: "soft" }, t("wrong-ask")),
  ], onState);
}

// Before and after, the newer one with what was recognised drawn on it.
function pictures({ n, before, picture, confidence }) {
  if (!picture) return h("p", { class: "soft" }, t("picture-none"));
  const seen = confidence === null ? t("was-seen") : t("was-seen-sure", { percent: Math.round(confidence * 100) });
  return h("div", { class: "evidence" },
    before ? figure(before, t("before")) : null,
    figure(n, seen));
}

function figure(number, words) {
  const address = `/api/moves/${number}/evidence.jpg`;
  const image = h("img", { src: address, alt: t("picture-move", { words, n: number }) });
  const part = h("figure", {}, h("a", { href: address, target: "_blank", rel: "noopener" }, image), h("figcaption", {}, words));
  image.addEventListener("error", () => part.replaceChildren(h("figcaption", {}, t("picture-lost", { words }))));
  return part;
}

function chips({ moved }, { quantities = {} }) {
  if (!moved.length) return null;
  const rows = moved.map(({ player, what, was, now }) =>
    h("tr", {}, h("th", { scope: "row" }, player), h("td", {}, quantities[what] ?? what), h("td", { class: "number" }, was),
      h("td", { "aria-label": t("becomes") }, "→"), h("td", { class: "number" }, h("b", {}, now)),
      h("td", { class: "number" }, now > was ? `+${now - was}` : `−${was - now}`)));
  return h("table", { class: "moved" }, h("caption", {}, t("moved")), h("tbody", {}, ...rows));
}

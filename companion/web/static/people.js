// This phone at the table: joining, a seat of its own, the operator's place, and the code by which others join.

import { find, h, retype } from "./dom.js";
import { choose as speak, LANGUAGES, language } from "./language.js";
import { t } from "./words.js";
import { chimes, setChime } from "./nudge.js";
import { theme, THEMES, wearTheme } from "./theme.js";
import * as voice from "./voice.js";

// Before there is a seat it asks at once, large; afterwards it is one line to unfold.
export function seatChoice(state, me, press) {
  if (!me.joined || me.seat) return [];
  const names = Object.keys(state.players);
  if (names.every((name) => me.taken.includes(name))) return me.operator ? [] : h("p", { class: "soft" }, t("seats-claimed"));
  const choices = names.map((name, n) => {
    const isTaken = me.taken.includes(name);
    return h("button", { id: `sit-${n}`, class: "plain pick name", disabled: isTaken, onclick: () => press.claim(name) },
      isTaken ? t("seat-taken", { player: name }) : name);
  });
  return h("div", { class: "stepper" },
    h("p", { id: "sit" }, h("b", {}, t("seat-which")), h("span", { class: "soft" }, t("seat-then"))),
    h("div", { class: "row picks", role: "group", "aria-labelledby": "sit" }, ...choices));
}

export function thisPhone(state, me, press) {
  if (!me.joined) return [voicePart(null), themePart(), languagePart(), securePart(me)];
  const seated = me.seat && state.players[me.seat];
  return h("details", { id: "this-phone" },
    h("summary", { id: "this-phone-words" }, seated ? t("phone-seated", { player: me.seat }) : t("phone-unseated"),
      me.operator ? t("phone-operator") : ""),
    seated ? h("button", { id: "leave-seat", class: "plain small", onclick: () => press.free() }, t("seat-leave")) : null,
    voicePart(me.seat),
    chimePart(),
    themePart(),
    languagePart(),
    securePart(me),
    refereePart(state, me, press),
    operatorPart(state, me, press),
    me.invites ? invite() : null);
}

// Off until it is tapped; each phone for itself.
function voicePart(seat) {
  if (!voice.canSpeak) return null;
  const choices = Object.entries(voice.CHOICES).filter(([choice]) => choice !== "turn" || seat);
  const buttons = choices.map(([choice, words]) =>
    h("button", { id: `voice-${choice}`, class: "plain pick", "aria-pressed": String(choice === voice.chosen()), onclick: () => choose(choice) }, words));
  const choose = (choice) => {
    voice.choose(choice);
    for (const [n, button] of buttons.entries()) button.setAttribute("aria-pressed", choices[n][0] === choice);
  };
  return h("div", { class: "voice" }, h("p", { id: "voice" }, t("voice")),
    h("div", { class: "row picks", role: "group", "aria-labelledby": "voice" }, ...buttons));
}

function choices(name, words, list, chosen, choose) {
  const buttons = list.map(([choice, label]) =>
    h("button", { id: `${name}-${choice}`, class: "plain pick", "aria-pressed": String(choice === chosen), onclick: () => pick(choice) }, label));
  const pick = (choice) => {
    choose(choice);
    for (const [n, button] of buttons.entries()) button.setAttribute("aria-pressed", String(list[n][0] === choice));
  };
  return h("div", { class: "voice" }, h("p", { id: name }, words), h("div", { class: "row picks", role: "group", "aria-labelledby": name }, ...buttons));
}

function chimePart() {
  return choices("chime", t("chime"), [["off", t("chime-off")], ["on", t("chime-on")]], chimes() ? "on" : "off", (choice) => setChime(choice === "on"));
}

function themePart() {
  return choices("theme", t("theme"), THEMES.map((one) => [one, t(`theme-${one}`)]), theme(), wearTheme);
}

// A list: of seven languages few fit beside each other.
function languagePart() {
  const options = Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code, selected: code === language }, name));
  return h("div", { class: "row field" }, h("label", { for: "language" }, t("language")),
    h("select", { id: "language", onchange: ({ target }) => speak(target.value) }, ...options));
}

// Where the table also speaks https: what for, and what phones say of a certificate made at home.
function securePart({ secure_port: port }) {
  if (!port) return null;
  return h("details", { class: "secure" }, h("summary", { id: "secure" }, t("secure")),
    h("p", {}, t("secure-why")), h("p", {}, t("secure-warning")),
    h("p", {}, h("a", { href: `https://${location.hostname}:${port}${location.pathname}` }, t("secure-open"))),
    h("p", { class: "soft" }, t("secure-trust"), " ", h("a", { href: "/table-certificate.crt", download: "table.crt" }, t("secure-certificate"))));
}

export function isCameraOff({ notices }) {
  return notices.some(({ code }) => code === "camera-off");
}

// The referee of the hall, where the table belongs to one.
export function isRefereeCalled({ notices }) {
  return notices.some(({ code }) => code === "referee-called");
}

function refereePart(state, me, press) {
  if (!me.hall) return null;
  const isCalled = isRefereeCalled(state);
  return h("button", { id: "call-referee", class: "plain small", onclick: () => press.callReferee(!isCalled) }, isCalled ? t("referee-end") : t("referee-call"));
}

function operatorPart(state, me, press) {
  if (!me.operator) {
    const submit = (event) => {
      event.preventDefault();
      press.operate(find("pin").value.trim());
    };
    return h("form", { class: "pin", autocomplete: "off", onsubmit: submit },
      h("label", { for: "pin" }, t("pin")),
      h("div", { class: "row" },
        h("input", { id: "pin", type: "password", inputmode: "numeric", maxlength: 40, required: true, oninput: ({ target }) => retype(target, target.value) }),
        h("button", { type: "submit", id: "operate" }, t("enter"))));
  }
  const others = me.taken.filter((name) => name !== me.seat);
  const freeing = others.map((name, n) =>
    h("button", { id: `free-${n}`, class: "plain small", onclick: () => press.free(name) }, t("seat-free", { player: name })));
  const isOff = isCameraOff(state);
  return h("div", { class: "row wrap" }, ...freeing,
    h("button", { id: "another-game", class: "plain small", onclick: press.anotherGame }, t("another-game")),
    me.camera ? h("button", { id: "camera", class: "plain small", onclick: () => press.switchCamera(isOff) }, isOff ? t("camera-on") : t("camera-off")) : null,
    me.camera ? h("a", { id: "calibrate", class: "small", href: "/calibrate" }, t("calibrate")) : null,
    me.teaches ? h("a", { id: "teach", class: "small", href: "/teach" }, t("teach")) : null,
    h("button", { id: "resign", class: "plain small", onclick: press.resign }, t("resign")));
}

function invite() {
  const alt = t("invite-picture");
  return h("div", { class: "invite" },
    h("img", { class: "qr", src: "/join.svg", loading: "lazy", width: 180, height: 180, alt }),
    h("p", { class: "soft" }, t("invite")));
}

// What this phone may do by hand: its own seat's moves, and those of seats that no phone has claimed.
export function mine(actions, me) {
  return actions.filter(({ player }) => !player || player === me.seat || (!me.taken.includes(player) && (!me.seat || me.operator)));
}

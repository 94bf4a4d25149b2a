// Teaching a deck: what to lay, the picture as it is seen, the cut-outs, a second light, a try, a name.

import { post, send } from "./api.js";
import { find, h, svg } from "./dom.js";
import { showPicture } from "./picture.js";
import "./theme.js";
import { trouble } from "./trouble.js";
import { t } from "./words.js";

const HAS_CAMERA = document.body.dataset.camera === "yes";
const LOOK_MS = 600;
const SOON_MS = 500; // what takes longer says that it goes on
const MOST_EVENINGS = 3;
const MOST_PX = 2000;
const PART_BYTES = 60000;
const CHANGED_ELSEWHERE = ["no-lesson", "stale"];
const DAY = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeZone: "UTC" });

let state = /** @type {any} */ (null);
let chosen = ""; // the cut-out whose names are offered
let step = "show"; // show: lay and take; light: once more in another; try; name
let refused = ""; // the code of what went wrong last
let tried = /** @type {any} */ (null); // how the table was read last by what was learnt
let kept = ""; // what is said of the deck that was kept last
let isContradicted = false; // the names of one photograph and of those before
let typed = ""; // the name that was not taken
let isBusy = false;
let drawn = ""; // the step that is shown
let round = 0; // counts what was drawn, so that pictures are fetched anew

// An address with the version that is shown: another phone may have changed the lesson meanwhile.
function versioned(path) {
  return `${path}${path.includes("?") ? "&" : "?"}version=${state.version}`;
}

function ask(name, given = {}) {
  return post(versioned(`/api/teach/${name}`), given);
}

// Does one thing after another; while it lasts no second one begins. Says what went wrong.
async function act(work) {
  if (isBusy) return false;
  isBusy = true;
  document.body.classList.add("is-busy");
  const slow = setTimeout(() => (find("working").textContent = t("working")), SOON_MS);
  trouble("");
  kept = "";
  refused = "";
  tried = null;
  try {
    state = await work();
    return true;
  } catch (error) {
    refused = error.code;
    isContradicted ||= refused === "labels-contradict";
    if (CHANGED_ELSEWHERE.includes(refused)) {
      state = await send("/api/teach").catch(() => state);
      goOn();
    }
    trouble(error.message);
    return false;
  } finally {
    isBusy = false;
    clearTimeout(slow);
    find("working").textContent = "";
    document.body.classList.remove("is-busy");
    draw();
  }
}

function button(id, words, onclick, more = {}) {
  return h("button", { type: "button", id, onclick, ...more }, words);
}

async function begin(given) {
  typed = "";
  if (await act(() => ask("begin", given))) goOn();
}

// Draws the step that comes next, by what the table has agreed to.
function goOn() {
  isContradicted = false;
  const { lights = 0, key = null } = state?.lesson ?? {};
  goTo(!lights ? "show" : key || lights > 1 ? "try" : "light");
}

function goTo(next) {
  step = next;
  chosen = "";
  draw();
}

function takeNow() {
  return act(() => ask("take"));
}

function sendPhoto(file) {
  return act(async () => {
    const blob = await shrunk(file).catch(() => null);
    if (!blob) throw new Error(t("not-a-picture"));
    const parts = Math.ceil(blob.size / PART_BYTES);
    let told = null;
    for (let part = 0; part < parts; part++) {
      const data = blob.slice(part * PART_BYTES, (part + 1) * PART_BYTES);
      const headers = { "Content-Type": "application/octet-stream" };
      told = await send(versioned(`/api/teach/photo?part=${part}&parts=${parts}`), { method: "POST", headers, body: data });
    }
    return told;
  });
}

// A photograph no larger than is of use: phones take twelve million pixels.
async function shrunk(file) {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, MOST_PX / Math.max(picture.width, picture.height));
  const canvas = h("canvas", { width: Math.round(picture.width * scale), height: Math.round(picture.height * scale) });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.92));
}

// ---------------------------------------------------------------- the live picture

async function look() {
  const stage = document.getElementById("stage");
  if (stage && HAS_CAMERA && !isBusy && !document.hidden) {
    try {
      const told = await send(versioned("/api/teach/look"));
      if (document.getElementById("stage") === stage && !isBusy) showLook(stage, told);
    } catch (error) {
      if (CHANGED_ELSEWHERE.includes(error.code)) await act(() => Promise.reject(error));
      else if (stage.isConnected) find("told").textContent = error.message;
    }
  }
  setTimeout(look, LOOK_MS);
}

function showLook(stage, told) {
  showPicture(find("picture"), `/api/calibrate/picture.jpg?n=${Date.now()}`);
  find("drawing").setAttribute("viewBox", `-0.5 -0.5 ${told.size[0]} ${told.size[1]}`);
  const [x, y, width, height] = told.ghost;
  const ghost = state.lesson.is_as_drawn && svg("image", { class: "ghost", href: `/api/teach/layout/${state.lesson.deck}.png`, x, y, width, height });
  find("drawing").replaceChildren(ghost || "", ...told.outlines.map((corners) =>
    svg("polygon", { class: "found", points: corners.map((at) => at.join()).join(" ") })));
  stage.classList.toggle("is-whole", told.whole);
  find("told").textContent = told.whole ? t(told.still ? "hold" : "keep-still") : whatIsSeen(told);
  if (told.ready) takeNow();
}

function whatIsSeen({ outlines, wanted }) {
  const seen = outlines.length;
  if (wanted === 1 && seen < 2) return t("looking");
  const key = seen > wanted ? "seen-more" : seen === wanted ? "seen-otherwise" : "seen-of";
  return t(key, { seen, wanted });
}

function camera() {
  const file = h("input", { type: "file", id: "photo", accept: "image/*", onchange: (event) => {
    const [photo] = event.target.files;
    if (photo) sendPhoto(photo);
  } });
  return h("section", {},
    HAS_CAMERA ? h("div", { id: "stage", class: "stage" },
      h("img", { id: "picture", alt: t("picture") }), svg("svg", { id: "drawing", "aria-hidden": "true" })) : null,
    HAS_CAMERA ? h("p", { id: "told", class: "told", role: "status" }, t("looking")) : null,
    h("div", { class: "row" },
      HAS_CAMERA ? button("take", t("take-now"), takeNow) : null,
      file, h("label", { for: "photo", class: "as-button" }, t("send-photo"))));
}

// ---------------------------------------------------------------- the steps

function heading() {
  return h("section", {},
    h("h2", {}, t(step === "light" ? "another-light" : "lay-these")),
    step === "light" ? h("p", {}, t("turn-lamp")) : null,
    HAS_CAMERA ? h("p", {}, t("by-itself")) : null);
}

function toLay(lesson) {
  const isFixed = lesson.replaceable.every((shown) => !shown.length);
  const places = lesson.places.map((words, place) => h("li", {},
    lesson.replaceable[place].length ? numbers(lesson, place) : words));
  return h("section", {},
    h("p", {}, lesson.words),
    step === "light" && isFixed ? null : h("ol", { class: "places" }, ...places),
    lesson.is_as_drawn ? h("img", { class: "layout", src: `/api/teach/layout/${lesson.deck}.png`, alt: lesson.words }) : null);
}

// What the card at a place shows: a deck need not have the one that is drawn.
function numbers(lesson, place) {
  return lesson.replaceable[place].map((shown, number) => h("select", {
    id: `place-${place}-${number}`,
    "aria-label": `${place + 1}, ${number + 1}`,
    onchange: (event) => act(() => ask("replace", { place, number, name: event.target.value })),
  }, ...lesson.names.map((name) => h("option", { value: name, selected: name === shown }, called(name)))));
}

// A class as people call it.
function called(name) {
  return state.lesson.called[name] ?? name;
}

// A part of a picture.
function cutout(address, size, [left, top, right, bottom], ...marks) {
  return svg("svg", { viewBox: `${left} ${top} ${right - left} ${bottom - top}`, "aria-hidden": "true" },
    svg("image", { href: address, width: size[0], height: size[1] }), marks);
}

function cutouts(lesson, samples) {
  const rows = samples.flatMap(({ number, size, cutouts: parts }) => parts.map(({ name, box }, part) => {
    const id = `${number}-${part}`;
    const picture = cutout(`/api/teach/crops/${number}.jpg?n=${round}`, size, box);
    const offer = () => {
      chosen = chosen === id ? "" : id;
      draw();
    };
    const item = h("li", { class: chosen === id ? "is-chosen" : "" },
      button(`cutout-${id}`, [picture, h("b", {}, called(name))], offer, { class: "plain", "aria-expanded": String(chosen === id) }));
    return chosen === id ? [item, names(lesson, number, part, name)] : [item];
  }));
  return h("ul", { class: "cutouts" }, ...rows);
}

function names(lesson, number, part, present) {
  const call = async (name) => {
    chosen = "";
    await act(() => ask("rename", { number, cutout: part, name }));
    document.getElementById(`cutout-${number}-${part}`)?.focus();
  };
  return h("li", { class: "choices" },
    ...lesson.names.filter((name) => name !== present && lesson.names.includes(present)).map((name) => button(`name-${name}`, called(name), () => call(name), { class: "plain small" })),
    button("leave-out", t("leave-out"), () => call(null), { class: "plain small" }));
}

function agreeing(lesson) {
  const agree = (given) => async () => {
    if (await act(() => ask("agree", given))) goOn();
  };
  return h("section", {},
    h("h2", {}, t("right-so")),
    h("p", {}, t("tap-wrong")),
    cutouts(lesson, lesson.fresh),
    h("div", { class: "row" },
      refused === "labels-swapped"
        ? button("agree-all-the-same", t("right-all-the-same"), agree({ trust_names: true }))
        : button("agree", t("all-right"), agree({})),
      button("drop", t("take-again"), () => act(() => ask("drop")), { class: "plain" }),
      lesson.places.length > 1 ? button("turn", t("upside-down"), () => act(() => ask("turn")), { class: "plain" }) : null));
}

function enough() {
  return h("section", {}, h("div", { class: "row" }, button("enough", t("enough"), () => goTo("try"), { class: "plain" })));
}

function trying(lesson) {
  const read = () => {
    find("told").textContent = t("reading");
    act(async () => {
      tried = { ...await ask("try"), address: `/api/teach/try.jpg?n=${Date.now()}` };
      return state;
    });
  };
  const words = !tried ? "" : t(tried.cards.length ? "read-so" : "read-none");
  return h("section", {},
    h("h2", {}, t(HAS_CAMERA ? "try-it" : "learnt")),
    lesson.alike.map(([a, b]) => h("p", { class: "notice" }, t("alike", { a: called(a), b: called(b) }))),
    HAS_CAMERA ? [h("p", {}, t("lay-random")), tried ? outlined(tried) : null,
      h("p", { id: "told", class: "told", role: "status" }, words), tried ? shown(tried) : null,
      h("div", { class: "row" }, button("try", t("read-them"), read))] : null,
    h("div", { class: "row" },
      button("more", t("more-photos"), () => goTo("light"), { class: "plain" }),
      button("to-name", t("keep-it"), () => goTo("name"))));
}

const isSure = ({ names: rows }) => rows.every((row) => !row.includes(null));

// The picture that was tried, each card of it outlined.
function outlined({ size, cards, address }) {
  return h("div", { class: "stage" },
    h("img", { id: "tried", src: address, alt: t("read-so"), width: size[0], height: size[1] }),
    svg("svg", { viewBox: `-0.5 -0.5 ${size[0]} ${size[1]}`, "aria-hidden": "true" },
      ...cards.map((card) => svg("polygon", { class: isSure(card) ? "read" : "unsure", points: card.corners.map((at) => at.join()).join(" ") }))));
}

// Each card that was read over what it shows: its names, or those of a case row by row.
function shown({ size, cards, address }) {
  return h("ul", { class: "cutouts" }, ...cards.map((card) => {
    const [across, down] = [0, 1].map((axis) => card.corners.map((at) => at[axis]));
    const [left, top] = [Math.min(...across), Math.min(...down)];
    const [right, bottom] = [Math.max(...across), Math.max(...down)];
    const numbers = card.places.map(([x, y], n) => svg("text", { x, y, "font-size": (right - left) / 8 }, String(n + 1)));
    const picture = cutout(address, size, [left, top, right, bottom], numbers);
    const rows = card.names.map((row) => row.map((name) => name ?? "?"));
    const told = card.places.length ? rows[0].map((name, n) => `${n + 1} ${name}`) : rows[0];
    if (rows.length === 1) return h("li", {}, picture, h("b", {}, told.join(", ")));
    return h("li", { class: "case" }, picture, h("table", {}, ...rows.map((row) => h("tr", {}, ...row.map((name) => h("td", {}, name))))));
  }));
}

function naming(lesson) {
  const store = async (event) => {
    event.preventDefault();
    typed = find("name").value;
    if (!await act(() => ask("keep", { name: typed }))) return;
    kept = t(HAS_CAMERA ? "kept-so" : "kept-no-camera", { name: typed.trim() });
    goTo("show");
  };
  return h("form", { autocomplete: "off", onsubmit: store }, h("section", {},
    h("h2", {}, t("name-it")),
    h("label", { for: "name" }, t("name-label")),
    h("input", { id: "name", maxlength: 60, required: true, value: typed || lesson.name || usualName(lesson) }),
    h("div", { class: "row" },
      button("keep", t("keep"), null, { type: "submit" }),
      button("samples", t("open"), () => goTo("try"), { class: "plain" }))));
}

// A name that no deck has yet.
function usualName({ deck }) {
  const usual = t("usual-name", { deck: title(deck) });
  const taken = state.profiles.map(({ name }) => name);
  let name = usual;
  for (let more = 2; taken.includes(name); more++) name = `${usual} ${more}`;
  return name;
}

function resting(lesson) {
  const lights = [...new Set(lesson.samples.map(({ light }) => light))];
  return h("section", {},
    h("h2", {}, t("rests-on")),
    ...lights.flatMap((light) => {
      const samples = lesson.samples.filter((one) => one.light === light);
      return [
        h("h3", {}, t(samples[0].source === "taught" ? "photograph" : "game-taught", { n: light })),
        cutouts(lesson, samples),
        h("div", { class: "row" }, button(`leave-${light}`, t("leave-all-out"), () => leave(light), { class: "plain small" }))];
    }));
}

async function leave(light) {
  if (await act(() => ask("leave", { light })) && !state.lesson.lights) goTo("show");
}

// A deck as people call it: its game, and its edition where there are several.
function title(deck) {
  const { game } = state.decks.find((one) => one.deck === deck) ?? { game: deck };
  return `${t(game)} ${deck.slice(game.length)}`.trim();
}

function choosing() {
  return h("section", {},
    kept ? h("p", { id: "is-kept", class: "notice", role: "status" }, kept) : null,
    h("h2", {}, t("which-deck")),
    h("div", { class: "row wrap" }, ...state.decks.map(({ deck }) =>
      button(`deck-${deck}`, title(deck), () => begin({ deck }), { class: deck === state.deck ? "" : "plain" }))));
}

function printing({ key, name, deck, made, made_on: day, samples, versions, evenings, in_use: isInUse }) {
  return h("article", { class: "printing", id: `printing-${key}` },
    h("h3", {}, `${name} · ${title(deck)}`),
    h("p", { class: "soft" }, t("made-of", { made: day ? t("taught-on", { day: DAY.format(new Date(day)) }) : made, samples })),
    ...evenings.slice(-MOST_EVENINGS).map((evening) =>
      h("p", { class: "soft" }, t(evening.is_promoted ? "evening-learnt" : "evening-left", evening))),
    h("div", { class: "row wrap" },
      isInUse ? h("b", {}, t("in-use")) : button(`use-${key}`, t("use"), () => act(() => ask("use", { deck, key })), { class: "plain small" }),
      isInUse ? button(`unuse-${key}`, t("use-none"), () => act(() => ask("use", { deck, key: null })), { class: "plain small" }) : null,
      button(`open-${key}`, t("open"), () => begin({ key }), { class: "plain small" }),
      versions ? button(`back-${key}`, t("go-back"), () => confirm(t("go-back-sure", { name })) && act(() => ask("back", { key })), { class: "plain small" }) : null,
      button(`forget-${key}`, t("forget"), () => confirm(t("forget-sure", { name })) && act(() => ask("forget", { key })), { class: "plain small" })));
}

function stop() {
  if (!state.lesson.unsaved || confirm(t("stop-sure"))) act(() => ask("stop"));
}

function draw() {
  round += 1;
  const lesson = state?.lesson;
  const parts = [];
  if (lesson?.fresh.length) parts.push(agreeing(lesson), isContradicted && lesson.samples.length ? resting(lesson) : null);
  else if (lesson && step === "try") parts.push(trying(lesson), resting(lesson));
  else if (lesson && step === "name") parts.push(naming(lesson));
  else if (lesson) parts.push(heading(), camera(), step === "light" && lesson.lights ? enough() : null, toLay(lesson));
  if (lesson) parts.push(h("div", { class: "row" }, button("stop", t(lesson.unsaved ? "stop" : "to-decks"), stop, { class: "plain small" })));
  else if (state) parts.push(choosing());
  const focused = document.activeElement?.id;
  find("step").replaceChildren(...parts.filter(Boolean));
  const shows = lesson?.fresh.length ? "agree" : lesson ? step : "choose";
  const isNext = shows !== drawn && drawn;
  if (isNext) scrollTo(0, 0); // or it would begin above what is seen
  drawn = shows;
  const taught = lesson ? [] : state?.profiles ?? [];
  find("kept").replaceChildren(...(taught.length ? [h("section", {}, h("h2", {}, t("kept")), ...taught.map(printing))] : []));
  if (focused) focusOn((!isNext && document.getElementById(focused)) || document.querySelector("#step h2"));
}

// Where the keyboard and a screen reader go on: at what was pressed, or else where the step begins.
function focusOn(element) {
  if (!element) return;
  if (element.matches("h2")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

act(() => send("/api/teach")).then(goOn);
look();

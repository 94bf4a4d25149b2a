// The hub's forms: what they hold is posted as JSON, what went wrong is told; pages that are live come anew when they change.

import { key, sendPromptly } from "/house/api.js";
import { find } from "/house/dom.js";

const LOOK_MS = 3000;
const TOLD_MS = 6000;
const FORM_MS = 30_000; // a round is put on all its tables, of which some may not answer

function tell(text) {
  const toast = find("told");
  toast.textContent = text;
  toast.hidden = false;
  setTimeout(() => { toast.hidden = true; }, TOLD_MS);
}

// Fields by name, numbers as numbers; what stands in data- attributes goes along; ranks become places.
function bodyOf(form) {
  const { post, done, ...body } = { ...form.dataset };
  for (const [name, value] of Object.entries(body)) body[name] = fromText(value);
  for (const field of form.elements) {
    if (!field.name) continue;
    body[field.name] = field.type === "checkbox" ? field.checked : field.type === "number" ? field.valueAsNumber : field.value;
  }
  const ranks = [...form.querySelectorAll("[data-rank]")];
  if (ranks.length) body.places = placesOf(ranks);
  return body;
}

function fromText(value) {
  return value === "true" ? true : value === "false" ? false : /^\d+$/.test(value) ? Number(value) : value;
}

function placesOf(ranks) {
  const places = /** @type {number[][]} */ ([]);
  for (const field of ranks) {
    const place = field.valueAsNumber - 1;
    places[place] = [...(places[place] ?? []), Number(field.dataset.rank)];
  }
  return places.filter(Boolean);
}

// A form that is sent again as it was, as after an answer that was lost, is sent with the same key: it counts once.
const sent = new WeakMap();

function keyOf(form, body) {
  if (sent.get(form)?.body !== body) sent.set(form, { body, key: key() });
  return sent.get(form).key;
}

async function post(form) {
  const body = JSON.stringify(bodyOf(form));
  const headers = { "Content-Type": "application/json", "Idempotency-Key": keyOf(form, body) };
  const answer = await sendPromptly(form.dataset.post, { method: "POST", headers, body }, FORM_MS);
  sent.delete(form);
  if (form.dataset.done) {
    tell(form.dataset.done.replace("{name}", answer.name).replace("{round}", answer.round));
    form.reset();
  } else location.reload();
}

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-post]"))) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
    button.disabled = true;
    try {
      await post(form);
    } catch (error) {
      tell(error.message);
    }
    button.disabled = false;
  });
}

const { live, length: shown } = document.body.dataset;
if (live) {
  setInterval(async () => {
    const isBusy = document.activeElement?.closest("form") || document.querySelector("details[open]");
    const now = isBusy ? null : await sendPromptly(live).catch(() => null);
    if (now && String(now.length) !== shown) location.reload();
  }, LOOK_MS);
}

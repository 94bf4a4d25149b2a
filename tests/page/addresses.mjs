// Node's module loader with the addresses of the page: `/static/…` and `/games/NAME/…` are the folders they are served from.

import { register } from "node:module";

const HOUSE = new URL("../../companion/", import.meta.url);

export function resolve(specifier, context, next) {
  const [, room, rest] = specifier.match(/^\/(static|games)\/(.+)$/) ?? [];
  if (room === "static") return next(new URL(`web/static/${rest}`, HOUSE).href, context);
  if (room === "games") return next(new URL(`games/${rest.replace("/", "/page/")}`, HOUSE).href, context);
  return next(specifier, context);
}

export function load(url, context, next) {
  return next(url, url.startsWith(HOUSE.href) ? { ...context, format: "module" } : context);
}

// Scripts read the page they stand on when they are loaded: here it is empty, unless a test says otherwise.
globalThis.document ??= /** @type {any} */ ({ body: { dataset: {} }, documentElement: { lang: "en" } });

if (!process.env.COMPANION_PAGE_HOOKED) {
  process.env.COMPANION_PAGE_HOOKED = "yes";
  register(import.meta.url);
}

// Tiles whichever way they lie: one picture for all turnings of a tile, and its words.

import { counted, t } from "/static/words.js";

const turned = (d, k) => (d + k) % 6;

// A command's tile whichever way it lies: of its six turnings the first in the alphabet.
export function canonical({ cmd, player, tile }) {
  if (!tile) return `${cmd} ${player}`;
  const { kind, head = null, tails = [], paths = [] } = tile;
  const faces = [0, 1, 2, 3, 4, 5].map((k) => JSON.stringify([
    head === null ? null : turned(head, k),
    tails.map((d) => turned(d, k)).sort(),
    paths.map((path) => path.map((d) => turned(d, k)).sort().join("")).sort(),
  ]));
  return `${player} ${kind} ${faces.sort()[0]}`;
}

// The commands that lay one tile, together.
export function grouped(commands) {
  const kinds = new Map();
  for (const command of commands) kinds.set(canonical(command), [...(kinds.get(canonical(command)) ?? []), command]);
  return [...kinds.values()];
}

export function words({ cmd, tile }) {
  if (!tile) return cmd === "star" ? t("hexdragon-star") : cmd;
  const paths = (tile.paths ?? []).map((path) => path.join("-")).join(", ");
  const parts = [t(`kind-${tile.kind}`), tile.tails?.length ? counted(tile.tails.length, "tail") : "", paths ? t("hexdragon-paths", { paths }) : ""];
  return parts.filter(Boolean).join(", ");
}

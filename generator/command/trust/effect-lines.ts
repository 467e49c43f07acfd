import { columns } from "../columns.js";
import { printable } from "../../print/terminal-text.js";
import type { Effect } from "./effects.js";

/** Files that are shown one by one; a package may bring hundreds. */
const maxFiles = 30;

/** What the effects are for people: a line each, but for files beyond the first ones. */
export function effectLines(effects: readonly Effect[], all = false): string[] {
  const files = effects.filter(isOfFile);
  const shown = new Set(all ? files : files.slice(0, maxFiles));
  const rows = effects
    .filter((effect) => !isOfFile(effect) || shown.has(effect))
    .map((effect) => [verbs[effect.verb], printable(effect.what), printable(placeOf(effect))]);
  const rest = files.length - shown.size;
  return [
    ...(rows.length === 0 ? [] : columns(rows).split("\n")),
    ...(rest > 0 ? [`and run or render ${rest} more files; \`mcpgen trust --print\` lists them`] : []),
  ];
}

const verbs: Readonly<Record<Effect["verb"], string>> = {
  run: "run",
  render: "render",
  start: "start",
  expand: "expand",
  send: "send to",
  read: "read",
};

function isOfFile({ verb }: Effect): boolean {
  return verb === "run" || verb === "render";
}

function placeOf({ what, file, pointer }: Effect): string {
  return what === file && pointer === ""
    ? ""
    : `(${[file, pointer].filter((part) => part !== "").join(" ")})`;
}

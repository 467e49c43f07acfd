// node --import=./scripts/rooms/trips/trace.mjs PROGRAM runs the sources of the project. As its last line it
// prints JSON: the files of which a function ran, and how often another file or the platform called one of
// its functions. MCPGEN_TRIP_BELOW names the folder whose files count. With MCPGEN_TRIP=asked, counting
// starts when the program calls `trip.begin()`.
import { register } from "node:module";

register("./hooks.mjs", import.meta.url);

const below = process.env.MCPGEN_TRIP_BELOW;
const isAsked = process.env.MCPGEN_TRIP === "asked";
const files = new Set();
let entries = 0;
let isOn = !isAsked;

/** Called by every function of the project as it begins. */
globalThis.entered = (url) => {
  if (!isOn || !url.includes(below)) return;
  isOn = false;
  files.add(url);
  if (isAsked && callerOf() !== url) entries++;
  isOn = true;
};

/** Returns the file of the function that called the function that called `entered`. */
function callerOf() {
  const frame = new Error("frames").stack.split("\n")[4] ?? "";
  return /file:[^ ]*?\.ts/.exec(frame)?.[0];
}

globalThis.trip = {
  begin() {
    files.clear();
    entries = 0;
    isOn = true;
  },
};

process.on("exit", () => {
  isOn = false;
  console.log(`\n${JSON.stringify({ files: [...files], entries })}`);
});

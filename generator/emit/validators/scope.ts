import { preludeNames } from "./prelude.js";

/** Words that cannot name a local of an emitted function, or that emitted code means something else by. */
const reserved: ReadonlySet<string> = new Set([
  ...(
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null package private protected " +
    "public return static super switch this throw true try typeof var void while with yield " +
    "Array Infinity NaN Number Object undefined value depth later"
  ).split(" "),
  ...preludeNames,
]);

/** Prefixes of the functions a file declares; a local that looks like one would hide it. */
const declared = /^(is|accepts|walk|roam|judge|weigh|matches|admits|holds|suits|pattern)(?![a-z])/;

const longestName = 30;

/** Names of the locals of one emitted function. */
export class Scope {
  private readonly taken = new Set<string>();

  /** A name for a local that holds the member `property`, or for a local described by that word. */
  local(property: string): string {
    const word = wordOf(property);
    let name = word;
    for (let number = 2; this.taken.has(name); number++) name = `${word}${number}`;
    this.taken.add(name);
    return name;
  }
}

function wordOf(property: string): string {
  const parts = property.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  // The last segment of names like `example.com/traceId` says what it is.
  const last = /[./]/.test(property) ? parts.slice(-1) : parts;
  const word = last
    .map(
      (part, index) =>
        (index === 0 ? part.charAt(0).toLowerCase() : part.charAt(0).toUpperCase()) + part.slice(1),
    )
    .join("")
    .slice(0, longestName);
  if (word === "") return "member";
  if (/^[0-9]/.test(word)) return `member${word}`;
  if (declared.test(word)) return `own${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  return reserved.has(word) ? `${word}Value` : word;
}

import { type Schema, naturalCompare } from "@mcpgen/engine";

/** Words that cannot name a type: reserved in ECMAScript or TypeScript, or the name of a built-in type. */
const reserved = new Set(
  (
    "abstract any arguments as asserts async await bigint boolean break case catch class const constructor continue debugger " +
    "declare default delete do else enum eval export extends false finally for from function get if implements import in " +
    "infer instanceof interface intrinsic is keyof let module namespace never new null number object of out override " +
    "package private protected public readonly require return satisfies set static string super switch symbol this " +
    "throw true try type typeof undefined unique unknown using var void while with yield globalThis"
  ).split(" "),
);

/**
 * A TypeScript identifier for each definition: the definition's name if it is an identifier, else its letters
 * and digits. A number distinguishes two names that would be equal once capitalised (as in `isFoo`).
 *
 * @returns definition name → identifier, in the schema's order
 */
export function nameDefinitions(schema: Schema): ReadonlyMap<string, string> {
  return namesOfTypes([...schema.definitions.keys()]);
}

/** As `nameDefinitions`, for any list of names without duplicates. */
export function namesOfTypes(names: readonly string[]): ReadonlyMap<string, string> {
  return distinct(names, asciiWords);
}

/** As `nameDefinitions`, where no functions are emitted: letters of all scripts stay. */
export function identifiersFor(names: readonly string[]): ReadonlyMap<string, string> {
  return distinct(names, unicodeWords);
}

/** @param wordsOf the parts of a name that an identifier may have */
function distinct(
  names: readonly string[],
  wordsOf: (name: string) => readonly string[],
): ReadonlyMap<string, string> {
  const identifierOf = (name: string): string => identifierIn(wordsOf(name));
  const taken = new Set<string>();
  const isFree = (identifier: string): boolean => !taken.has(capitalised(identifier));
  /** The next number for each identifier: thousands of names may want the same one. */
  const numbers = new Map<string, number>();
  const identifiers = new Map<string, string>();
  const assign = (name: string, identifier: string): void => {
    taken.add(capitalised(identifier));
    identifiers.set(name, identifier);
  };
  // Names that can stay are served first, so that no made-up one takes theirs.
  const order = [...names].sort(
    (a, b) => Number(identifierOf(a) !== a) - Number(identifierOf(b) !== b) || naturalCompare(a, b),
  );
  for (const name of order) {
    if (identifierOf(name) === name && isFree(name)) assign(name, name);
  }
  for (const name of order) {
    if (identifiers.has(name)) continue;
    const wanted = identifierOf(name);
    let number = numbers.get(capitalised(wanted)) ?? 2;
    let identifier = wanted;
    for (; !isFree(identifier); number++) identifier = `${wanted}${number}`;
    numbers.set(capitalised(wanted), number);
    assign(name, identifier);
  }
  return new Map(names.map((name) => [name, identifiers.get(name)!]));
}

/** The code of validators is analysed with ASCII identifiers alone. */
function asciiWords(name: string): readonly string[] {
  return name.match(/[A-Za-z0-9_$]+/g) ?? [];
}

function unicodeWords(name: string): readonly string[] {
  return name.match(/(?:(?!\p{Default_Ignorable_Code_Point})[\p{ID_Continue}$])+/gu) ?? [];
}

function identifierIn(words: readonly string[]): string {
  const joined =
    words.map((word, index) => (index === 0 ? word : capitalised(word))).join("") || "Definition";
  const started = /^[\p{ID_Start}$_]/u.test(joined) ? joined : `_${joined}`;
  return reserved.has(started) || started === "__proto__" ? `${started}_` : started;
}

/** `identifier` with its first letter in upper case. */
export function capitalised(identifier: string): string {
  return identifier.slice(0, 1).toUpperCase() + identifier.slice(1);
}

/** The letters and digits of `text` as one word in camel case. */
export function joinedWords(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const [first = "value", ...others] = words;
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const joined = first.charAt(0).toLowerCase() + first.slice(1) + others.map(capital).join("");
  return /^\d/.test(joined) ? `_${joined}` : joined;
}

const secretWords: ReadonlySet<string> = new Set(
  `apikey auth authorization cookie credential credentials jwt key pass passphrase passwd password pat pwd secret sig
  signature token tokens`.split(/\s+/),
);

/** Last words of names for what is no secret, although it is about one. */
const publicEnds: ReadonlySet<string> = new Set(
  "dir endpoint file folder host id issuer method name path port sock store type uri url".split(" "),
);

/** Whether the value of a variable, option, parameter or header of that name is a secret. */
export function isSecretName(name: string): boolean {
  if (/^(?:OLD)?PWD$/.test(name)) return false;
  const words = name
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, "_")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");
  return words.some((word) => secretWords.has(word)) && !publicEnds.has(words.at(-1)!);
}

/** Whether a value looks as if a machine had made it: long, of one piece, with letters and digits. */
export function looksRandom(value: string): boolean {
  const isCommit = /^[\da-f]{40}$/.test(value);
  return /^[\w.~+/=-]{20,}$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value) && !isCommit;
}

/** A URL as files keep it: without a name, a password, and parameters that are secret by their name. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const named = [...url.searchParams.keys()].filter(isSecretName);
  if (url.username === "" && url.password === "" && named.length === 0) return text;
  [url.username, url.password] = ["", ""];
  for (const name of named) url.searchParams.delete(name);
  return url.href;
}

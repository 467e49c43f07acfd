/** Minimum length of a secret that is searched for; a shorter one would remove ordinary words from texts. */
const shortest = 8;

/**
 * Maximum number of characters of all secrets. Beyond it the oldest are forgotten, because a server can give
 * a client any number of tokens.
 */
const mostCharacters = 4_000_000;

/** Minimum number of characters by which a truncated secret is recognised before the truncation mark. */
const shortestCut = 4;
const cut = "…";

/**
 * A spelling of a secret, with the table of the Knuth–Morris–Pratt search, whose time depends only on the
 * text's length.
 */
interface Form {
  readonly text: string;
  readonly failure: Int32Array;
}

type Interval = readonly [start: number, end: number];

/**
 * The secrets that this process knows. All output, and every file with untrusted text, passes through here: a
 * server may echo a request, e.g. its headers in an error response.
 *
 * A secret of at least 8 characters is replaced by `…`, also in its JSON-escaped, percent-encoded and base64
 * forms.
 */
export class Secrets {
  readonly #known = new Map<string, readonly Form[]>();
  #forms: readonly Form[] = [];
  #size = 0;
  #mark = cut;
  readonly #limit: number;

  constructor(limit = mostCharacters) {
    this.#limit = limit;
  }

  /** Remembers a secret, without surrounding white space. */
  learn(given: string | undefined): void {
    const secret = given?.trim() ?? "";
    if (secret.length < shortest || this.#known.has(secret)) return;
    const forms = spellings(secret).map((text): Form => ({ text, failure: failureOf(text) }));
    this.#known.set(secret, forms);
    for (const { text } of forms) this.#size += text.length;
    for (const [oldest, old] of this.#known) {
      if (this.#size <= this.#limit || oldest === secret) break;
      this.#known.delete(oldest);
      for (const { text } of old) this.#size -= text.length;
    }
    this.#forms = [...this.#known.values()].flat();
    this.#mark = markOutside([...this.#known.keys()]);
    // The lines of a key may occur individually.
    for (const line of secret.includes("\n") ? secret.split("\n") : [])
      if (!line.startsWith("-----")) this.learn(line);
  }

  /** Remembers a name and password, also in the form of `Authorization: Basic`. */
  learnLogin(name: string, password: string): void {
    if (password === "") return this.learn(name);
    this.learn(password);
    this.learn(Buffer.from(`${name}:${password}`).toString("base64").replace(/=+$/, ""));
  }

  /** Remembers name and password of a URL, and values in it that are secret by name or look random. */
  learnUrl(text: string): void {
    this.#learnPieces(readUrl(text) ?? []);
  }

  /** Remembers values of headers that are secret by name or look random. */
  learnHeaders(headers: Iterable<readonly [string, string | undefined]>): void {
    for (const [name, value = ""] of headers) {
      if (/^(?:set-)?cookie$/i.test(name))
        for (const pair of value.split(";")) this.learn(pair.slice(pair.indexOf("=") + 1));
      else if (isSecretName(name) || looksRandom(value)) this.learnCredential(value);
    }
  }

  /** Remembers values of variables that are secret by name, and passwords in URLs among the values. */
  learnVariables(variables: Readonly<Record<string, string | undefined>>): void {
    for (const [name, value = ""] of Object.entries(variables)) {
      if (isSecretName(name)) this.learn(value);
      this.learnUrl(value);
    }
  }

  /**
   * Remembers secrets in a stored text: members of JSON that are secret by name, or the complete text if it
   * is not JSON.
   */
  learnStored(text: string): void {
    if (!this.#learnJson(text)) this.learn(text);
  }

  /** Remembers the secrets in words of a command line: assignments, options for secrets, URLs, JSON, commands. */
  learnWords(words: readonly string[]): void {
    this.#learnPieces(readWords(words).flat());
    for (const word of words) if (/^\s*[{[]/.test(word)) this.#learnJson(word);
  }

  #learnPieces(pieces: readonly Piece[]): void {
    for (const { text, role, inner = [] } of pieces) {
      this.#learnPieces(inner);
      if (role === "login") {
        const [, name = "", password = ""] = /^([^:]*):?([^]*)$/.exec(text)!;
        this.learnLogin(decoded(name), decoded(password));
        // A short password is still recognised together with its surroundings in the URL.
        this.learn(`${text}@`);
      } else if (role === "secret") {
        this.learn(text);
        this.learn(decoded(text.replaceAll("+", " ")));
        this.learnCredential(text);
      }
    }
  }

  /** Replaces secrets in a text. */
  hide(text: string): string {
    if (this.#forms.length === 0) return text;
    const stream = this.stream();
    return stream.push(text) + stream.end();
  }

  /** Replaces secrets in the strings and keys of a JSON value. */
  hideIn<T>(value: T): T {
    if (typeof value === "string") return this.hide(value) as T;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((each: unknown) => this.hideIn(each)) as T;
    const toJson = (value as { readonly toJSON?: unknown }).toJSON;
    if (typeof toJson === "function") return value;
    const entries = Object.entries(value).map(
      ([key, each]) => [this.hide(key), this.hideIn<unknown>(each)] as const,
    );
    return Object.fromEntries(entries) as T;
  }

  /**
   * Replaces secrets in a text that arrives in pieces. Holds back the end of a piece if a secret may begin
   * there.
   */
  stream(): { readonly push: (piece: string) => string; readonly end: () => string } {
    let held = "";
    /** Number of characters of `held` that belong to a secret whose replacement was already output. */
    let carried = 0;
    const take = (piece: string, isLast: boolean): string => {
      const text = held + piece;
      const { found, tail } = scan(text, this.#forms);
      if (carried > 0) found.push([0, carried]);
      const until = isLast ? text.length : text.length - tail;
      if (until === 0) {
        held = text;
        return "";
      }
      let shown = "";
      let at = 0;
      let rest = 0;
      for (const [start, end] of merged(found)) {
        if (start >= until) break;
        shown += text.slice(at, start) + (start === 0 && carried > 0 ? "" : this.#mark);
        at = Math.min(end, until);
        rest = end - at;
      }
      shown += text.slice(at, until);
      [held, carried] = [text.slice(until), rest];
      return shown;
    };
    return { push: (piece) => take(piece, false), end: () => take("", true) };
  }

  /** Remembers the value of a header with credentials: the part after a scheme, and a password in it. */
  learnCredential(value: string): void {
    const [, scheme = "", rest = ""] = /^([\w-]+)\s+(\S[^]*)$/.exec(value.trim()) ?? [];
    this.learn(rest === "" ? value : rest);
    if (!/^basic$/i.test(scheme)) return;
    const text = Buffer.from(rest, "base64").toString();
    if (text.includes(":")) this.learn(text.slice(text.indexOf(":") + 1));
  }

  /** Remembers secret members; returns whether the text is JSON. */
  #learnJson(text: string): boolean {
    try {
      this.#learnMembers(JSON.parse(text) as unknown);
      return true;
    } catch {
      return false;
    }
  }

  #learnMembers(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      // The private members of a key (RFC 7518, 6.2.2 and 6.3.2).
      if (typeof member !== "string") this.#learnMembers(member);
      else if (isSecretName(name) || /^(?:d|p|q|dp|dq|qi|k)$/.test(name)) this.learnStored(member);
    }
  }
}

/** The secrets of this process. */
export const secrets = new Secrets();

/** All spellings in which texts may contain a secret. */
function spellings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, "\ufffd"));
  const form = new URLSearchParams({ "": secret }).toString().slice(1);
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  const all = [
    secret,
    // Some writers of JSON escape characters outside ASCII, some escape slashes, PHP both.
    ...[json, json.replace(/[^ -~]/g, escapedUnit)].flatMap((text) => [text, text.replaceAll("/", "\\/")]),
    ...[percent, form].flatMap((text) => [text, text.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase())]),
    ...[base64, base64.replaceAll("+", "-").replaceAll("/", "_")],
  ];
  return [...new Set(all)];
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** For each position, the length of the longest proper prefix that ends there. */
function failureOf(text: string): Int32Array {
  const failure = new Int32Array(text.length);
  for (let at = 1, depth = 0; at < text.length; at++) {
    while (depth > 0 && text[at] !== text[depth]) depth = failure[depth - 1]!;
    if (text[at] === text[depth]) depth++;
    failure[at] = depth;
  }
  return failure;
}

/** Finds all occurrences of all forms, and the longest end of the text with which a form may begin. */
function scan(text: string, forms: readonly Form[]): { readonly found: Interval[]; readonly tail: number } {
  const found: Interval[] = [];
  let tail = 0;
  for (const { text: form, failure } of forms) {
    const head = form.slice(0, shortestCut);
    /** After this position the text is too short for the head. */
    const last = Math.max(0, text.length - shortestCut + 1);
    let depth = 0;
    for (let at = 0; at < text.length; at++) {
      if (depth === 0 && at < last) {
        // Most texts contain no secret, and `indexOf` finds the next candidate faster than a loop.
        const next = text.indexOf(head, at);
        at = next < 0 ? last : next;
        if (at >= text.length) break;
      }
      if (depth >= shortestCut && text[at] === cut && form[depth] !== cut) found.push([at - depth, at]);
      while (depth > 0 && text[at] !== form[depth]) depth = failure[depth - 1]!;
      if (text[at] === form[depth]) depth++;
      if (depth < form.length) continue;
      found.push([at + 1 - depth, at + 1]);
      depth = failure[depth - 1]!;
    }
    tail = Math.max(tail, depth);
  }
  return { found, tail };
}

/** Merges overlapping intervals, in order. */
function merged(intervals: readonly Interval[]): Interval[] {
  const all: [number, number][] = [];
  for (const [start, end] of [...intervals].sort(([one], [other]) => one - other)) {
    const last = all.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else all.push([start, end]);
  }
  return all;
}

/** A replacement text that no secret contains, so that inserting it cannot create one. */
function markOutside(known: readonly string[]): string {
  const isFree = (mark: string): boolean => !known.some((secret) => secret.includes(mark));
  if (isFree(cut)) return cut;
  for (let code = 0x2580; ; code++) if (isFree(String.fromCharCode(code))) return String.fromCharCode(code);
}

/** Name and password of a URL in the form of `Authorization: Basic`; `undefined` if it has neither. */
export function loginOf({ username, password }: URL): string | undefined {
  return username === "" && password === "" ? undefined : `${decoded(username)}:${decoded(password)}`;
}

/** Percent-decodes a text; malformed text is returned unchanged, as curl does. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Command lines and URLs have one reader: `secrets` learns its findings, messages and pages leave them out.

/** A piece of a word of a command line. */
export interface Piece {
  readonly text: string;
  /** The name of the option, variable, header or parameter that has the text as its value; may be empty. */
  readonly name: string;
  /**
   * `secret` by its name or its looks; `login` of a URL; `withheld`: often secret, as are values of variables and headers;
   * `label`: a name itself; `syntax` has no meaning; all others are `open`.
   */
  readonly role: "secret" | "login" | "withheld" | "label" | "syntax" | "open";
  /** The pieces of a text that is a command line or a list of assignments itself. */
  readonly inner?: readonly Piece[];
}

/** Maximum nesting of assignments and of commands in commands. */
const deepest = 8;

/** The pieces of each word. */
export function readWords(words: readonly string[], depth = 0): readonly (readonly Piece[])[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? "";
    return readValue(word, /^--?[a-z][\w.-]*$/i.test(before) ? before : "", depth);
  });
}

/** The words of a command line, without their quotes. */
export function splitWords(line: string): string[] {
  return (line.match(/(?:"[^"]*"|'[^']*'|[^\s"']|["'])+/g) ?? []).map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"),
  );
}

const carriers = /^(?:-[eH]|--?(?:env|header|build-arg)s?)$/;

function readValue(text: string, name: string, depth: number): readonly Piece[] {
  if (isSecretName(name)) return [piece(text, "secret", name)];
  // A random text is not learned: the hash after --trust is one, and is to be shown.
  if (depth > deepest || (looksRandom(text) && name !== "")) return [piece(text, "withheld", name)];
  const url = readUrl(text);
  if (url) return url;
  const [, start = "", dashes = "", mark = "", value] =
    /^((-{0,2})[\w.-]+)(=(?!=)|:\s*)([^]+)$/.exec(text) ?? [];
  if (value === undefined) {
    const inner = splitWords(text.replace(/[;&|,{}[\]]/g, " ").replace(/(["'])\s*:\s*/g, "$1:"));
    const pieces = inner.join() !== text ? readWords(inner, depth + 1).flat() : [];
    return [{ ...piece(text, "open", name), inner: pieces }];
  }
  const label = [piece(start, "label", name), piece(mark, "syntax")];
  const isVariable = dashes === "" && mark === "=" && /^[A-Z][A-Z\d_]*$/.test(start);
  const pieces = readValue(value, start, depth + 1);
  if (!isVariable && !carriers.test(name)) return [...label, ...pieces];
  return [...label, { ...piece(value, "withheld", start), inner: pieces }];
}

function piece(text: string, role: Piece["role"], name = ""): Piece {
  return { text, name, role };
}

/** The pieces of a URL, also one with several hosts or with a scheme before its scheme; undefined for other texts. */
function readUrl(text: string): readonly Piece[] | undefined {
  const [
    ,
    scheme = "",
    login = "",
    at = "",
    host = "",
    path = "",
    ask = "",
    query = "",
    hash = "",
    fragment = "",
  ] =
    /^((?:[a-z][a-z\d+.-]*:)+\/\/)(?:([^/?#]*)(@))?([^/?#]*)([^?#]*)(?:(\?)([^#]*))?(?:(#)([^]*))?$/i.exec(
      text,
    ) ?? [];
  if (scheme === "") return undefined;
  return [
    ...[piece(scheme, "syntax"), piece(login, "login", "login"), piece(at, "syntax")],
    ...host
      .split(/(;)/)
      .flatMap((each, index) => (index === 0 ? [piece(each, "open", "host")] : pairs(each))),
    ...path.split(/(\/)/).map((each) => piece(each, looksRandom(each) ? "withheld" : "open", "path")),
    ...[piece(ask, "syntax"), ...pairs(query), piece(hash, "syntax"), ...pairs(fragment)],
  ];
}

/** The pieces of `a=1&b=2`. */
function pairs(text: string): Piece[] {
  return text.split(/([&;])/).flatMap((pair): Piece[] => {
    if (/^[&;]$/.test(pair)) return [piece(pair, "syntax")];
    const [, name = "", mark = "", value = ""] = /^(?:([^=]*)(=))?([^]*)$/.exec(pair)!;
    const role = isSecretName(name) || looksRandom(value) ? "secret" : "withheld";
    return [piece(name, "label", name), piece(mark, "syntax"), piece(value, role, name)];
  });
}

/** The words of a command for messages: without secrets, values of variables and headers, and parts of URLs that hold either. */
export function shownWords(words: readonly string[]): string[] {
  return readWords(words).map((pieces) =>
    pieces.map((each) => (holdsSecret(each) ? "…" : each.text)).join(""),
  );
}

function holdsSecret({ text, role, inner = [] }: Piece): boolean {
  return (text !== "" && /^(?:secret|login|withheld)$/.test(role)) || inner.some(holdsSecret);
}

/** The address of a server, without the login, which becomes a header, and the fragment, which is not sent. */
export function addressWithoutLogin(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, "$1").replace(/#[^]*$/, "");
}

const secretWords: ReadonlySet<string> = new Set(
  `apikey auth authorization bearer cookie credential credentials jwt key pass passphrase passwd password pat pwd secret sig
  signature token tokens`.split(/\s+/),
);

/** Final words of names whose values are not secret, although the name mentions a secret. */
const publicEnds: ReadonlySet<string> = new Set(
  "dir endpoint file folder host id issuer method name path port sock store type uri url".split(" "),
);

/** Whether a variable, option, parameter or header of that name has a secret value. */
export function isSecretName(name: string): boolean {
  if (/^(?:OLD)?PWD$/.test(name)) return false;
  const words = name
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, "_")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");
  return words.some((word) => secretWords.has(word)) && !publicEnds.has(words.at(-1)!);
}

/** Whether a value looks machine-generated: long, without separators, with letters and digits. */
function looksRandom(value: string): boolean {
  const isCommit = /^[\da-f]{40}$/.test(value);
  return /^[\w.~+/=-]{20,}$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value) && !isCommit;
}

/** A URL for files: without name, password, and parameters that are secret by name. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const named = [...url.searchParams.keys()].filter(isSecretName);
  if (url.username === "" && url.password === "" && named.length === 0) return text;
  [url.username, url.password] = ["", ""];
  for (const name of named) url.searchParams.delete(name);
  return url.href;
}

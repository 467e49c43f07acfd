import { type Html, type Piece, html, joined } from "../../generator/page/html.js";

type Kind = "comment" | "string" | "word" | "number" | "added" | "removed";

/** How a language marks its parts: the first rule that fits at a place wins. */
interface Rules {
  readonly pattern: RegExp;
  readonly kinds: readonly Kind[];
}

const doubleQuoted = String.raw`"(?:\\.|[^"\\\n])*"`;
const singleQuoted = String.raw`'(?:\\.|[^'\\\n])*'`;
const number = String.raw`\b\d[\d_]*(?:\.\d+)?\b`;
const keywords =
  "async|await|break|case|catch|class|const|continue|default|delete|else|export|extends|false|finally|for|from|function|" +
  "if|implements|import|in|instanceof|interface|let|new|null|of|readonly|return|satisfies|switch|throw|true|try|type|" +
  "typeof|undefined|void|while|yield";

/** Each group of a pattern is one kind, in the same order. */
function rules(parts: readonly (readonly [Kind, string])[], flags = ""): Rules {
  return {
    pattern: new RegExp(parts.map(([, source]) => `(${source})`).join("|"), `g${flags}`),
    kinds: parts.map(([kind]) => kind),
  };
}

const script = rules([
  ["comment", String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`],
  ["string", String.raw`${doubleQuoted}|${singleQuoted}|${"`"}(?:\\.|[^\\${"`"}])*${"`"}`],
  ["word", String.raw`\b(?:${keywords})\b`],
  ["number", number],
]);
const shell = rules(
  [
    ["comment", String.raw`(?:^|(?<=\s))#[^\n]*`],
    ["string", `${doubleQuoted}|${singleQuoted}`],
    ["word", String.raw`(?<=\s)--?[A-Za-z][\w-]*`],
  ],
  "m",
);
const languages: Readonly<Record<string, Rules>> = {
  ts: script,
  js: script,
  json: rules([
    ["word", String.raw`${doubleQuoted}(?=\s*:)|\b(?:true|false|null)\b`],
    ["string", doubleQuoted],
    ["number", `-?${number}`],
  ]),
  yaml: rules(
    [
      ["comment", String.raw`(?:^|(?<=\s))#[^\n]*`],
      ["word", String.raw`(?<=^\s*(?:- )?)[\w$./-]+(?=:(?:\s|$))`],
      ["string", `${doubleQuoted}|${singleQuoted}`],
    ],
    "m",
  ),
  diff: rules(
    [
      ["added", String.raw`^\+[^\n]*`],
      ["removed", String.raw`^-[^\n]*`],
    ],
    "m",
  ),
  sh: shell,
  console: shell,
};

/** Code with its comments, strings, words and numbers marked; the text of another language as it is. */
export function highlighted(code: string, language: string): Html {
  const found = languages[language];
  if (!found) return html`${code}`;
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of code.matchAll(found.pattern)) {
    const kind = found.kinds[match.slice(1).findIndex((group) => group !== undefined)]!;
    pieces.push(code.slice(end, match.index), html`<span class="code-${kind}">${match[0]}</span>`);
    end = match.index + match[0].length;
  }
  return joined([...pieces, code.slice(end)]);
}

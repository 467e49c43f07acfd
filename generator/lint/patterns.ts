import { type JsonObject, pointer, strictForm } from "@mcpgen/engine";
import {
  type LintRule,
  type LintSubject,
  type Mend,
  type Spot,
  everyProfile,
  geminiProfiles,
} from "./rule.js";
import { spot } from "./spots.js";

/** Rules about regular expressions that some model interfaces do not support. */
export const patternRules: readonly LintRule[] = [
  {
    id: "pattern-lookaround",
    profiles: ["openai", "strict"],
    level: "error",
    reason:
      "The interface rejects lookahead and lookbehind in a `pattern`, together with all tools of the request; the strict mode of Claude does, too.",
    fix: "Simplify the pattern, or describe the limit and check it in the handler.",
    sources: [
      "https://github.com/cline/cline/issues/14013",
      "https://github.com/nicobailon/pi-interactive-shell/issues/69",
      "https://github.com/Dokploy/mcp/issues/45",
    ],
    find: partsOf(/^\(\?<?[=!]/, (found) => `\`${found}\` in a pattern`),
  },
  {
    id: "pattern-unicode-property",
    profiles: ["openai", ...geminiProfiles, "strict"],
    level: "error",
    reason: "The interface rejects `\\p{…}` in a `pattern`, together with all tools of the request.",
    fix: "List the characters, or describe the limit and check it in the handler.",
    sources: [
      "https://github.com/Alishahryar1/free-claude-code/issues/1730",
      "https://github.com/langfuse/langfuse/issues/14770",
      "https://github.com/decolua/9router/pull/3938",
    ],
    find: partsOf(/^\\[pP]\{/, (found) => `\`${found.slice(0, 2)}{…}\` in a pattern`),
  },
  {
    id: "pattern-not-in-python",
    profiles: ["openai", "strict"],
    level: "error",
    reason:
      "The interface compiles a `pattern` with `re` of Python, and rejects all tools of the request where that fails. It has no `(?<name>…)`, `\\k<name>`, `\\u{…}`, `\\cX`, `[^]` and `[]`.",
    fix: "Write a group without a name, `\\uXXXX`, the character itself, or `[\\s\\S]` instead.",
    sources: ["https://github.com/BerriAI/litellm/pull/40485", "https://github.com/pleaseai/shunt/pull/488"],
    find: partsOf(
      /^(?:\(\?<[^=!]|\\u\{|\[\^?\]|\\[ceghijklmoqyzCE-MOQRTVXY])/,
      (found) => `\`${found}\` in a pattern`,
    ),
  },
  {
    id: "pattern-of-another-language",
    profiles: everyProfile,
    level: "warning",
    reason:
      "Hosts that compile a pattern fail if it is not a regular expression of ECMA-262 with the flag `u`. That has no `(?P<name>…)`, `(?i)`, `(?>…)`, `(?#…)`, `\\A`, `\\Z` and `\\z`.",
    fix: "Write `(…)`, `[Aa]`, `^` and `$` instead; remove a backslash that means nothing, and put one in front of `-` beside a class.",
    certain: "writes a pattern that only the flag `u` refuses as it takes it",
    sources: ["https://github.com/WolframResearch/AgentTools/pull/169"],
    find: patternsOf(foreign),
  },
  {
    id: "result-pattern",
    profiles: everyProfile,
    level: "warning",
    reason:
      "Hosts that compile the schema of a result fail at such a pattern, some with all tools of the server.",
    fix: "Correct it as a pattern of arguments; see `mcpgen explain pattern-of-another-language`.",
    certain: "does the same as in arguments",
    find: ({ results, ...subject }) => patternsOf(foreign)({ ...subject, places: results, results: [] }),
  },
];

const foreignPart = /^(?:\(\?(?:P[<=>]|#|>|[aiLmsux-]+[):])|\\[AZz])/;

/** Why a pattern is not valid in ECMA-262, and the pattern that was probably meant. */
function foreign(pattern: string): { readonly message: string; readonly meant?: string } | undefined {
  const found = splitPattern(pattern).find((each) => foreignPart.test(each));
  if (found !== undefined) return { message: `\`${found}\` in a pattern` };
  try {
    RegExp(pattern, "u");
    return undefined;
  } catch {
    const meant = strictForm(pattern);
    return { message: "a pattern that is no regular expression", ...(meant !== undefined && { meant }) };
  }
}

/** Matches a part of a pattern: an escape, a group's beginning, a character class, or one character. */
const part =
  /\\[pP]\{|\\u\{|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]?|\(\?(?:<?[=!]|<[^>]{0,64}>|P[<=>]|#|>|[A-Za-z-]+[):])|[\s\S]/g;

function splitPattern(pattern: string): readonly string[] {
  return pattern.match(part) ?? [];
}

/** Finds patterns with a part that matches `is`, including escapes in character classes. */
function partsOf(is: RegExp, message: (found: string) => string): LintRule["find"] {
  return patternsOf((pattern) => {
    const inside = (each: string): readonly string[] =>
      each.startsWith("[") ? splitPattern(each.slice(1)) : [];
    const escapes = (each: string): readonly string[] =>
      inside(each).filter((inner) => inner.startsWith("\\"));
    const found = splitPattern(pattern)
      .flatMap((each) => [each, ...escapes(each)])
      .find((each) => is.test(each));
    return found === undefined ? undefined : { message: message(found) };
  });
}

/** Finds patterns in `pattern` and `patternProperties` that have a fault. */
function patternsOf(
  faultOf: (pattern: string) => { readonly message: string; readonly meant?: string } | undefined,
): (subject: LintSubject) => Spot[] {
  return ({ places }) =>
    places.flatMap(({ schema, pointer: at }) =>
      patternsIn(schema, at).flatMap(({ pattern, place, isKey }) => {
        const fault = faultOf(pattern);
        return fault ? [spot(place, fault.message, respelled(place, fault.meant, isKey))] : [];
      }),
    );
}

function respelled(place: string, meant: string | undefined, isKey: boolean): Mend | undefined {
  if (meant === undefined) return undefined;
  const edit = isKey ? { rename: place, key: meant } : { replace: place, value: meant };
  return { edits: [edit], respells: true };
}

function patternsIn(
  { pattern, patternProperties }: JsonObject,
  at: string,
): { readonly pattern: string; readonly place: string; readonly isKey: boolean }[] {
  const keys =
    typeof patternProperties === "object" && patternProperties !== null ? Object.keys(patternProperties) : [];
  return [
    ...(typeof pattern === "string" ? [{ pattern, place: pointer(at, "pattern"), isKey: false }] : []),
    ...keys.map((key) => ({ pattern: key, place: pointer(at, "patternProperties", key), isKey: true })),
  ];
}

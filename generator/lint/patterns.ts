import { pointer } from "@mcpgen/engine";
import { type LintRule, everyProfile, geminiProfiles } from "./rule.js";

/** Rules about regular expressions that some interfaces do not take. */
export const patternRules: readonly LintRule[] = [
  {
    id: "pattern-lookaround",
    profiles: ["openai", "strict"],
    level: "error",
    reason:
      "The interface rejects lookahead and lookbehind in a `pattern`, together with all tools of the request.",
    fix: "Simplify the pattern, or describe the limit and check it in the handler.",
    sources: [
      "https://github.com/cline/cline/issues/14013",
      "https://github.com/can1357/oh-my-pi/issues/2784",
    ],
    find: patterns(/^\(\?<?[=!]/, (found) => `\`${found}\` in a pattern`),
  },
  {
    id: "pattern-unicode-property",
    profiles: ["openai", ...geminiProfiles, "strict"],
    level: "error",
    reason: "The interface rejects `\\p{…}` in a `pattern`, together with all tools of the request.",
    fix: "List the characters, or describe the limit and check it in the handler.",
    sources: [
      "https://github.com/langfuse/langfuse/issues/14770",
      "https://github.com/decolua/9router/pull/3938",
    ],
    find: patterns(/^\\[pP]\{/, (found) => `\`${found.slice(0, 2)}{…}\` in a pattern`, true),
  },
  {
    id: "pattern-of-another-language",
    profiles: everyProfile,
    level: "warning",
    reason:
      "Patterns are regular expressions of ECMA-262. It has no `(?P<name>…)`, `(?i)`, `(?>…)`, `(?#…)`, `\\A`, `\\Z` and `\\z`, and hosts that compile the pattern fail.",
    fix: "Write `(?<name>…)`, `[Aa]`, `^` and `$` instead.",
    sources: ["https://github.com/WolframResearch/AgentTools/pull/169"],
    find: patterns(/^(?:\(\?(?:P[<=>]|#|>|[aiLmsux-]+[):])|\\[AZz])/, (found) => `\`${found}\` in a pattern`),
  },
];

/** Parts of a pattern: an escape, a group's beginning, a character class with its escapes, or one character. */
const part = /\\[pP]\{|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]?|\(\?(?:<?[=!]|P[<=>]|#|>|[A-Za-z-]+[):])|[\s\S]/g;

/** Patterns of `pattern` and `patternProperties` that have a part as `is` says; `insideClasses` looks there, too. */
function patterns(is: RegExp, message: (found: string) => string, insideClasses = false): LintRule["find"] {
  return ({ places }) =>
    places.flatMap(({ schema, pointer: at }) => {
      const { pattern, patternProperties } = schema;
      const given = [
        ...(typeof pattern === "string" ? [[pattern, pointer(at, "pattern")] as const] : []),
        ...(typeof patternProperties === "object" && patternProperties !== null
          ? Object.keys(patternProperties).map((key) => [key, pointer(at, "patternProperties", key)] as const)
          : []),
      ];
      return given.flatMap(([text, place]) => {
        const parts = text.match(part) ?? [];
        const read = insideClasses
          ? parts.flatMap((each) => (each.startsWith("[") ? (each.slice(1).match(part) ?? []) : [each]))
          : parts;
        const found = read.find((each) => is.test(each));
        return found === undefined ? [] : [{ pointer: place, message: message(found) }];
      });
    });
}

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isAutomaton, matcherOf } from "@mcpgen/engine";
import { libraryFormats } from "./library-formats.js";

type Verdict = "none" | "platform" | "automaton" | "refused";

function verdictOn(patterns: readonly string[]): Verdict {
  if (patterns.length === 0) return "none";
  const matchers = patterns.map((pattern) => {
    try {
      return matcherOf(pattern);
    } catch {
      return undefined;
    }
  });
  if (matchers.includes(undefined)) return "refused";
  return matchers.some(isAutomaton) ? "automaton" : "platform";
}

function verdictsOf(library: string): ReadonlyMap<Verdict, readonly string[]> {
  const verdicts = new Map<Verdict, string[]>();
  for (const [name, patterns] of libraryFormats[library]!) {
    const verdict = verdictOn(patterns);
    verdicts.set(verdict, [...(verdicts.get(verdict) ?? []), name]);
  }
  return verdicts;
}

const page = readFileSync("docs/patterns.md", "utf8");

/** The cells of the row of a library in the table of the page. */
function rowOf(library: string): readonly string[] {
  const row = page.split("\n").find((line) => line.startsWith(`|${library}|`))!;
  return row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe("the formats of", () => {
  test.each([
    ["zod", 52, ["email (rfc5322)"]],
    ["valibot", 33, []],
    ["arktype", 33, []],
  ])("%s: of at least %i, these are refused: %j", (library, least, refused) => {
    const verdicts = verdictsOf(library);
    expect(libraryFormats[library]!.size).toBeGreaterThanOrEqual(least);
    expect(verdicts.get("refused") ?? []).toEqual(refused);
    const count = (verdict: Verdict): string => `${verdicts.get(verdict)?.length ?? 0}`;
    expect(rowOf(library)).toEqual([
      library,
      `${libraryFormats[library]!.size}`,
      count("none"),
      count("platform"),
      (verdicts.get("automaton") ?? []).map((name) => `\`${name}\``).join(", "),
      refused.map((name) => `\`${name}\``).join(", ") || "–",
    ]);
  });
});

/** The cells of the rows below a heading of a table, without their code marks. */
function rowsBelow(heading: string): string[][] {
  const lines = page.slice(page.indexOf(heading)).split("\n\n")[0]!.split("\n").slice(2);
  return lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) =>
        cell
          .trim()
          .replace(/^`(.*)`$/, "$1")
          .replaceAll("\\|", "|"),
      ),
  );
}

test("each example of docs/patterns.md is matched like in its row, or refused", () => {
  const matched = rowsBelow("|in the pattern|example|matched|");
  expect(matched.length).toBeGreaterThan(5);
  for (const [, example = "", by] of matched) expect(verdictOn([example]), example).toBe(by);
  const refused = rowsBelow("|in the pattern|example|reason|").filter(
    ([, example]) => !example!.includes("`"),
  );
  expect(refused.length).toBeGreaterThan(3);
  for (const [, example = ""] of refused) expect(verdictOn([example]), example).toBe("refused");
});

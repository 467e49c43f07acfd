import { expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { subjectText } from "../../generator/diff/finding.js";
import { to20250326 } from "./changelog/2025-03-26.js";
import { to20250618 } from "./changelog/2025-06-18.js";
import { to20251125 } from "./changelog/2025-11-25.js";
import { to20260728 } from "./changelog/2026-07-28.js";
import { type Changelog, expanded } from "./changelog/changelog.js";
import { pairs, released } from "./models.js";

/** By the newer of two consecutive revisions. */
const changelogs: Readonly<Record<string, Changelog>> = {
  "2025-03-26": to20250326,
  "2025-06-18": to20250618,
  "2025-11-25": to20251125,
  "2026-07-28": to20260728,
};

const dialects: Readonly<Record<string, string>> = { "2025-11-25": "2020-12", "2026-07-28": "2020-12" };
const dialectOf = (revision: string): string => dialects[revision] ?? "draft-07";

/** Rules about names of definitions, which are not on the wire. */
const ofNames = /^definition-|^unreachable-changed$/;

test.each(pairs)(
  "%s → %s: each finding is in the changelog, or in the list of omissions",
  async (from, to) => {
    const findings = diffModels(await released(from), await released(to), undefined, {
      old: dialectOf(from),
      new: dialectOf(to),
    });
    const found = findings
      .filter(({ rule }) => !ofNames.test(rule))
      .map(({ rule, subject }) => `${rule} ${subjectText(subject)}`);
    const { named, unnamed } = changelogs[to]!;
    const expected = [...named, ...unnamed].flatMap(({ finds }) => finds.flatMap(expanded));
    expect(found.toSorted()).toEqual(expected.toSorted());
  },
);

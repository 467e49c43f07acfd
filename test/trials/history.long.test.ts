// Replays history: there are only the schemas up to a released revision, whose names servers and clients use, and
// `upgrade` adds the next released revision with its notes.
import { describe, expect, test } from "vitest";
import { documentOf, revisions } from "../support/revisions.js";
import { sharedFolder } from "../support/temporary-folder.js";
import { comparable, judged } from "./judge.js";
import { bringIn, conversationsWith, releasedUpTo } from "./workspace.js";

const pairs = revisions.slice(1).map((revision, index) => ({ words: revisions[index]!, revision }));

/**
 * Differences between the results of a tour: errors have other codes, and a note refuses questions by URL without an
 * id.
 */
const others: Readonly<Record<string, readonly string[]>> = { "2026-07-28": ["missing", "visited"] };

/** Stops with calls that the vocabulary's revision does not have, so they fail. */
function isMissing(brought: unknown): boolean {
  return typeof brought === "object" && brought !== null && "failed" in brought;
}

describe.each(pairs)("$revision, when $words was the newest", ({ words, revision }) => {
  const folder = sharedFolder();
  const made = async () => {
    expect(await releasedUpTo(words, folder)).toMatchObject({ code: 0 });
    const before = await conversationsWith(`${folder}/generated`, words);
    expect(await bringIn(revision, folder)).toMatchObject({ code: 0 });
    return { before, now: await conversationsWith(`${folder}/generated`, words) };
  };
  let conversations: ReturnType<typeof made> | undefined;
  const talked = () => (conversations ??= made());

  test("peers of earlier revisions receive and send the same messages", async () => {
    const { before, now } = await talked();
    for (const old of before) {
      const same = now.find((each) => each.revision === old.revision)!;
      expect(same.failed).toEqual(old.failed);
      expect(comparable(same, revision)).toEqual(comparable(old, revision));
    }
  });

  test("its client is served, in the vocabulary of the previous revision", async () => {
    const { before, now } = await talked();
    const [old, own] = [before, now].map((all, index) =>
      all.find((each) => each.revision === [words, revision][index])!,
    ) as [(typeof now)[number], (typeof now)[number]];
    expect(own.failed).toEqual(old.failed);
    const common = Object.keys(old.brought).filter(
      (key) => !isMissing(old.brought[key]) && !others[revision]?.includes(key),
    );
    expect(common.length).toBeGreaterThan(15);
    for (const key of common) expect([key, own.brought[key]]).toEqual([key, old.brought[key]]);
    expect(judged(own, documentOf(revision)).invalid).toEqual([]);
  });
});

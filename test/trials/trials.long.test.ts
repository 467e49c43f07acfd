// Possible future changes of the protocol, added as a person would: one definition of a server, and clients of all
// revisions, whose handlers and calls use the names of the newest released one.
import { afterAll, describe, expect, test } from "vitest";
import { expectedTour } from "../support/every-feature/expected.js";
import { documentOf } from "../support/revisions.js";
import { sharedFolder } from "../support/temporary-folder.js";
import { type Figures, comparable, figuresOf, figuresTable, judged } from "./judge.js";
import { memberTrials } from "./members.js";
import { methodTrials } from "./methods.js";
import { type Trial, next, pin } from "./trial.js";
import { conversationsWith, typeErrorsWith, workspaceOf } from "./workspace.js";

/** The conversations with the revisions that are released. */
const before = conversationsWith("generated");

/** Keys of a tour that a trial leaves as they are. */
function kept(brought: Readonly<Record<string, unknown>>, { without = [] }: Trial): Record<string, unknown> {
  return Object.fromEntries(Object.entries(brought).filter(([key]) => !without.includes(key)));
}

const figures = new Map<string, Figures>();
afterAll(() => {
  if (figures.size > 0) console.log(figuresTable(figures));
});

const compiled = sharedFolder();

describe.each([...memberTrials, ...methodTrials])("$name", (trial) => {
  const folder = sharedFolder();
  let workspace: ReturnType<typeof workspaceOf> | undefined;
  const made = async () => {
    const { upgraded, generated, document } = await (workspace ??= workspaceOf(trial, folder));
    expect(upgraded).toMatchObject({ code: 0 });
    expect(generated).toMatchObject({ code: 0 });
    return { document, conversations: await conversationsWith(`${folder}/generated`) };
  };
  let conversations: ReturnType<typeof made> | undefined;
  const trialled = () => (conversations ??= made());

  test("peers of released revisions receive and send the same messages as before", async () => {
    const { conversations } = await trialled();
    for (const old of await before) {
      const now = conversations.find(({ revision }) => revision === old.revision)!;
      expect(now.failed).toEqual(old.failed);
      expect(comparable(now)).toEqual(comparable(old));
      const { invalid } = judged(now, documentOf(now.revision));
      expect(invalid).toEqual(judged(old, documentOf(old.revision)).invalid);
    }
  });

  test("every sent message matches the new revision", async () => {
    const { document, conversations } = await trialled();
    const now = conversations.find(({ revision }) => revision === next)!;
    const { invalid, answered } = judged(now, document);
    expect(invalid).toEqual([]);
    expect(answered.filter((exchange) => !trial.seen(exchange))).toEqual([]);
  });

  test("no program changes: packages and examples compile against the new output", async () => {
    await trialled();
    expect(await typeErrorsWith(`${folder}/generated`, compiled)).toEqual([]);
  });

  test("most calls are served, and losses are named", async () => {
    const { document, conversations } = await trialled();
    const now = conversations.find(({ revision }) => revision === next)!;
    const old = (await before).find(({ revision }) => revision === pin)!;
    const made = figuresOf(judged(old, documentOf(pin)), judged(now, document), now, document);
    figures.set(trial.name, made);
    expect(made.calls).toBeGreaterThan(20);
    // If methods differ, the report of `upgrade` names those that need code.
    if (trial.of === "members") expect(made.served / made.calls).toBeGreaterThanOrEqual(0.95);
    for (const { method, how } of now.losses) expect([method, how]).not.toContain("");
  });

  // If methods differ, calls that both revisions have may need code.
  if (trial.of === "methods") return;

  test("the client of the new revision is served", async () => {
    const { conversations } = await trialled();
    const now = conversations.find(({ revision }) => revision === next)!;
    expect(now.failed).toEqual([]);
    expect(now.met).toEqual((await before).find(({ revision }) => revision === pin)!.met);
    expect(kept(now.brought, trial)).toEqual(kept({ ...expectedTour(pin) }, trial));
    const unmeant = now.losses.filter(
      ({ pointer, how }) => !(trial.losses ?? []).some((loss) => loss.test(`${pointer} ${how}`)),
    );
    expect(unmeant).toEqual([]);
  });
});

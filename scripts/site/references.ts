import { posix } from "node:path";
import { documentedSource } from "../../generator/command/docs.js";
import type { CommandContext } from "../../generator/command/command.js";
import { Console } from "../../generator/command/console.js";
import { policyOf } from "../../generator/command/diff/policies.js";
import { compareSources } from "../../generator/command/diff/report.js";
import { loadSources } from "../../generator/command/diff/source.js";
import { parseCommandLine, readSettings } from "../../generator/command/main.js";
import { openProject } from "../../generator/command/project.js";
import { Trust } from "../../generator/command/trust/trust.js";
import { applyApprovals } from "../../generator/diff/policy/approvals.js";
import type { Report } from "../../generator/diff/report/report.js";
import { extensionKey, storedExtensions } from "../../generator/extension/extension-store.js";
import type { Reading } from "../../generator/page/reading.js";
import { reportReading } from "../../generator/page/report/reading.js";
import { readLock } from "../../generator/revision/lock.js";

/** A page that shows a reference or a report of differences. */
export interface ReadingPage {
  readonly page: string;
  /** The name of the page in lists of pages. */
  readonly label: string;
  readonly reading: Reading;
}

/** The references and differences of the stored schemas. */
export interface References {
  /** The references of the revisions, the oldest first. */
  readonly revisions: readonly (ReadingPage & { readonly revision: string })[];
  readonly extensions: readonly ReadingPage[];
  /** The reports between each revision and the one before it. */
  readonly differences: readonly (ReadingPage & { readonly report: Report })[];
}

/**
 * Reads, for each revision and extension, the content that `mcpgen docs` and `mcpgen diff --format html`
 * print, before it becomes HTML.
 */
export async function readReferences(root: string): Promise<References> {
  const schemaDir = posix.join(root, "schema");
  const revisions = [...readLock(schemaDir).keys()];
  const extensions = storedExtensions(schemaDir).map(extensionKey);
  const reference = async (name: string): Promise<ReadingPage> => {
    const documented = await documentedSource(...(await commandOf(root, ["docs", name])));
    return { page: `reference/${documented.name}.html`, label: name, reading: documented.reading };
  };
  const [ofRevisions, ofExtensions, differences] = [
    await inTurn(revisions, async (revision) => ({ ...(await reference(revision)), revision })),
    await inTurn(extensions, reference),
    await inTurn(revisions.slice(1), (next, index) => difference(root, revisions[index]!, next)),
  ];
  return { revisions: ofRevisions, extensions: ofExtensions, differences };
}

async function difference(
  root: string,
  from: string,
  to: string,
): Promise<References["differences"][number]> {
  const report = await reportBetween(root, from, to);
  return {
    ...{ page: `changes/${from}-to-${to}.html`, label: `${from} → ${to}` },
    ...{ reading: reportReading(report), report },
  };
}

/** Returns the report of `mcpgen diff FROM TO`, without approvals. */
export async function reportBetween(root: string, from: string, to: string): Promise<Report> {
  const [args, project, context] = await commandOf(root, ["diff", from, to]);
  const [old, next] = await loadSources([from, to], project, context);
  return compareSources(old, next, {
    policy: policyOf(args, project),
    ...{ role: "both", baseline: new Set() },
    // The output must not depend on the day: approvals, which expire, are left out.
    approvalsOf: (differences) => applyApprovals(differences, [], ""),
  }).report;
}

type Command = Parameters<typeof documentedSource>;

async function commandOf(root: string, words: readonly string[]): Promise<Command> {
  const silent = { write: () => true };
  const console = new Console(readSettings(words), { stdout: silent, stderr: silent, env: {} });
  const nothing = (async function* () {})();
  const selection = await parseCommandLine(words, "", () => undefined);
  const surrounding = { console, directory: root, env: {} };
  const trust = new Trust(surrounding, selection!.args);
  const context: CommandContext = { ...surrounding, words, stdin: nothing, trust };
  return [selection!.args, await openProject(selection!.args, context), context];
}

async function inTurn<Item, Value>(
  items: readonly Item[],
  make: (item: Item, index: number) => Promise<Value>,
): Promise<Value[]> {
  const made: Value[] = [];
  for (const [index, item] of items.entries()) made.push(await make(item, index));
  return made;
}

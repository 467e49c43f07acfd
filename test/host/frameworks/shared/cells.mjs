import { isDeepStrictEqual } from "node:util";
import { until } from "../../../support/until.mjs";
import { TestedServer } from "./server.mjs";
import { find, open } from "./session.mjs";
import { steps, tools } from "./tools.mjs";

/** Milliseconds after which a call counts as unanswered. Calls that are answered take less than a second. */
const maxWait = 30_000;

/** The columns, in the order in which they are tried. */
export const columns = ["list", "schema", "call", "structured", "elicit", "progress", "cancel", "restart"];

const isNamed = (wanted) => (tool) => tool.name === wanted;
/** Whether a column is about this tool alone. */
const hasColumn = ({ name, asks, outputSchema }) =>
  asks || outputSchema || name === "count" || name === "wait";

/**
 * Tries a framework with a server: `{ cells, revision }`, with the revision that it chose, and a cell for each column,
 * `{ works, parts }`. `works` is `true`, `false`, or `undefined` where the framework lacks it; `parts` are the reasons by
 * tool, where something failed or changed.
 */
export async function tried(framework, serverName, transport) {
  const lacks = framework.lacks[transport];
  if (lacks)
    return {
      cells: Object.fromEntries(columns.map((column) => [column, { parts: { [transport]: lacks } }])),
    };
  const server = new TestedServer(serverName, transport);
  const cells = {};
  let session;
  let revision;
  try {
    const target = await server.target();
    session = await bounded(open(framework, target));
    const offered = await bounded(session.list());
    for (const column of columns)
      cells[column] = await cellOf(column, { framework, server, session, offered, target });
  } catch (error) {
    for (const column of columns) cells[column] ??= cell({ connect: reason(error) });
  } finally {
    await bounded(session?.close()).catch(() => {});
    revision = server.revision || undefined;
    await server.close();
  }
  return { cells, revision };
}

async function cellOf(column, trial) {
  const lacks = trial.framework.lacks[column];
  if (lacks) return { parts: { [column]: lacks } };
  if (column === "restart" && !trial.target.url)
    return { parts: { restart: "the host starts this server itself" } };
  try {
    const reasons = await judges[column](trial);
    // A schema that is rewritten can be used.
    return cell(reasons, column === "schema" ? "partly" : false);
  } catch (error) {
    return cell({ [column]: reason(error) });
  }
}

/** Each returns the reasons why a part fails; `undefined` or `false` says that it works. */
const judges = {
  list: ({ offered }) =>
    entries(tools, ({ name }) => find(name, offered) === undefined && "it is not offered"),
  schema: ({ offered }) =>
    entries(
      tools.filter(({ name }) => find(name, offered)),
      ({ name, inputSchema }) => differences(inputSchema, find(name, offered).schema).join(", "),
    ),
  call: ({ session }) => calls(session, (tool) => !hasColumn(tool)),
  structured: ({ session }) => calls(session, ({ outputSchema }) => outputSchema),
  elicit: ({ session }) => calls(session, ({ asks }) => asks),
  async progress({ session, server }) {
    const { reports } = session;
    const answer = calls(session, isNamed("count"));
    await Promise.race([answer, until("reports", () => reports.length >= steps, 5, maxWait).catch(() => {})]);
    server.endCount();
    return { reports: reports.length < steps && `${reports.length} of ${steps} came`, ...(await answer) };
  },
  async cancel({ session, server }) {
    const controller = new AbortController();
    const call = session.call("wait", {}, controller.signal).catch(() => {});
    await Promise.race([until("the call began", () => server.has("begun"), 5, maxWait), call]);
    controller.abort();
    const isHeard = until("cancelled", () => server.has("cancelled"), 5, maxWait / 3);
    return {
      cancel: await isHeard.then(
        () => false,
        () => "the server hears nothing of it",
      ),
    };
  },
  /** In a new session, which no cancelled call has touched. */
  async restart({ framework, server, target }) {
    const session = await bounded(open(framework, target));
    const echo = async () => (await calls(session, isNamed("echo"))).echo;
    try {
      const before = await echo();
      if (before) throw new Error(before);
      await server.restart();
      return { "first call": await echo(), "second call": await echo() };
    } finally {
      await bounded(session.close()).catch(() => {});
    }
  },
};

/** Calls the tools that `isWanted` selects, one after the other. */
async function calls(session, isWanted) {
  const failed = {};
  for (const { name, example, shows } of tools.filter(isWanted))
    try {
      const result = JSON.stringify(await bounded(session.call(name, example)));
      const lost = shows.filter((each) => !result.includes(each));
      failed[name] = lost.length > 0 && reason(`${JSON.stringify(lost[0])} is missing in ${result}`);
    } catch (error) {
      failed[name] = reason(error);
    }
  return failed;
}

function entries(list, reasonOf) {
  return Object.fromEntries(list.map((each) => [each.name, reasonOf(each)]));
}

/**
 * @param reasons by part
 * @param worst `works` if all parts fail; it is `"partly"` if some do
 */
function cell(reasons, worst = false) {
  const parts = Object.fromEntries(Object.entries(reasons).filter(([, reason]) => reason));
  const failed = Object.keys(parts).length;
  if (failed === 0) return { works: true };
  return { works: failed < Object.keys(reasons).length ? "partly" : worst, parts };
}

/** The places where a schema that the model gets is another than the listed one, as JSON Pointers. */
function differences(listed, offered, at = "") {
  if (isDeepStrictEqual(listed, offered)) return [];
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(listed) || !isObject(offered)) {
    if (offered === undefined) return [`-${at}`];
    return [listed === undefined ? `+${at}` : `~${at}`];
  }
  const keys = new Set([...Object.keys(listed), ...Object.keys(offered)]);
  return [...keys].flatMap((key) => differences(listed[key], offered[key], `${at}/${key}`));
}

function reason(error) {
  const text = error instanceof Error ? error.message : String(error);
  return (
    text
      .split("\n")[0]
      .replaceAll(/127\.0\.0\.1:\d+/g, "…")
      .slice(0, 200) || "it failed without a word"
  );
}

async function bounded(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer")), maxWait);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

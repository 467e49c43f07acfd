import { type Share, createBridge } from "@mcpgen/bridge";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Server, type Source, connect } from "@mcpgen/runtime";
import { expect, onTestFinished, test } from "vitest";
import { cases } from "../../support/cases.mjs";
import { serverWith, sourceOf } from "../../support/served.js";

// Callers of one bridge get only the questions, logs and roots of the calls that they made.

const form = { type: "object", properties: { by: { type: "string" } } } as const;
/** Calls of each caller: five at a time. */
const rounds = cases(125, 5);

/** A server that asks, logs and reads roots in the name of its caller. */
function backOf(era: "legacy" | "modern"): Server {
  const speaks = serverRevisions.map(({ id }) => id).filter((id) => id < "2026" === (era === "legacy"));
  // All callers are one principal for it: the bridge.
  const state = { parking: { perPrincipal: 1000 } };
  const revisions = { known: serverRevisions, speaks };
  const back = serverWith({ revisions, state, capabilities: { logging: {} } });
  const input = { inputSchema: { type: "object", properties: { me: { type: "string" } } } } as const;
  back.tool("talk", input, async ({ me }, { ask, log }) => {
    log("info", me);
    const [answer, roots] = await Promise.all([
      ask.elicit("form", { message: me!, requestedSchema: form }),
      ask.roots("roots"),
    ]);
    log("info", me);
    return JSON.stringify([me, answer.content?.by, roots[0]?.uri]);
  });
  return back;
}

interface Tally {
  right: number;
  refused: number;
  wrong: unknown[];
}

/** A caller that makes calls, five at a time, and counts what came. */
async function call(source: Source, revision: string, me: string, tally: Tally): Promise<void> {
  const check = (what: string, text: unknown): void => {
    if (text !== me) tally.wrong.push([me, what, text]);
  };
  const client = await connect(source, {
    revisions: clientRevisions,
    revision,
    info: { name: me, version: "1" },
    logLevel: "info",
    onEvent: () => true,
    elicit: ({ message }) => {
      check("question", message);
      return { action: "accept", content: { by: me } };
    },
    roots: () => [{ uri: `file:///${me}` }],
    prepare: (made) => void made.on("notifications/message", ({ data }) => check("log", data)),
  });
  onTestFinished(() => client.close());
  const one = async (): Promise<void> => {
    const { content, isError } = await client
      .callTool("talk", { me })
      .catch(() => ({ content: [], isError: true }));
    const text = (content[0] as { text?: string } | undefined)?.text ?? "";
    if (isError === true) tally.refused++;
    else if (text === JSON.stringify([me, me, `file:///${me}`])) tally.right++;
    else tally.wrong.push([me, "result", text]);
  };
  for (let made = 0; made < rounds; made += 5)
    await Promise.all(Array.from({ length: Math.min(5, rounds - made) }, one));
}

const policies = (["auto", "principal", "session", "call"] as const).flatMap((share) =>
  (["client", "bridge"] as const).flatMap((identity) =>
    (["legacy", "modern"] as const).flatMap((era) =>
      (["stdio", "HTTP"] as const).map((wire) => [share, identity, era, wire] as const),
    ),
  ),
);

test.each(policies)(
  "share: %s, identity: %s, a %s server over %s",
  { timeout: 60_000 },
  async (share: Share, identity, era, wire) => {
    const back = backOf(era);
    const source = wire === "HTTP" ? await sourceOf(back, wire) : () => sourceOf(back, wire) as never;
    const bridge = await createBridge({ back: { source, share } }, { identity, onEvent: () => true });
    onTestFinished(() => bridge.close());
    const url = await sourceOf(bridge, "HTTP");
    const tally: Tally = { right: 0, refused: 0, wrong: [] };
    const callers = ["2025-11-25", "2026-07-28"].flatMap((revision) => [
      call(url, revision, `${revision} a`, tally),
      call(url, revision, `${revision} b`, tally),
      call(url, revision, `${revision} c`, tally),
      sourceOf(bridge, "stdio").then((pipe) => call(pipe, revision, `${revision} d`, tally)),
    ]);
    await Promise.all(callers);
    expect(tally.wrong).toEqual([]);
    expect(tally.right + tally.refused).toBe(8 * rounds);
    // A pipe that all share does not show whom a server of an earlier revision asks: those questions are refused.
    const isBlind = share === "principal" && era === "legacy" && wire === "stdio";
    if (!isBlind) expect(tally.refused).toBe(0);
  },
);

import { createBridge } from "@mcpgen/bridge";
import { clientRevisions } from "@mcpgen/protocol";
import { type Server, type Source, connect } from "@mcpgen/runtime";
import { expect, onTestFinished, test } from "vitest";
import { revisions } from "../support/revisions.js";
import { type Wire, sourceOf, wires } from "../support/served.js";
import { type Seen, features, outcomeOf, probe, user } from "./probe.js";

// Each feature through a bridge is as without it, for each revision and transport in front of it, and each era and transport behind.

async function seenThrough(server: Server, wire: Wire, revision: string): Promise<Seen> {
  const asked: unknown[] = [];
  const client = await connect(await sourceOf(server, wire), {
    revisions: clientRevisions,
    revision,
    onEvent: () => true,
    ...user(asked),
  });
  onTestFinished(() => client.close());
  return { client, asked };
}

async function bridgeTo(server: Server, wire: Wire): Promise<Server> {
  const source: Source =
    wire === "HTTP" ? await sourceOf(server, wire) : ((() => sourceOf(server, wire)) as Source);
  const bridge = await createBridge({ back: { source } }, { onEvent: () => true });
  onTestFinished(() => bridge.close());
  return bridge;
}

const cells = revisions.flatMap((revision) =>
  (["stdio", "HTTP"] as const).flatMap((front) =>
    (["legacy", "modern"] as const).flatMap((era) =>
      wires.map((back) => [revision, front, era, back] as const),
    ),
  ),
);

/** What no bridge can keep: the server decides by its own revision, and its revision cannot say it. */
const inherent: { readonly [feature: string]: (revision: string, era: "legacy" | "modern") => boolean } = {
  // Up to 2025-06-18 a JSON-RPC error, since then a result.
  "wrong arguments": (revision) => revision < "2025-11-25",
  // A client of 2026-07-28 cannot answer with an error: the call ends with it.
  "sampling that the user rejects": (revision, era) => revision < "2026" && era === "modern",
  // Servers send no such requests since 2026-07-28.
  "vendor request to the client": (revision, era) => revision < "2026" && era === "modern",
};

/** The questions that clients of a revision cannot declare: a server of 2026-07-28 refuses the call, an earlier one gives a result. */
function isUndeclared(name: string, revision: string): boolean {
  if (name === "a page" || name === "sampling with tools") return revision < "2025-11-25";
  return revision < "2025-06-18" && /form|rounds|at once|answer, then|that asks/.test(name);
}

/** A comparable outcome: without what the revision behind the bridge alone decides. */
function comparable(outcome: unknown, name: string, revision: string): unknown {
  const text = JSON.stringify(outcome)
    // The message of an unknown method names the revision, and up to 2025-11-25 no result says how long it is fresh.
    .replaceAll(/ at \d{4}-\d\d-\d\d/g, "")
    .replaceAll(/"ttlMs":\d+/g, '"ttlMs":0');
  return isUndeclared(name, revision)
    ? [...text.matchAll(/the client has not declared [\w. ]+/g)].map(String)
    : JSON.parse(text);
}

test("the probe has enough features", () => expect(Object.keys(features).length).toBeGreaterThanOrEqual(32));

test.each(cells)(
  "a client of %s over %s, a %s server over %s",
  { timeout: 60_000 },
  async (revision, front, era, back) => {
    const direct = await seenThrough(probe("all"), front, revision);
    const through = await seenThrough(await bridgeTo(probe(era), back), front, revision);
    const expected: { [feature: string]: unknown } = {};
    const found: { [feature: string]: unknown } = {};
    for (const [name, feature] of Object.entries(features)) {
      if (inherent[name]?.(revision, era)) continue;
      expected[name] = comparable(await outcomeOf(() => feature(direct)), name, revision);
      found[name] = comparable(await outcomeOf(() => feature(through)), name, revision);
    }
    expect(found).toEqual(expected);
  },
);

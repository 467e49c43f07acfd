// In random worlds of servers, issuers, configurations and environments, each secret arrives at its destination alone.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Authorizer } from "@mcpgen/runtime";
import {
  clientCredentials,
  enterprise,
  forgetLogin,
  memoryStore,
  oauth,
  workloadIdentity,
} from "../../runtime/auth/client.js";
import { HttpRequests } from "../../runtime/core/http/client/http-requests.js";
import { builtCli } from "../support/built-program.js";
import { cases, seed } from "../support/cases.mjs";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { Parties } from "./credentials/parties.js";
import { count, mostly, party, wirings } from "./credentials/wirings.js";

let parties: Parties;
beforeAll(async () => void (parties = await Parties.start(count)));
afterAll(() => parties.close());

/** Half of the worlds are programs, half are command lines; of these, one of 25 is a process. */
const worlds = cases(1000, 100);
const eachProcess = 25;

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

/** How a program is authorized. */
const flow = fc.record({
  kind: fc.constantFrom("public", "confidential", "client", "workload", "enterprise"),
  issuer: party,
  provider: party,
  /** Whether a public client names the issuer. */
  names: fc.boolean(),
  /** Whether the program takes the last issuer that a server lists. */
  chooses: mostly(fc.constant(false), fc.constant(true)),
});

/** An event in a program: a request to a party, new wiring, the end of all tokens, a logout. */
const steps = fc.array(
  fc.oneof(
    { arbitrary: fc.record({ send: party }), weight: 5 },
    { arbitrary: fc.record({ wire: wirings }), weight: 2 },
    { arbitrary: fc.constant({ expire: true }), weight: 2 },
    { arbitrary: fc.record({ forget: party }), weight: 1 },
  ),
  { minLength: 1, maxLength: 6 },
);

test("secrets of a program only arrive at their destinations", { timeout: 3_600_000 }, async () => {
  let arrivals = 0;
  await fc.assert(
    fc.asyncProperty(wirings, flow, steps, async (wired, given, happening) => {
      parties.reset(wired);
      const { issuer, provider, kind, names, chooses } = given;
      const url = parties.urls[issuer]!;
      // The user names only this issuer, or no issuer for some public clients.
      parties.isNamed = (each) => each === issuer && (kind !== "public" || names);
      const toIssuer = (at: number): boolean => parties.isEndpointOf(at, issuer, ["token", "revocation"]);
      const toProvider = (at: number): boolean => parties.isEndpointOf(at, provider, ["token"]);
      parties.asserted = toIssuer;
      const store = memoryStore();
      const chooseIssuer = chooses ? { chooseIssuer: (all: readonly string[]) => all.at(-1)! } : {};
      const common = { store, ...chooseIssuer };
      const client = { id: "app", secret: parties.secret("the secret of the client", toIssuer), issuer: url };
      const redirect = {
        uri: "http://127.0.0.1:4711/callback",
        receive: async (to: string) =>
          (await fetch(to, { redirect: "manual" })).headers.get("location") ?? "http://127.0.0.1:4711/none",
      };
      const loginOptions = {
        public: { ...(names && { issuer: url }) },
        confidential: { client },
      };
      const kinds: Record<typeof kind, () => Authorizer> = {
        public: () => oauth({ ...common, ...loginOptions.public, redirect }),
        confidential: () => oauth({ ...common, ...loginOptions.confidential, redirect }),
        client: () => clientCredentials({ ...common, ...client }),
        workload: () => {
          const assertion = (): string => parties.secret("the assertion of the platform", toIssuer);
          return workloadIdentity({ ...common, issuer: url, assertion });
        },
        enterprise: () =>
          enterprise({
            ...common,
            client,
            idp: parties.urls[provider]!,
            idToken: () => parties.secret("the ID token", toProvider),
            idpClient: { id: "idp", secret: parties.secret("the secret at the provider", toProvider) },
          }),
      };
      const authorizer = kinds[kind]();
      for (const step of happening) {
        if ("wire" in step) parties.wiring = step.wire;
        else if ("expire" in step) parties.expire();
        else if ("send" in step) await send(authorizer, parties.mcp(step.send));
        else if (kind === "public" || kind === "confidential")
          await forgetLogin(store, parties.mcp(step.forget), loginOptions[kind]).catch(() => undefined);
        expect(parties.misdirected()).toEqual([]);
      }
      arrivals += parties.arrivals;
      parties.arrivals = 0;
    }),
    { numRuns: worlds, seed },
  );
  // Not everything is refused.
  expect(arrivals).toBeGreaterThan(worlds / 2);
});

/** The variables of a user, by party where they name one. */
const variables = fc.record({
  token: fc.boolean(),
  server: maybe(party),
  issuer: mostly(party as fc.Arbitrary<number | undefined>, fc.constant(undefined)),
  secret: fc.boolean(),
  assertion: mostly(fc.constant(false), fc.constant(true), 2),
  platform: maybe(party),
  omit: mostly(fc.constant(false), fc.constant(true)),
  malformed: mostly(
    fc.constant<string | undefined>(undefined),
    fc.constantFrom(
      "MCPGEN_TOKEN",
      "MCPGEN_ISSUER",
      "MCPGEN_SERVER",
      "MCPGEN_CLIENT_SECRET",
      "MCPGEN_ASSERTION_FILE",
    ),
    10,
  ),
});

/** A command line, and the servers that the file of a host names. */
const command = fc.record({
  words: fc.constantFrom("list", "call", "diff", "lint", "capture"),
  sources: fc.tuple(party, party),
  /** Whether the command names each server by its entry in the file, or by its URL. */
  byName: fc.tuple(fc.boolean(), fc.boolean()),
  password: mostly(fc.constant(false), fc.constant(true)),
  header: mostly(fc.constant(false), fc.constant(true)),
  configured: fc.array(fc.boolean(), { minLength: count, maxLength: count }),
});

test("secrets of an environment only arrive at their destinations", { timeout: 3_600_000 }, async () => {
  const folder = temporaryFolder({});
  const assertionFile = join(folder, "assertion");
  let [arrivals, done] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      wirings,
      variables,
      command,
      async (wired, given, { words, sources, byName, ...asked }) => {
        parties.reset(wired);
        const { issuer } = given;
        const used = words === "diff" ? sources : sources.slice(0, 1);
        const typed = new Set(used.filter((_, index) => !byName[index]));
        // The only server of the command line, or the one that the variable names.
        const aim = given.server ?? (typed.size === 1 ? [...typed][0] : undefined);
        const toAim = (at: number): boolean => at === aim;
        const toIssuer = (at: number): boolean =>
          issuer !== undefined && parties.isEndpointOf(at, issuer, ["token"]);
        [parties.isNamed, parties.unbound, parties.asserted] = [(each) => each === issuer, toAim, toIssuer];
        const env: Record<string, string> = {
          HOME: join(folder, "home"),
          ...(given.token && { MCPGEN_TOKEN: parties.secret("MCPGEN_TOKEN", toAim) }),
          ...(given.server !== undefined && { MCPGEN_SERVER: parties.mcp(given.server) }),
          ...(issuer !== undefined && { MCPGEN_ISSUER: parties.urls[issuer]! }),
          ...(given.secret && {
            MCPGEN_CLIENT_ID: "app",
            MCPGEN_CLIENT_SECRET: parties.secret("MCPGEN_CLIENT_SECRET", toIssuer),
          }),
          ...(given.assertion && { MCPGEN_ASSERTION_FILE: assertionFile }),
          ...(given.platform !== undefined && {
            ACTIONS_ID_TOKEN_REQUEST_URL: `${parties.urls[given.platform]!}/identity`,
            ACTIONS_ID_TOKEN_REQUEST_TOKEN: parties.secret(
              "the token of the job",
              (at) => at === given.platform,
            ),
          }),
          ...(given.omit && issuer !== undefined && { MCPGEN_RESOURCE: "omit" }),
        };
        if (given.malformed !== undefined) env[given.malformed] = given.malformed.endsWith("N") ? " " : "";
        writeFileSync(assertionFile, parties.secret("the assertion of the platform", toIssuer));
        const servers = parties.urls.map((_, each): [string, object] => {
          const own = (at: number): boolean => at === each;
          const headers = { authorization: `Bearer ${parties.secret(`the header for ${each}`, own)}` };
          return [`server-${each}`, { url: parties.mcp(each), ...(asked.configured[each] && { headers }) }];
        });
        writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
        const shown = used.map((each, index) => {
          if (byName[index]) return `server-${each}`;
          if (!asked.password) return parties.mcp(each);
          const password = parties.secret(`the password for ${each}`, (at) => at === each);
          return parties.mcp(each).replace("//", `//user:${password}@`);
        });
        const header = asked.header
          ? ["--header", `x-api-key: ${parties.secret("--header", (at) => at === used[0])}`]
          : [];
        const more = { call: ["echo"], capture: ["--out", "-"], list: [], lint: [], diff: [] }[words];
        const args = [words, ...shown, ...more, ...header, "--timeout", "5"];
        const ran =
          done++ % eachProcess === 0
            ? await processOf(folder, args, env)
            : await mcpgen(folder, args, { env });
        expect(ran.code, ran.stderr).not.toBe(70);
        expect(parties.misdirected()).toEqual([]);
        arrivals += parties.arrivals;
        parties.arrivals = 0;
      },
    ),
    { numRuns: worlds, seed },
  );
  expect(arrivals).toBeGreaterThan(worlds / 10);
});

/** Sends one request as a connection does; refusals and errors do not matter. */
async function send(authorize: Authorizer, url: string): Promise<void> {
  const { signal } = new AbortController();
  const requests = new HttpRequests(url, { authorize }, false);
  await requests.send({ method: "POST", headers: {}, body: "{}", signal }).catch(() => undefined);
}

/** Runs the program itself. */
async function processOf(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: unknown; readonly stderr: string }> {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [builtCli(), ...args], {
    cwd,
    env: { ...(PATH !== undefined && { PATH }), ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, stderr };
}

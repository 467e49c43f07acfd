import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../../generator/command/commands.js";
import type { Contract } from "../../generator/contract/contract.js";
import hosts from "../../generator/host/hosts.json" with { type: "json" };
import { lintContract, lintRules } from "../../generator/lint/lint-contract.js";
import { type HostName, hostNames } from "../../generator/lint/host-rows.js";
import { effects, profiles } from "../../generator/lint/rule.js";
import { hostsPage } from "../../scripts/host-rows.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { cases } from "../support/host-cases.js";
import { corpus } from "../support/lint-corpus.js";

type Effect = keyof typeof effects;

interface Row {
  readonly rules?: { readonly [rule: string]: Effect };
  readonly olderRules?: { readonly [rule: string]: Effect | "nothing" };
  readonly evidence?: string;
}

/** The newest revision of servers that know the handshake alone. */
const legacy = "2025-11-25";

/** What a host does by rule: with servers of the newest revision, or with those of another. */
function rulesOf(host: HostName, revision?: string): { readonly [rule: string]: Effect } {
  const { rules = {}, olderRules = {} } = hosts[host] as Row;
  if (revision === undefined || revision >= hosts[host].revision.stdio) return rules;
  const all = Object.entries({ ...rules, ...olderRules });
  return Object.fromEntries(all.filter((each): each is [string, Effect] => each[1] !== "nothing"));
}
const isLost = (effect: Effect): boolean => ["drops-all", "drops", "fails"].includes(effect);

/** A contract with a tool that is fine for every model and every host, and the tools of the corpus. */
const contract: Contract = {
  name: "corpus",
  version: "1",
  tools: [{}, ...corpus].map((tool, index) => ({
    name: `tool_${index}`,
    description: "Does it.",
    inputSchema: { type: "object", properties: {} },
    ...tool,
  })),
};

test("docs/hosts.md is up to date (node scripts/run-ts.mjs scripts/hosts-page.ts)", () => {
  expect(readFileSync("docs/hosts.md", "utf8")).toBe(hostsPage());
});

test("the command line offers each host", () => {
  const { options } = commands.find(({ name }) => name === "lint")!;
  expect(options!["host"]!.choices).toEqual([...hostNames].sort());
});

test.each(hostNames)("the row of %s names rules of lint, models of lint and known effects", (host) => {
  const known = new Set(lintRules.map(({ id }) => id));
  const { rules = {}, olderRules = {} } = hosts[host] as Row;
  expect([...Object.keys(rules), ...Object.keys(olderRules)].filter((rule) => !known.has(rule))).toEqual([]);
  const all = [...Object.values(rules), ...Object.values(olderRules).filter((each) => each !== "nothing")];
  expect(all.filter((effect) => !Object.hasOwn(effects, effect))).toEqual([]);
  // Otherwise they are not older.
  expect(
    Object.entries(olderRules).filter(([rule, effect]) => (rules[rule] ?? "nothing") === effect),
  ).toEqual([]);
  expect(hosts[host].models.filter((model) => !profiles.includes(model as never))).toEqual([]);
});

const withServers = hostNames.flatMap((host) =>
  [undefined, legacy].map((revision) => [host, revision] as const),
);

test.each(withServers)(
  "for %s, lint reports the rules of its row alone, by their effects, with servers of %s",
  (host, revision) => {
    const everything = [revision, undefined].flatMap((each) =>
      lintContract(contract, [...profiles, ...hostNames], each),
    );
    const found = lintContract(contract, [host], revision);
    const shown = ({ rule, pointer }: (typeof found)[number]): string => `${rule.id} ${pointer}`;
    expect(new Set(everything.map(shown))).toEqual(new Set([...everything, ...found].map(shown)));
    for (const { rule, level, pointer, profiles: concerned, judges } of found) {
      const effect = rulesOf(host, revision)[rule.id]!;
      expect([rule.id, level, concerned]).toEqual([rule.id, isLost(effect) ? "error" : "warning", [host]]);
      expect(judges).toEqual([`${hosts[host].title} ${effects[effect].phrase}`]);
      if (effect !== "rewrites") continue;
      expect(pointer).not.toContain("/outputSchema");
      expect(rule.profiles.filter((model) => hosts[host].models.includes(model as never))).not.toEqual([]);
    }
    const lost = ({ rule }: (typeof everything)[number]): boolean =>
      isLost(rulesOf(host, revision)[rule.id] ?? "cuts");
    expect(new Set(found.filter(lost).map(shown))).toEqual(new Set(everything.filter(lost).map(shown)));
    expect(found.filter(({ tool }) => tool === "tool_0")).toEqual([]);
  },
);

/** Each host with a rule of each effect that a tool of the corpus breaks. */
const broken = hostNames.flatMap((host) =>
  Object.entries(rulesOf(host)).flatMap(([rule, effect], index, all) => {
    if (all.findIndex(([, other]) => other === effect) < index) return [];
    const tool = contract.tools!.find(({ name }) =>
      lintContract(contract, [host]).some((problem) => problem.rule.id === rule && problem.tool === name),
    );
    return tool ? [{ host, rule, effect, tool }] : [];
  }),
);

test("hosts concern tools of the corpus", () => expect(broken.length).toBeGreaterThan(0));

test.each(broken)(
  "lint --host $host says what it does: $effect ($rule)",
  async ({ host, rule, effect, tool }) => {
    const folder = temporaryFolder({ "c.json": JSON.stringify({ ...contract, tools: [tool] }) });
    const { code, stdout } = await mcpgen(folder, ["lint", "c.json", "--host", host]);
    expect(stdout).toContain(`(${rule}: ${hosts[host].title} ${effects[effect].phrase})`);
    expect(stdout).toContain(`for ${host}: `);
    expect([effect, code]).toEqual([effect, stdout.includes(": error MG6601") ? 1 : 0]);
    const both = await mcpgen(folder, ["lint", "c.json", "--host", host, "--profile", "strict", "--json"]);
    const { profiles: judged, problems } = JSON.parse(both.stdout) as {
      profiles: string[];
      problems: { rule: string; profiles: string[] }[];
    };
    expect(judged).toEqual(["strict", host]);
    expect(problems.filter((each) => each.rule === rule && each.profiles.includes(host))).not.toEqual([]);
    const explained = (await mcpgen(folder, ["explain", rule])).stdout.replace(/\s+/g, " ");
    expect(explained).toContain(`${hosts[host].title} ${effects[effect].phrase}`);
  },
);

interface Evidence {
  /** The cases of test/support/host-cases.ts with which the host did something. */
  readonly cases?: readonly Seen[];
  /** The same with a server that knows the handshake alone; absent if the host never does without. */
  readonly olderCases?: readonly Seen[];
}

interface Seen {
  readonly what: string;
  readonly effect: Effect;
  /** Rules that the tool violates as listed, and not as the host offers it. */
  readonly mended?: readonly string[];
}

const observed = hostNames.flatMap((host) => {
  const { evidence } = hosts[host] as Row;
  const { cases: seen, olderCases } =
    evidence === undefined ? {} : (JSON.parse(readFileSync(evidence, "utf8")) as Evidence);
  return [
    ...(seen === undefined ? [] : [[host, undefined, seen] as const]),
    ...(olderCases === undefined ? [] : [[host, legacy, olderCases] as const]),
  ];
});

test("hosts were observed, with servers of both eras if they speak both", () => {
  const ways = observed.map(([host, revision]) => [host, revision]);
  for (const host of hostNames) {
    expect(ways).toContainEqual([host, undefined]);
    if (hosts[host].revision.stdio > legacy) expect(ways).toContainEqual([host, legacy]);
  }
});

test("a host that does something else with older servers is said to do that", async () => {
  const host = hostNames.find((each) => "null-required" in ((hosts[each] as Row).olderRules ?? {}))!;
  const { title } = hosts[host];
  const tool = { name: "t", description: "Does it.", inputSchema: { type: "object", required: null } };
  const [newest, older] = [undefined, legacy].map((revision) =>
    lintContract({ name: "s", version: "1", tools: [tool] as never }, [host], revision)
      .filter(({ rule }) => rule.id === "null-required")
      .map(({ level, judges }) => [level, judges]),
  );
  expect(newest).toEqual([]);
  expect(older).toEqual([["error", [`${title} leaves all tools of the server out`]]]);
  const explained = (await mcpgen(temporaryFolder(), ["explain", "null-required"])).stdout.replace(
    /\s+/g,
    " ",
  );
  expect(explained).toContain(`${title} leaves all tools of the server out with servers up to ${legacy}`);
});

test.each(observed)(
  "%s, servers of %s: lint reports what the host did with each case, and nothing else",
  (host, revision, seen) => {
    const rules = rulesOf(host, revision);
    const tools = cases.map(({ tool }) => tool);
    const problems = lintContract({ name: "cases", version: "1", tools }, [host], revision);
    const effectOf = new Map(seen.map((each) => [each.what, each]));
    const isOfItsModels = (rule: string): boolean =>
      lintRules
        .find(({ id }) => id === rule)!
        .profiles.some((each) => (hosts[host].models as readonly string[]).includes(each));
    for (const { what, tool } of cases) {
      const { effect, mended = [] } = effectOf.get(what) ?? {};
      const of = problems.filter((each) => each.tool === tool.name);
      const said = of.map(({ rule }) => rules[rule.id]!);
      const isSeen = effect !== undefined && isLost(effect);
      expect([what, of.some(({ level }) => level === "error")]).toEqual([what, isSeen]);
      if (effect === "renames" || effect === "cuts") expect([what, said]).toEqual([what, [effect]]);
      if (isSeen || effect === "renames" || effect === "cuts") continue;
      // A rule that the host mends in some cases alone is not in its row.
      const meant = mended.filter((rule) => isOfItsModels(rule) && rules[rule] !== undefined);
      expect([what, new Set(of.map(({ rule }) => rule.id))]).toEqual([what, new Set(meant)]);
    }
  },
);

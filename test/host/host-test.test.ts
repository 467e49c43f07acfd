import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { serveHttp } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test } from "vitest";
import { testHost } from "../../generator/host/host-test.js";
import { type HostProgram, type HostServer, hostPrograms } from "../../generator/host/program.js";
import { commands } from "../../generator/command/commands.js";
import { listen } from "../support/listen.js";
import { runs } from "../support/processes.js";
import { builtProgram } from "../support/built-program.js";
import { serverWith } from "../support/served.js";
import { until } from "../support/until.mjs";

const file = builtProgram("test/host/programs/host.ts");

function hostWith(...more: string[]): HostProgram {
  return {
    name: "small",
    package: "small",
    program: "small",
    node: 20,
    start: (_, server, model) => ({
      files: { "settings.json": JSON.stringify({ model, server }) },
      env: { OWN: "1" },
      args: [file, ...more],
    }),
  };
}

const inputSchema = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  additionalProperties: false,
};
const listed = [
  { name: "weather", description: "The weather of a city.", inputSchema },
  { name: "no.letters", description: "Has a name that the host drops.", inputSchema },
];

async function served(): Promise<HostServer> {
  const server = serverWith();
  for (const { name, ...definition } of listed)
    server.tool(name, definition, ({ city }) => {
      if (city === "Atlantis") throw new Error("no such city");
      return `sunny in ${String(city)}`;
    });
  const { url, close } = await serveHttp(server, { port: 0 });
  onTestFinished(close);
  return { url, headers: {} };
}

test("the command line offers each host", () => {
  const { options } = commands.find(({ name }) => name === "host test")!;
  expect(options!["host"]!.choices).toEqual(Object.keys(hostPrograms));
});

test("shows which tools and results reach the model, and what the host did besides", async () => {
  const run = await testHost({
    program: hostWith(),
    file: process.execPath,
    server: await served(),
    listed,
    script: [
      { tool: "weather", arguments: { city: "Rome" } },
      { tool: "no.letters" },
      { tool: "weather", arguments: { city: "Atlantis" } },
    ],
  });
  expect(run.exitCode, run.output).toBe(0);
  const [weather, dropped] = run.tools;
  expect(weather!.offered!.name).toBe("mcp__tested__weather");
  expect(weather!.changes.map(({ rule }) => rule)).toEqual(["object-opened"]);
  expect(dropped).toEqual({ name: "no.letters", changes: [] });
  const [rome, lost, atlantis] = run.calls;
  expect(rome!.result).toContain("sunny in Rome");
  expect(rome!.milliseconds).toBeGreaterThan(0);
  expect(lost).toEqual({ tool: "no.letters" });
  expect(atlantis!.result).toContain("no such city");
  expect(run.others).toBe(0);
  expect(run.outside).toEqual(["example.com:443"]);
  // Nothing of this process but where programs are, and nothing stays.
  const [, variables] = /^variables: (.*)$/m.exec(run.output)!;
  const own = /^(?:CI|HOME|LANG|OWN|PATH|TERM|TMPDIR|XDG_CONFIG_HOME|(?:HTTPS?|ALL|NO)_PROXY)$/i;
  expect(variables!.split(" ").filter((name) => !own.test(name))).toEqual([]);
  const [, pid] = /^left behind: (\d+)$/m.exec(run.output)!;
  await until("the end of the process that was left behind", () => !runs(Number(pid)));
  expect(existsSync(/^home: (.*)$/m.exec(run.output)![1]!)).toBe(false);
});

test("a host that does not end is ended, with what it started", async () => {
  const ending = new AbortController();
  let left = "";
  const node = createServer(({ url }) => {
    left = url!.split("?")[1]!;
    ending.abort();
  });
  const port = await listen(node);
  const server = { url: `http://127.0.0.1:${port}/`, headers: {} };
  const { signal } = ending;
  const run = await testHost({
    program: hostWith("hang"),
    file: process.execPath,
    server,
    listed,
    script: [],
    signal,
  });
  expect(run.exitCode).toBeUndefined();
  await until("the end of the process that was left behind", () => !runs(Number(left)));
});

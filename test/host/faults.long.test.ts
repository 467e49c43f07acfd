import { expect, test } from "vitest";
import { testHost } from "../../generator/host/host-test.js";
import type { HostServer } from "../../generator/host/program.js";
import { builtProgram } from "../support/built-program.js";
import { hostWith, served } from "../support/small-host.js";

const echo = builtProgram("examples/echo/main.ts");

/** The servers, and a call of each. */
const wires = {
  stdio: {
    server: async (): Promise<HostServer> => ({ command: process.execPath, args: [echo], env: {} }),
    call: { tool: "echo", arguments: { message: "x" } },
  },
  http: { server: served, call: { tool: "weather", arguments: { city: "Rome" } } },
};

async function faultsOf(wire: keyof typeof wires, ...modes: string[]) {
  const { server, call } = wires[wire];
  const { faults } = await testHost({
    program: hostWith(...modes),
    file: process.execPath,
    server: await server(),
    listed: [{ name: call.tool, inputSchema: { type: "object" } }],
    script: [call],
    ...{ faults: true, slow: 50 },
  });
  return faults.map(({ call: met, next, ...more }) => ({ ...more, call: met.outcome, next: next.outcome }));
}

const eras = { old: ["old"], modern: [] };
const cases = (["stdio", "http"] as const).flatMap((wire) =>
  Object.entries(eras).map(([era, modes]) => [wire, era, modes] as const),
);

test.each(cases)("faults over %s in the %s era are made, and reported", async (wire, era, modes) => {
  const next = { next: "answered", isBack: true };
  const lost = { isMet: true, call: "error", ...next };
  const kept = { isMet: true, call: "answered", ...next };
  expect(await faultsOf(wire, "listen", ...modes)).toEqual([
    { fault: "restart", ...lost },
    // Only servers with sessions can lose one.
    ...(wire === "http" ? [{ fault: "session", ...kept, isMet: era === "old" }] : []),
    { fault: "slow", ...kept },
    { fault: "cut", ...lost },
    { fault: "list", ...kept, isListed: true, offered: [wires[wire].call.tool, "added_by_mcpgen"] },
  ]);
});

test("a report differs for a host that ends, and for one that does not listen", async () => {
  const faults = new Map((await faultsOf("stdio", "fragile")).map(({ fault, ...more }) => [fault, more]));
  const ended = { isMet: true, call: "host ended", next: "not offered", isBack: false };
  expect(faults.get("restart")).toEqual(ended);
  expect(faults.get("cut")).toEqual(ended);
  expect(faults.get("list")).toMatchObject({ isMet: false, isListed: false, offered: ["echo"] });
});

test.each(["stdio", "http"] as const)(
  "over %s, a changed list reaches a host that lists again",
  async (wire) => {
    const { tool } = wires[wire].call;
    const list = async (...modes: string[]) =>
      (await faultsOf(wire, ...modes)).find(({ fault }) => fault === "list");
    const added = "added_by_mcpgen";
    expect(await list("again")).toMatchObject({ isMet: true, isListed: true, offered: [tool, added] });
    // It hears of the change, and keeps the list that it has.
    expect(await list("listen", "deaf")).toMatchObject({ isMet: true, isListed: false, offered: [tool] });
  },
);

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { builtProgram } from "../../support/built-program.js";
import { inPseudoTerminal, terminalTest } from "../../support/pseudo-terminal.js";

const program = builtProgram("examples/echo/main.ts");

terminalTest("a server that is started by hand says that it waits, and how to call it", () => {
  const { code, shown } = inPseudoTerminal([process.execPath, program], ".", [["Waiting", "\x04"]]);
  expect(shown).toMatch(/Waiting for an MCP client\. Try: npx mcpgen list "stdio:node \S+\/main\.mjs"/);
  expect(code).toBe(0);
});

test("a server that a host starts says nothing", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { input: "", encoding: "utf8" });
  expect([status, stdout, stderr]).toEqual([0, "", ""]);
});

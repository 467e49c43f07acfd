import { expect, test } from "vitest";
import { builtProgram } from "../../support/built-program.js";
import { rawServer } from "./server-process.js";

const program = builtProgram("test/runtime/stdio/programs/tools.ts");

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
const call = (id: number, name: string): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});

test("every message on standard input is answered, even if input ends at once: `printf … | node server`", async () => {
  const server = rawServer(program, { DRAIN: "20000" });
  server.write(initialize, initialized, call(1, "work"), call(2, "work"));
  server.endInput();
  expect(await server.ended).toBe(0);
  expect(server.messages()).toMatchObject([
    { id: 0 },
    { id: 1, result: { content: [{ text: "worked" }] } },
    { id: 2, result: { content: [{ text: "worked" }] } },
  ]);
});

test("a call that does not end fails after `drain`, and the process exits", async () => {
  const server = rawServer(program, { DRAIN: "300" });
  server.write(initialize, initialized, call(1, "hang"), call(2, "work"));
  server.endInput();
  expect(await server.ended).toBe(0);
  const message = "not answered within 300 ms after the end of the input";
  expect(server.messages()).toMatchObject([
    { id: 0 },
    { id: 2 },
    { id: 1, error: { code: -32603, message } },
  ]);
});

test("a batch is sent although one of its calls does not end", async () => {
  const server = rawServer(program, { DRAIN: "300" });
  const params = { ...initialize.params, protocolVersion: "2025-03-26" };
  server.write({ ...initialize, params }, initialized, [call(1, "hang"), call(2, "work")]);
  server.endInput();
  expect(await server.ended).toBe(0);
  expect(server.messages()).toMatchObject([
    { id: 0 },
    [
      { id: 2, result: {} },
      { id: 1, error: { code: -32603 } },
    ],
  ]);
});

test("the exception of a tool is printed with its stack on standard error, and not on standard output", async () => {
  const server = rawServer(program);
  server.write(initialize, initialized, call(1, "throw"), call(2, "throw a value without text"));
  expect(await server.answer(1)).toMatchObject({
    result: { isError: true, content: [{ text: "broken \u001b[2Jon purpose" }] },
  });
  expect(await server.answer(2)).toMatchObject({ result: { isError: true } });
  server.endInput();
  expect(await server.ended).toBe(0);
  expect(server.messages()).toHaveLength(3);
  expect(server.stderr()).toMatch(/^tools\/call "throw": Error: broken \\u001b\[2Jon purpose\n +at /);
  expect(server.stderr()).toMatch(/\[cause\]: TypeError: deeper\n +at /);
  expect(server.stderr()).toContain(
    'tools/call "throw a value without text": the value that was thrown has no text',
  );
});

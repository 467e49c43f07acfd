import { expect, test } from "vitest";
import { builtProgram } from "../../support/built-program.js";
import { until } from "../../support/until.mjs";
import { rawServer } from "./server-process.js";

const program = builtProgram("test/runtime/stdio/programs/server.ts");

/** A long grace, so that a busy machine does not cut the output off. */
const patient = { GRACE: "20000" };

test("only messages reach standard output; every print goes to standard error", async () => {
  const server = rawServer(program);
  server.write({ id: 1, method: "chat" }, { id: 2, method: "echo" });
  await server.answer(1);
  server.endInput();
  expect(await server.ended).toBe(0);
  expect(server.messages()).toEqual([
    { id: 2, result: 24 },
    { id: 1, result: "chatted" },
  ]);
  expect(server.stderr().split("\n")).toEqual([
    "printed at import",
    "written at import",
    "printed in a handler",
    "{ printed: 'as an object' }",
    "written in a handler",
    "written at the end",
    "printed in a timer",
    "closed in order",
    "",
  ]);
});

test("the end of the input ends the server with code 0, also during a call", async () => {
  const server = rawServer(program);
  server.write({ id: 1, method: "hang" }, { id: 2, method: "echo" });
  await server.answer(2);
  server.endInput();
  expect(await server.ended).toBe(0);
});

test("messages sent right before the end arrive whole", async () => {
  const server = rawServer(program, patient);
  server.write({ id: 1, method: "large", size: 5e6 });
  server.endInput();
  expect(await server.ended).toBe(0);
  expect(await server.answer(1)).toEqual({ id: 1, result: "x".repeat(5e6) });
});

test("a message sent before the server closes without a request arrives whole", async () => {
  const server = rawServer(program, patient);
  server.write({ id: 1, method: "stop", size: 5e6 });
  expect(await server.ended).toBe(0);
  expect(await server.answer(1)).toEqual({ id: 1, result: "x".repeat(5e6) });
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends the server in order", async (signal) => {
  const server = rawServer(program);
  server.write({ id: 1, method: "hang" }, { id: 2, method: "echo" });
  await server.answer(2);
  server.kill(signal);
  expect(await server.ended).toBe(0);
  expect(server.stderr()).toContain("closed in order");
});

test("the process exits after the grace, even if the session does not end", async () => {
  const server = rawServer(program, { STUCK: "1", GRACE: "50" });
  server.write({ id: 1, method: "echo" });
  await server.answer(1);
  server.endInput();
  expect(await server.ended).toBe(0);
});

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)("a second signal, %s, ends the server at once, with its code", async (second, code) => {
  const server = rawServer(program, { STUCK: "1", GRACE: "60000" });
  server.write({ id: 1, method: "hang" }, { id: 2, method: "echo" });
  await server.answer(2);
  server.kill("SIGTERM");
  // The output of the server shows that it handles the first signal.
  await until("closing", () => server.stderr().includes("closing"));
  server.kill(second);
  expect(await server.ended).toBe(code);
});

test("when the output is closed, the server ends with code 0 and does not crash", async () => {
  const server = rawServer(program);
  server.write({ id: 1, method: "echo" });
  await server.answer(1);
  server.closeOutput();
  server.write({ id: 2, method: "echo" });
  expect(await server.ended).toBe(0);
  expect(server.stderr()).toContain("closed cannot write to the other side: write EPIPE");
});

test("input in single bytes, with CRLF and split characters, and 10,000 messages in one chunk", async () => {
  const server = rawServer(program, patient);
  const first = JSON.stringify({ id: -1, method: "echo", text: "漢字 🙂" });
  for (const byte of Buffer.from(first + "\r\n\n")) await server.writeBytes(Uint8Array.of(byte));
  const many = Array.from({ length: 10_000 }, (_, id) => ({ id, method: "echo" }));
  server.write(...many);
  server.endInput();
  expect(await server.ended).toBe(0);
  const ids = server.messages().map((message) => (message as { id: number }).id);
  expect(ids).toEqual([-1, ...many.map(({ id }) => id)]);
  expect(await server.answer(-1)).toEqual({ id: -1, result: first.length });
});

test("11 MB in one line are refused once; the next message is answered", async () => {
  const server = rawServer(program);
  const large = JSON.stringify({ id: 1, method: "echo", text: "x".repeat(11e6) });
  void server.writeBytes(large + "\n");
  server.write({ id: 2, method: "echo" });
  await server.answer(2);
  server.endInput();
  expect(await server.ended).toBe(0);
  expect(server.messages()).toEqual([{ tooLong: 10 * 1024 * 1024 }, { id: 2, result: 24 }]);
});

test("a server that is faster than its reader stops reading: the queue is bounded, and every message arrives", async () => {
  const server = rawServer(program, patient);
  const requests = Array.from({ length: 20 }, (_, id) => ({ id, method: "large", size: 3e6 }));
  server.write(...requests, { id: 20, method: "peak" });
  server.endInput();
  const { result: peak } = await server.answer(20);
  expect(await server.ended).toBe(0);
  expect(server.messages()).toHaveLength(21);
  // 4 MiB may wait before a further message is read.
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThanOrEqual(4 * 1024 * 1024);
});

test("input that ends within a message does not crash the server", async () => {
  const server = rawServer(program);
  await server.writeBytes('{"id":1,"method":"echo"}');
  server.endInput();
  expect(await server.ended).toBe(0);
  expect(server.messages()).toEqual([{ id: 1, result: 24 }]);
});

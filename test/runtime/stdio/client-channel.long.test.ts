import { expect, onTestFinished, test } from "vitest";
import { stdioClientChannel, type StdioClientChannel } from "../../../runtime/core/stdio/client-channel.js";
import type { StdioClientOptions } from "../../../runtime/core/stdio/client-options.js";
import type { Command } from "../../../runtime/core/stdio/command.js";
import { builtProgram } from "../../support/built-program.js";
import { members } from "../../support/processes.js";
import { Recorder } from "../../support/recorder.js";
import { stopTime } from "../../support/stopped-time.js";
import { until } from "../../support/until.mjs";

const program = builtProgram("test/runtime/stdio/programs/server.ts");

/** A channel that is closed when the test ends, and the events that it reports. */
function started(
  command: Command,
  options: StdioClientOptions = {},
): { readonly channel: StdioClientChannel; readonly recorder: Recorder } {
  const channel = stdioClientChannel(command, options);
  onTestFinished(() => channel.close());
  return { channel, recorder: new Recorder(channel) };
}

/** Options for servers that only end by force. */
const impatient: StdioClientOptions = { inputGrace: 50, terminateGrace: 50 };

/** A server as a script: cheaper to start than Node. */
const shell = (script: string): Command => ["/bin/sh", "-c", script];

/** The script's standard input given back. */
const echo = "exec cat";

test("messages go to the server and back; close ends it in order", async () => {
  const { channel, recorder } = started(shell(echo));
  channel.send('{"id":1}');
  channel.send('{"id":"ä"}');
  await recorder.until(() => recorder.texts.length === 2);
  expect(recorder.texts).toEqual(['{"id":1}', '{"id":"ä"}']);
  await channel.close();
  expect(await channel.exited).toEqual({ exitCode: 0, signal: null });
  expect(recorder.closings).toEqual([undefined]);
  expect(members(channel.pid!)).toEqual([]);
});

test("arguments arrive unchanged, without a shell", async () => {
  const words = ["a b", "$HOME", "`id`", "; exit 1", "*", '"', "'", "\\", "%PATH%", "ä\n"];
  const print = "process.stdout.write(JSON.stringify(process.argv.slice(1)) + '\\n')";
  const { recorder } = started([process.execPath, "-e", print, "--", ...words]);
  await recorder.until(() => recorder.texts.length === 1);
  expect(JSON.parse(recorder.texts[0]!)).toEqual(words);
});

test("the server gets the safe variables and the added ones, and no others", async () => {
  process.env["MCPGEN_TEST_SECRET"] = "secret";
  onTestFinished(() => void delete process.env["MCPGEN_TEST_SECRET"]);
  const print = shell('echo "$PATH|$MCPGEN_TEST_SECRET|$ADDED|$PWD"');
  const safe = started(print, { env: { ADDED: "added" }, cwd: "/" });
  await safe.recorder.until(() => safe.recorder.texts.length === 1);
  expect(safe.recorder.texts).toEqual([`${process.env["PATH"]}||added|/`]);
  const all = started(print, { inheritEnv: "all" });
  await all.recorder.until(() => all.recorder.texts.length === 1);
  expect(all.recorder.texts[0]).toContain("|secret||");
});

test("a server that exits: its last messages, then a typed error with exit code and standard error", async () => {
  stopTime();
  const { channel, recorder } = started(shell("echo '{}'; echo warning >&2; echo 'no such key' >&2; exit 3"));
  const reason = await recorder.reason();
  expect(recorder.texts).toEqual(["{}"]);
  expect(reason).toMatchObject({
    name: "McpError",
    code: "connection-closed",
    message: "the server exited with code 3; its last line on standard error: no such key",
    data: { exitCode: 3, signal: null, stderr: "warning\nno such key\n" },
  });
  expect(await channel.exited).toEqual({ exitCode: 3, signal: null });
  channel.send("ignored");
  await channel.close();
  expect(recorder.closings).toHaveLength(1);
});

test("the error of a killed server names the signal", async () => {
  stopTime();
  const { channel, recorder } = started(shell(echo));
  process.kill(channel.pid!, "SIGKILL");
  expect(await recorder.reason()).toMatchObject({
    code: "connection-closed",
    message: "the server was ended by SIGKILL",
    data: { exitCode: null, signal: "SIGKILL" },
  });
});

test.each([
  ["a program that is not there", ["/no/such/program"], {}, "no such program"],
  ["a file that is not executable", [import.meta.filename], {}, "it is not executable (EACCES)"],
  ["a working directory that is not there", ["/bin/sh"], { cwd: "/no/such/folder" }, "working directory"],
  ["an argument that no system can pass", ["/bin/sh", "a\0b"], {}, "null bytes"],
] as const)("%s: a typed error, and nothing else happens", async (_, command, options, words) => {
  const { channel, recorder } = started(command as unknown as Command, options);
  expect(channel.pid).toBeUndefined();
  channel.send("{}");
  expect(await recorder.reason()).toMatchObject({
    code: "spawn-failed",
    message: expect.stringContaining(words) as string,
    data: { command },
  });
  expect((await channel.exited).error).toBeInstanceOf(Error);
  await channel.close();
  expect(recorder.closings).toHaveLength(1);
});

test("a server that closes its output counts as ended, even if it continues to run", async () => {
  const { channel, recorder } = started(shell("exec >&-; exec sleep 60"), impatient);
  expect(await recorder.reason()).toMatchObject({
    code: "connection-closed",
    message: "the server has closed its output",
  });
  await channel.exited;
  await until("the process is gone", () => members(channel.pid!).length === 0);
});

test("a server that closes its input also counts as ended", async () => {
  const { channel, recorder } = started(shell("exec <&-; echo '{}'; exec sleep 60"), impatient);
  await recorder.until(() => recorder.texts.length === 1);
  channel.send("{}");
  expect(await recorder.reason()).toMatchObject({
    code: "connection-closed",
    message: "the server no longer reads its input",
  });
});

test("after a crash the same call starts a new server", async () => {
  const command = shell("read line; exit 1");
  const first = started(command);
  first.channel.send("{}");
  await first.recorder.reason();
  const second = started(command);
  expect(second.channel.pid).not.toBe(first.channel.pid);
  expect(second.recorder.closings).toEqual([]);
});

const wait = "echo ready; while :; do sleep 0.01; done";

test.each([
  ["ends at the end of its input", "echo ready; cat; echo end >&2", "end", []],
  ["ends at SIGTERM", `trap 'echo term >&2; exit' TERM; ${wait}`, "term", [50]],
  ["ignores both", `trap 'echo term >&2' TERM; ${wait}`, "term", [50, 300]],
])("close of a server that %s", async (_, script, printed, graces) => {
  let said = "";
  const [inputGrace, terminateGrace] = graces;
  const options = { inputGrace, terminateGrace, stderr: (text: string) => (said += text) };
  const { channel, recorder } = started(shell(script), options);
  await recorder.until(() => recorder.texts.length === 1);
  const pass = stopTime();
  const closing = channel.close();
  if (inputGrace !== undefined) await pass(inputGrace);
  // The shell also reports its children that were terminated.
  await until(printed, () => said.split("\n").includes(printed));
  if (terminateGrace !== undefined) await pass(terminateGrace);
  await closing;
  expect(recorder.closings).toEqual([undefined]);
  expect(members(channel.pid!)).toEqual([]);
});

/** Children and grandchildren that end only by SIGKILL, and do not have the pipes open. */
const family = `
  sh -c 'trap "" TERM; sh -c "trap \\"\\" TERM; sleep 60; true" </dev/null >/dev/null 2>&1; true' </dev/null >/dev/null 2>&1 &
`;

test("close ends grandchildren and great-grandchildren, also those that ignore SIGTERM", async () => {
  const { channel } = started(shell(`${family} wait`), impatient);
  await until("the family is there", () => members(channel.pid!).length === 4);
  const pass = stopTime();
  const closing = channel.close();
  await pass(50);
  await pass(50);
  await closing;
  expect(members(channel.pid!)).toEqual([]);
});

test("descendants of a server that exited are ended, too", async () => {
  const { channel, recorder } = started(shell(`${family} read line`), impatient);
  await until("the family is there", () => members(channel.pid!).length === 4);
  channel.send("{}");
  await recorder.reason();
  await until("the family is gone", () => members(channel.pid!).length === 0);
});

test.each(["", ">/dev/null", "2>/dev/null"])(
  "a process that holds the pipes (%s) after the server has ended does not hold up the end",
  async (redirected) => {
    const script = `trap '' TERM; sleep 60 ${redirected} & exit 7`;
    const { channel, recorder } = started(shell(script), { terminateGrace: 1500 });
    expect(await recorder.reason()).toMatchObject({ data: { exitCode: 7 } });
    await channel.close();
    await until("the process is gone", () => members(channel.pid!).length === 0);
  },
);

test("1 MB on standard error does not delay an answer; its end is kept", async () => {
  const { channel, recorder } = started([process.execPath, program]);
  channel.send(JSON.stringify({ id: 1, method: "stderr", size: 1e6 }));
  await recorder.until(() => recorder.texts.length === 1);
  channel.send(JSON.stringify({ id: 2, method: "crash" }));
  const reason = (await recorder.reason()) as Error & { data: { stderr: string } };
  expect(reason.data.stderr).toHaveLength(8192);
  expect(reason.data.stderr.startsWith("eee")).toBe(true);
  expect(reason.data.stderr.slice(-1000)).toContain("crashed on request");
});

test.each([
  ["inherit", "kept\n"],
  ["ignore", ""],
] as const)("standard error: %s", async (stderr, kept) => {
  const write = process.stderr.write.bind(process.stderr);
  const shown: string[] = [];
  process.stderr.write = (text: string | Uint8Array) =>
    shown.push(Buffer.from(text as string).toString()) > 0;
  onTestFinished(() => void (process.stderr.write = write));
  const { recorder } = started(shell("echo kept >&2; exit 1"), { stderr });
  expect(await recorder.reason()).toMatchObject({ data: { stderr: kept } });
  expect(shown.join("")).toBe(kept);
});

test("messages of a server that does not read are still read", async () => {
  const { channel, recorder } = started(
    shell("i=0; while [ $i -lt 100 ]; do echo $i; i=$((i+1)); done; exec sleep 60"),
    impatient,
  );
  for (let sent = 0; sent < 100; sent++) channel.send("x".repeat(100_000));
  await recorder.until(() => recorder.texts.length === 100);
  const pass = stopTime();
  const closing = channel.close();
  await pass(50);
  await closing;
  expect(members(channel.pid!)).toEqual([]);
});

test("a message that is too long is dropped and reported; the connection lives", async () => {
  const { channel, recorder } = started(shell(echo), { limit: 1000 });
  channel.send("x".repeat(1001));
  channel.send("next");
  await recorder.until(() => recorder.texts.length === 1);
  expect(recorder.limits).toEqual([1000]);
  expect(recorder.texts).toEqual(["next"]);
});

test("closing early or twice leaves no process behind", async () => {
  const { channel, recorder } = started(shell(echo));
  await Promise.all([channel.close(), channel.close()]);
  expect(recorder.closings).toEqual([undefined]);
  expect(members(channel.pid!)).toEqual([]);
});

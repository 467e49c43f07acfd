import { expect, onTestFinished, test, vi } from "vitest";
import type { Channel, LiveClient, Receiver, Runtime } from "../../generator/capture/runtime.js";
import { StrayOutput } from "../../generator/capture/server-link.js";
import { withRuntime } from "../../generator/capture/with-server.js";
import type { CodedError } from "../../generator/diagnostics/coded-error.js";

interface Opened {
  readonly options: { readonly inputGrace?: number; readonly terminateGrace?: number };
  /** The grace that the process got, for each request to end it. */
  readonly graces: (number | undefined)[];
}

/** A runtime whose servers end at once, and the servers that it has started. `connect` is the test's own function. */
function runtimeThat(connect: Runtime["connect"]): [Runtime, Opened[]] {
  const opened: Opened[] = [];
  const runtime: Runtime = {
    connect,
    parseStdioSource: (source) => [source],
    stdioClientChannel: (_, options: Opened["options"]) => {
      const graces: (number | undefined)[] = [];
      let end: () => void = () => {};
      opened.push({ options, graces });
      return {
        pid: undefined,
        exited: new Promise<void>((resolve) => (end = resolve)),
        open: () => {},
        send: () => {},
        flush: () => {},
        close: async () => {
          graces.push(options.inputGrace, options.terminateGrace);
          end();
        },
      };
    },
    streamChannel: (): Channel => {
      throw new Error("there are no streams");
    },
    userRejected: () => new Error(),
    pageProblem: () => undefined,
    revisions: [{ id: "2030-01-01", era: "modern" }],
  };
  return [runtime, opened];
}

const opening = (source: unknown): Channel => (source as () => Channel)();
const client = (more: object = {}): LiveClient => ({ close: async () => {}, ...more }) as LiveClient;
const directory = process.cwd();

async function failure(ran: Promise<unknown>): Promise<string> {
  const { code, message } = (await ran.catch((error: unknown) => error)) as CodedError;
  return `${code} ${message}`;
}

test("a server that does not answer in time has little time to end, and is not started again", async () => {
  let again: unknown;
  const [runtime, opened] = runtimeThat((source) => {
    opening(source);
    again = source;
    return new Promise(() => {});
  });
  const ran = withRuntime(runtime, "stdio:x", { directory, timeout: 1 }, () => Promise.resolve());
  expect(await failure(ran)).toMatch(/^MG4103 .* within 1 ms$/);
  expect(opened.map(({ graces }) => graces)).toEqual([[300, 300]]);
  expect(() => opening(again)).toThrow(/is closed/);
});

test("a server that does not answer a request has little time to end; others have their usual time", async () => {
  const [runtime, opened] = runtimeThat((source) => (opening(source), Promise.resolve(client())));
  const late = Object.assign(new Error("too late"), { name: "McpError", code: "timeout" });
  const ran = withRuntime(runtime, "stdio:x", { directory }, () => Promise.reject(late));
  expect(await failure(ran)).toBe("MG4103 too late");
  expect(await withRuntime(runtime, "stdio:x", { directory }, () => Promise.resolve("done"))).toBe("done");
  expect(opened.map(({ graces }) => graces)).toEqual([
    [300, 300],
    [undefined, undefined],
  ]);
});

test.each([
  ["stdio:x", undefined, 1],
  // Without a probe, nothing shortens the wait.
  ["stdio:x", "2030-01-01", 0],
  ["http://127.0.0.1:1", undefined, 0],
])(
  "%s with the revision %s that is slow to answer is reported after 2 seconds: %i",
  async (source, revision, times) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    for (const [wait, calls] of [
      [1_999, 0],
      [2_001, times],
    ] as const) {
      const [runtime] = runtimeThat(
        () => new Promise((resolve) => setTimeout(() => resolve(client()), wait)),
      );
      const onSlow = vi.fn();
      const ran = withRuntime(runtime, source, { directory, revision, onSlow }, () =>
        Promise.resolve("done"),
      );
      await vi.advanceTimersByTimeAsync(10_000);
      expect([await ran, onSlow.mock.calls.length]).toEqual(["done", calls]);
    }
  },
);

test.each([
  [["ready"], 'a line that is not a message: "ready"'],
  [["", "ready", " ", '{"level":30}', "[INFO] up"], '3 lines that are not messages, the first: "ready"'],
  [["x".repeat(90)], `a line that is not a message: "${"x".repeat(79)}…"`],
])("a warning names lines on stdout that are not messages: %j", (lines, words) => {
  const stray = new StrayOutput();
  for (const line of ['{"jsonrpc":"2.0","id":1,"result":{}}', '[{"jsonrpc":"2.0"}]']) stray.line(line);
  expect(stray.words).toBeUndefined();
  for (const line of lines) stray.line(line);
  expect(stray.words).toBe(`on standard output the server printed ${words}`);
});

test("lines are counted for each start of a server: the last start that printed some is reported", async () => {
  const receivers: Receiver[] = [];
  const [runtime] = runtimeThat((source) => {
    for (const printed of [["a", "b"], ["c", "d"], []]) {
      opening(source).open({ message: () => {} } as unknown as Receiver);
      for (const line of printed) receivers.at(-1)!.message(line);
    }
    return Promise.resolve(client());
  });
  const watched: Runtime = {
    ...runtime,
    stdioClientChannel: (...start) => ({
      ...runtime.stdioClientChannel(...start),
      open: (receiver) => void receivers.push(receiver),
    }),
  };
  const heard: string[] = [];
  const onStray = (what: string) => heard.push(what);
  await withRuntime(watched, "stdio:x", { directory, onStray }, () => Promise.resolve());
  expect(heard).toEqual([
    'on standard output the server printed 2 lines that are not messages, the first: "c"',
  ]);
});

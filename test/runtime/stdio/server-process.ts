import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** A server program, and the output of its pipes. */
export interface RawServer {
  readonly pid: number;
  /** All messages so far. Throws if a line of standard output is not JSON. */
  messages(): unknown[];
  stderr(): string;
  write(...messages: readonly object[]): void;
  writeBytes(bytes: string | Uint8Array): Promise<void>;
  /** Resolves with the message that has this id. */
  answer(id: number): Promise<{ readonly result: unknown }>;
  endInput(): void;
  /** Closes our end of the server's standard output. */
  closeOutput(): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with exit code or signal when the process has ended and its output is read. */
  readonly ended: Promise<number | string>;
}

export function rawServer(program: string, env: Record<string, string> = {}): RawServer {
  const child = spawn(process.execPath, [program], { env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  let over = false;
  void ended.then(() => (over = true));
  const lines: string[] = [];
  let part: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    part.push(text);
    if (!text.includes("\n")) return;
    const whole = part.join("").split("\n");
    part = [whole.pop()!];
    lines.push(...whole);
    child.emit("lines");
  });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (printed += text));
  child.stdin.on("error", () => {});
  const parsed: unknown[] = [];
  const messages = (): unknown[] => {
    parsed.push(...lines.splice(0).map((line) => JSON.parse(line) as unknown));
    return parsed;
  };
  return {
    pid: child.pid!,
    messages,
    stderr: () => printed,
    write: (...texts) => void child.stdin.write(texts.map((text) => JSON.stringify(text) + "\n").join("")),
    writeBytes: (bytes) => new Promise((resolve) => child.stdin.write(bytes, () => resolve())),
    async answer(id) {
      for (;;) {
        const found = messages().find((message) => (message as { id?: number }).id === id);
        if (found !== undefined) return found as { result: unknown };
        if (over) throw new Error(`ended without an answer to ${id}: ${printed}`);
        await Promise.race([ended, once(child, "lines")]);
      }
    },
    endInput: () => void child.stdin.end(),
    closeOutput: () => void child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

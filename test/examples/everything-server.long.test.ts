import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../support/built-program.js";
import { listen } from "../support/listen.js";

const program = builtProgram("examples/everything-server/main.ts");

/** Runs a program to its end. */
function ended(program: string, ...args: string[]): Promise<{ code: unknown; text: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, text: stdout + stderr }),
    );
    onTestFinished(() => void child.kill());
  });
}

test("a port that is invalid, or in use, is reported in one line", async () => {
  const other = createServer();
  const port = await listen(other, "localhost");
  onTestFinished(() => void other.close());
  const [taken, none] = await Promise.all([ended(program, "--port", String(port)), ended(program, "--port")]);
  expect(taken).toEqual({
    code: 1,
    text: expect.stringMatching(
      new RegExp(`^cannot listen: .*:${port}\\. Give another port .*\n$`),
    ) as string,
  });
  expect(none).toEqual({ code: 1, text: "port: expected a whole number from 0 to 65535, got NaN.\n" });
});

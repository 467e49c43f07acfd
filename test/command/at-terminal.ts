import { PassThrough } from "node:stream";
import { type Ran, mcpgen } from "../support/in-process.js";

export const enter = "\r";
export const down = "\u001b[B";
export const ctrlC = "\u0003";

/** Keys to press when a text has appeared. */
export type Answer = readonly [question: string, keys: string];

/** Runs a command line at a terminal where keys are pressed at questions, in turn. */
export async function atTerminal(
  folder: string,
  args: readonly string[],
  answers: readonly Answer[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran & { readonly shown: string; readonly unasked: readonly Answer[] }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const left = [...answers];
  let shown = "";
  let seen = 0;
  output.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
    const [question, keys] = left[0] ?? [];
    const at = question === undefined ? -1 : shown.indexOf(question, seen);
    if (at < 0) return;
    seen = at + question!.length;
    left.shift();
    // A prompt listens to keys only after it has appeared.
    setImmediate(() => [...keys!.matchAll(/\u001b\[\w|[^]/gu)].forEach(([key]) => input.write(key)));
  });
  const ran = await mcpgen(folder, args, { terminal: { input, output }, env });
  return { ...ran, shown, unasked: left };
}

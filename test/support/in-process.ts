import { type Surrounding, main } from "../../generator/command/main.js";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process, in `directory`. */
export async function mcpgen(
  directory: string,
  args: readonly string[],
  more: Partial<Surrounding> = {},
): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  const code = await main(args, {
    directory,
    env: {},
    stdin: (async function* () {})(),
    stdout: { write: (text) => void (stdout += text) },
    stderr: { write: (text) => void (stderr += text) },
    ...more,
  });
  return { code, stdout, stderr };
}

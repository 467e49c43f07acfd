import { mcpgen } from "./in-process.js";

/**
 * Returns the environment variable by which a user in CI trusts the current configuration of a folder.
 *
 * @param words the command that needs the trust; default: the output of `mcpgen trust --print`
 */
export async function trustOf(
  folder: string,
  words?: readonly string[],
): Promise<{ readonly MCPGEN_TRUST: string }> {
  if (words === undefined) {
    const { stdout } = await mcpgen(folder, ["trust", "--print", "."]);
    return { MCPGEN_TRUST: stdout.trim() };
  }
  const { stdout } = await mcpgen(folder, [...words, "--json"]);
  const { error } = JSON.parse(stdout) as { readonly error?: { readonly trust?: { readonly hash: string } } };
  return { MCPGEN_TRUST: error?.trust?.hash ?? "" };
}

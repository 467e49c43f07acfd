import { mcpgen } from "./in-process.js";

/**
 * The variable by which a user in CI trusts the configuration of a folder as it is now.
 *
 * @param words the command that needs the trust; without it, what `mcpgen trust --print` prints
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

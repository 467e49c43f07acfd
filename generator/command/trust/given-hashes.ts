import { CodedError } from "../../diagnostics/coded-error.js";
import type { Arguments } from "../arguments.js";

/**
 * The hashes of trusted content that the command line (`--trust`) or the environment (MCPGEN_TRUST) names; several are separated
 * by commas. An empty variable names none.
 *
 * @throws CodedError MG2004 for what is no hash: no word trusts everything
 */
export function givenHashes(
  args: Arguments,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return [...hashesIn(args.string("trust"), "--trust"), ...hashesIn(env["MCPGEN_TRUST"], "MCPGEN_TRUST")];
}

function hashesIn(text: string | undefined, name: string): string[] {
  const hashes = (text ?? "").split(/[\s,]+/).filter((hash) => hash !== "");
  const wrong = hashes.find((hash) => !/^[\da-f]{64}$/.test(hash));
  if (wrong === undefined) return hashes;
  throw new CodedError(
    "MG2004",
    `expected ${name} to be a hash of 64 hexadecimal digits, got ${JSON.stringify(wrong)}`,
    {
      next: "`mcpgen trust --print` prints the hash of a folder.",
    },
  );
}

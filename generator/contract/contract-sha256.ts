import { sha256 } from "../files/sha256.js";
import type { Contract } from "./contract.js";

/**
 * sha256 of a contract's content, in hexadecimal. Comments, white space, quotes and the notation (JSON or YAML) do not
 * change it. The order of keys does: generated code and the server's lists keep that order.
 */
export function contractSha256(contract: Contract): string {
  return sha256(JSON.stringify(contract));
}

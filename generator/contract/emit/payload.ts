import type { EmittedFile } from "../../print/emitted-file.js";
import { jsonExpression } from "./json-expression.js";
import type { ContractInput } from "./input.js";

/** `contract.ts`: what the server lists, as the contract has it. */
export function emitPayload({ document, origin, render }: ContractInput): EmittedFile {
  return { content: render("contract-payload.ts", { origin, payload: jsonExpression(document.contract) }) };
}

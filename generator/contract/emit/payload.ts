import type { EmittedFile } from "../../print/emitted-file.js";
import { asListed } from "../tasks.js";
import { jsonExpression } from "./json-expression.js";
import type { ContractInput } from "./input.js";

/** `contract.ts`: what the server lists, as the contract has it, and what it does not list of tools. */
export function emitPayload({ document, origin, render }: ContractInput): EmittedFile {
  const { tools = [] } = document.contract;
  const tasks = tools.flatMap(({ name, task }) => (task ? [[name, { task }] as const] : []));
  const view = {
    origin,
    payload: jsonExpression(asListed(document.contract, false)),
    added: tasks.length > 0 && jsonExpression(Object.fromEntries(tasks)),
  };
  return { content: render("contract-payload.ts", view) };
}

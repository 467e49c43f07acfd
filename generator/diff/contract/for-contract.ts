import { type JsonValue, isJsonObject, pointerTokens } from "@mcpgen/engine";
import type { Finding } from "../finding.js";
import { heldBy } from "../walk/parts.js";
import type { Method, ProtocolModel } from "../../model/model.js";
import type { Contract } from "../../contract/contract.js";

/**
 * Selects the differences between two revisions that affect a server of this contract or its clients: those
 * of methods that need no capability or one of the contract's capabilities, and of definitions in their
 * messages. A contract does not list client capabilities, so methods that need one are always included.
 */
export function relevantTo(
  findings: readonly Finding[],
  models: readonly [ProtocolModel, ProtocolModel],
  contract: Contract,
): Finding[] {
  const used = new Set(
    models.flatMap(({ methods }) =>
      methods.filter((method) => isUsed(method, contract)).map(({ name }) => name),
    ),
  );
  const held = models.map((model) => heldBy(model, ({ name }) => used.has(name)));
  const isHeld = (definition: string): boolean => held.some((names) => names.has(definition));
  return findings.filter(({ subject, methods, rule }) => {
    if (methods.length > 0) return methods.some((name) => used.has(name));
    if ("method" in subject) return used.has(subject.method);
    // A definition outside of all messages affects no peer. A finding without a definition concerns the whole
    // file.
    return subject.definition === "" || rule.startsWith("error-") || isHeld(subject.definition);
  });
}

function isUsed({ capabilities }: Method, contract: Contract): boolean {
  return capabilities.every(({ of, path }) => of === "client" || has(contract, pointerTokens(path)));
}

/**
 * Whether the contract has a capability. A non-empty list implies its capability and, without `capabilities`,
 * also all sub-capabilities.
 */
function has(contract: Contract, [first = "", ...rest]: readonly string[]): boolean {
  const { capabilities, tools = [], prompts = [], resources = [], resourceTemplates = [] } = contract;
  const listed = new Map([
    ["tools", tools.length],
    ["prompts", prompts.length],
    ["resources", resources.length + resourceTemplates.length],
  ]);
  if ((listed.get(first) ?? 0) > 0 && (rest.length === 0 || capabilities === undefined)) return true;
  let value: JsonValue | undefined = capabilities;
  for (const key of [first, ...rest]) value = isJsonObject(value) ? value[key] : undefined;
  return value !== undefined && value !== false;
}

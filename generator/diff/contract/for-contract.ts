import { type JsonValue, isJsonObject, pointerTokens } from "@mcpgen/engine";
import type { Finding } from "../finding.js";
import { heldBy } from "../walk/parts.js";
import type { Method, ProtocolModel } from "../../model/model.js";
import type { Contract } from "../../contract/contract.js";

/**
 * Of the differences between two revisions those that a server of this contract, or a client of such a server, can
 * meet: of methods that no capability gates, or one that the contract has, and of definitions that these methods'
 * messages hold. What clients can do is not in a contract: methods that their capabilities gate all count.
 */
export function meetings(
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
    // What no message holds is met by nobody; what has no definition is of the whole file.
    return subject.definition === "" || rule.startsWith("error-") || isHeld(subject.definition);
  });
}

function isUsed({ capabilities }: Method, contract: Contract): boolean {
  return capabilities.every(({ of, path }) => of === "client" || has(contract, pointerTokens(path)));
}

/** A list that is not empty says that its capability is there; without any word of capabilities, with all it holds. */
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

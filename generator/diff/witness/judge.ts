import { type JsonValue, type SchemaNode, isJsonObject } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import type { Alternative, Method, ProtocolModel, Role } from "../../model/model.js";
import { opposite } from "../../model/model.js";
import { resultsOf } from "../../model/pairing.js";
import type { Context } from "../walk/context.js";
import type { Conjunction } from "../../compare/shape/form.js";
import { messageNodes, responseNodes } from "../walk/messages.js";
import { methodsByName } from "../walk/methods-by-name.js";

/** The schema of a message at a revision. */
export type Verdict = "valid" | "invalid" | "method not in table";

/**
 * How a reader distinguishes the results of a method: `any` accepts a value that fits one of them, `marked` checks the
 * mark of an alternative first. `marked` rejects everything that `any` rejects.
 */
export type Reading = "any" | "marked";

/**
 * Judges a whole message as an exact reader of the revision does: the table of the direction first, then
 * the schema.
 */
export function judge(
  model: ProtocolModel,
  side: 0 | 1,
  context: Context,
  message: JsonValue,
  reading: Reading = "any",
): Verdict {
  switch (context.part) {
    case "request":
    case "notification": {
      const method = sent(model, context.method, context.from);
      if (!method) return "method not in table";
      return whole(model, messageNodes(model, method), message);
    }
    case "response": {
      const method = sent(model, context.method, opposite(context.from));
      if (!method) return "method not in table";
      return whole(model, responseNodes(model, method) ?? [], message);
    }
    case "result": {
      const method = sent(model, context.method, opposite(context.from));
      if (!method) return "method not in table";
      const result = isJsonObject(message) ? message["result"] : undefined;
      if (result === undefined) return "invalid";
      return verdict(model, reading === "any" ? resultsOf(method) : answerTo(method, result), result);
    }
    case "embedded-request":
    case "embedded-result": {
      const method = methodsByName(model).get(context.method)?.[0];
      if (!method) return "method not in table";
      return verdict(
        model,
        context.part === "embedded-request" ? [method.message] : resultsOf(method),
        message,
      );
    }
    default:
      return verdict(model, [context.definition[side]], message);
  }
}

/** The method, if `from` may send it as a separate message. */
function sent(model: ProtocolModel, name: string, from: Role): Method | undefined {
  return methodsByName(model)
    .get(name)
    ?.find((method) => !method.payload && method.senders.includes(from));
}

/** The definitions that an answer may match: the one whose mark it has, else those without a mark. */
function answerTo(method: Method, value: JsonValue): string[] {
  const { definition, alternatives = [] } = method.result ?? {};
  const bears = ({ discriminator }: Alternative): boolean => {
    if (!discriminator || !isJsonObject(value) || !Object.hasOwn(value, discriminator.key)) return false;
    return discriminator.value === undefined || value[discriminator.key] === discriminator.value;
  };
  const marked = alternatives.find(bears);
  if (marked) return [marked.definition];
  const unmarked = alternatives.filter(({ discriminator }) => !discriminator);
  return [definition, ...unmarked.map((arm) => arm.definition)].filter((name) => name !== undefined);
}

function whole({ schema }: ProtocolModel, nodes: Conjunction, message: JsonValue): Verdict {
  return nodes.every((node) => isValid(schema, node, message)) ? "valid" : "invalid";
}

/** Whether any of the definitions takes the value; nothing is known to be wrong where none is named. */
function verdict({ schema }: ProtocolModel, definitions: readonly string[], value: JsonValue): Verdict {
  if (definitions.length === 0) return "valid";
  const nodes = definitions
    .map((name) => schema.definitions.get(name)?.node)
    .filter((node): node is SchemaNode => node !== undefined);
  return nodes.some((node) => isValid(schema, node, value)) ? "valid" : "invalid";
}

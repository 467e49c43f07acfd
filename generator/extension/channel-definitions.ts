import { type Definition, type SchemaNode, reachable } from "@mcpgen/engine";
import { authoredSchema } from "../emit/authoring/authored-schema.js";
import { withChildren } from "../emit/with-children.js";
import type { ExtensionModel } from "../model/extension-model.js";
import { type Method, answersOf } from "../model/model.js";

/**
 * The model, with definitions of messages on the channel that have no members of an era: no peer on a channel fills them
 * in. A definition that messages between client and server reach, too, keeps them, and the channel gets a copy.
 */
export function withChannelDefinitions(model: ExtensionModel): ExtensionModel {
  const { channel, schema, imported } = model;
  if (!channel || model.owned.size === 0) return model;
  const travelling = channel.messages.map(({ method }) => method);
  const authored = authoredSchema({ ...model, methods: travelling });
  const elsewhere = reachable(schema, namedBeside(model));
  const keys = new Map(
    [...reachable(schema, definitionsOf(travelling))]
      .filter((name) => authored.changed.has(name))
      .map((name) => [name, elsewhere.has(name) ? freeName(name, schema.definitions) : name]),
  );
  if (keys.size === 0) return model;
  const keyOf = (name: string): string => keys.get(name) ?? name;
  const definitions = new Map(schema.definitions);
  for (const [name, key] of keys) {
    const { extends: _extends, ...definition } = authored.schema.definitions.get(name)!;
    definitions.set(key, { ...definition, name: key, node: withKeys(definition.node, keyOf) });
  }
  const own = new Set(keys.values());
  return {
    ...model,
    schema: { ...schema, definitions },
    imported: new Map([...imported].filter(([key]) => !own.has(key))),
    owned: new Map([...model.owned].filter(([key]) => !own.has(key))),
    channel: {
      ...channel,
      messages: channel.messages.map((message) => ({
        ...message,
        method: renamed(message.method, keyOf, authored.lenient),
      })),
    },
  };
}

function definitionsOf(methods: readonly Method[]): string[] {
  return methods.flatMap((method) => [method.message, ...answersOf(method)]);
}

/** The definitions that are in use between client and server. */
function namedBeside({ methods, declared, augments, members }: ExtensionModel): string[] {
  return [
    ...definitionsOf(methods),
    ...Object.values(declared).flatMap(({ settings }) => settings ?? []),
    ...augments.map(({ result }) => result.definition),
    ...members.map(({ definition }) => definition),
  ];
}

function freeName(name: string, taken: ReadonlyMap<string, Definition>): string {
  let free = `${name} on channel`;
  while (taken.has(free)) free += " ";
  return free;
}

function withKeys(node: SchemaNode, keyOf: (name: string) => string): SchemaNode {
  const inner = withChildren(node, (child) => withKeys(child, keyOf));
  return inner.ref === undefined || keyOf(inner.ref) === inner.ref
    ? inner
    : { ...inner, ref: keyOf(inner.ref) };
}

/** @param lenient definitions of params that need not be given */
function renamed(method: Method, keyOf: (name: string) => string, lenient: ReadonlySet<string>): Method {
  const { message, params, result, page } = method;
  const isLenient = params.definition !== undefined && lenient.has(params.definition);
  return {
    ...method,
    message: keyOf(message),
    params: {
      presence: isLenient ? "optional" : params.presence,
      ...(params.definition !== undefined && { definition: keyOf(params.definition) }),
    },
    ...(result && {
      result: {
        ...(result.definition !== undefined && { definition: keyOf(result.definition) }),
        alternatives: result.alternatives.map((one) => ({ ...one, definition: keyOf(one.definition) })),
      },
    }),
    ...(page && { page: { ...page, item: keyOf(page.item) } }),
  };
}

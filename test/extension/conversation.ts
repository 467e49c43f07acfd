import type { JsonObject, JsonValue, Schema } from "@mcpgen/engine";
import { authoredSchema } from "../../generator/targets/typescript/authoring/authored-schema.js";
import { exportedName } from "../../generator/targets/typescript/extension/roles.js";
import { nameOperations } from "../../generator/targets/typescript/stubs/operations.js";
import { extensionOver } from "../../generator/extension/load-extension.js";
import type { ExtensionModel } from "../../generator/model/extension-model.js";
import { type Method, type Role, receivers } from "../../generator/model/model.js";
import { randomFrom } from "../../generator/sample/values.js";
import { sampleValid } from "../../generator/sample/sample.js";
import { releasedModel } from "../support/models.js";
import { sourceOf } from "./models.js";
import type { RandomExtension } from "./random-extension.js";

// The messages that two programs send to each other through random extensions: samples of their schemas, and the gates.

/** By base, then by id of the extension. */
export interface Conversation {
  [base: string]: { [id: string]: Part };
}

/** The messages of one extension over one base. */
export interface Part {
  /** The constant that its modules export. */
  readonly name: string;
  /** The settings that each side declares; absent if it declares none. */
  readonly settings: { readonly [R in Role]?: JsonObject };
  readonly messages: { readonly [method: string]: Message };
  /** The result that it adds to `tools/call`. */
  readonly added?: JsonObject;
}

export interface Message {
  readonly kind: Method["kind"];
  readonly sender: Role;
  /** The function that sends it. */
  readonly stub: string;
  readonly params: JsonObject;
  readonly result?: JsonObject;
  /** The member of the result that holds a page. */
  readonly page?: string;
  /** Whether the settings of the receiver of a request, or of the sender of a notification, switch it off. */
  readonly off: boolean;
  /** The capabilities that the sender must have declared. */
  readonly requires?: readonly string[];
  /**
   * The member of a subscription's filter that selects the notification; if the member is a list, `key` is the param
   * whose values it contains.
   */
  readonly filter?: { readonly member: string; readonly key?: string };
}

/**
 * The conversation through all extensions. The settings of extensions with odd numbers switch off everything that they
 * can.
 */
export async function conversationOf(extensions: readonly RandomExtension[]): Promise<Conversation> {
  const conversation: Conversation = {};
  for (const [number, one] of extensions.entries()) {
    const source = await sourceOf(one);
    for (const base of one.bases) {
      const model = await extensionOver(source, await releasedModel(base));
      (conversation[base] ??= {})[one.id] = partOf(model, number % 2 === 0);
    }
  }
  return conversation;
}

function partOf(model: ExtensionModel, on: boolean): Part {
  const { schema } = authoredSchema(model);
  const settings = settingsOf(model, on);
  const stubs = new Map(
    (["client", "server"] as const).flatMap((role) => [
      ...nameOperations(model.methods.filter(({ senders }) => senders.includes(role))),
    ]),
  );
  const [augmented] = model.augments;
  return {
    name: exportedName(model.id),
    settings,
    messages: Object.fromEntries(
      model.methods.map((method) => [
        method.name,
        messageOf({ model, schema, settings }, method, stubs.get(method.name)!),
      ]),
    ),
    ...(augmented && { added: withoutCursor(draw(model.schema, augmented.result.definition)) }),
  };
}

interface Context {
  readonly model: ExtensionModel;
  readonly schema: Schema;
  readonly settings: Part["settings"];
}

function messageOf({ model, schema, settings }: Context, method: Method, stub: string): Message {
  const { kind, senders, message, result, page, requires, filter, filterKey } = method;
  const { _meta, ...params } = (draw(schema, message)["params"] ?? {}) as JsonObject;
  return {
    kind,
    sender: senders[0]!,
    stub,
    params,
    ...(result?.definition !== undefined && { result: withoutCursor(draw(schema, result.definition)) }),
    ...(page && { page: page.member }),
    off: isOff(model, settings, method),
    ...(requires && { requires: requires.path.split("/").slice(1).map(unescaped) }),
    ...(filter !== undefined && {
      filter: { member: filter, ...(filterKey !== undefined && { key: filterKey }) },
    }),
  };
}

/** Removes the cursor, because there is only one page, and the metadata, because the runtime writes it. */
function withoutCursor(value: JsonObject): JsonObject {
  const { nextCursor: _, _meta, ...result } = value;
  return result;
}

function settingsOf({ declared, schema }: ExtensionModel, on: boolean): Part["settings"] {
  return Object.fromEntries(
    Object.entries(declared).map(([side, { settings }]) => {
      const members = settings === undefined ? [] : schema.definitions.get(settings)!.node.properties!.keys();
      return [side, Object.fromEntries([...members].map((key) => [key, key === "limit" ? 1 : on]))];
    }),
  );
}

function isOff({ declared }: ExtensionModel, settings: Part["settings"], method: Method): boolean {
  const sides = method.kind === "request" ? receivers(method) : method.senders;
  return sides.some((side) => {
    const gate = method.capabilities.find(({ of }) => of === side)?.path;
    const place = declared[side]?.path;
    if (gate === undefined || place === undefined || !gate.startsWith(`${place}/`)) return false;
    return settings[side]![gate.slice(place.length + 1)] !== true;
  });
}

function draw(schema: Schema, definition: string): JsonObject {
  const value: JsonValue | undefined = sampleValid(schema, definition, randomFrom(definition));
  return value as JsonObject;
}

function unescaped(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

import { receivers } from "../../model/model.js";
import type { Emitter } from "../emitter.js";
import { type Travelling, vectorsFile } from "../vectors/emit.js";
import type { ExtensionInput } from "./input.js";

/** `vectors.json` of an extension over a base: its messages between the sides, and those on its channel. */
export const emitExtensionVectors: Emitter<ExtensionInput> = (input) => {
  const { methods, channel } = input.model;
  const between = methods.map((method) => ({
    ...{ method, senders: method.senders, receivers: receivers(method) },
  }));
  const onChannel = new Map<string, Travelling>();
  for (const { method, sender, receiver } of channel?.messages ?? []) {
    if (input.imported.identifiers.has(method.message)) continue;
    const { senders, receivers: heard } = onChannel.get(method.name) ?? { senders: [], receivers: [] };
    onChannel.set(method.name, { method, senders: [...senders, sender], receivers: [...heard, receiver] });
  }
  return vectorsFile(input, [...between, ...onChannel.values()]);
};

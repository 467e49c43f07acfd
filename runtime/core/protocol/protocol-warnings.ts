import type { OpenDefinition } from "@mcpgen/protocol/model";
import { longestText, shortened } from "../jsonrpc/foreign-text.js";
import { withoutWrongNulls } from "../schema/locate.js";
import type { NullsIgnored, ProtocolWarning } from "./events.js";

/**
 * Reads a message or a part of it: without the members that are null instead of absent, as some languages write them, if its
 * definition refuses them. It may refuse the remaining value, too: a member that is required stays.
 *
 * @param method of the message, for the event
 */
export type NullReader = <Value>(definition: OpenDefinition, value: Value, method: string) => Promise<Value>;

/**
 * @param nulls `reject`: null stays where it is, and the definition refuses it
 * @param emit receives an event for each message that is changed
 */
export function nullReader(
  nulls: "absent" | "reject" | undefined,
  emit: (event: NullsIgnored) => void,
): NullReader {
  return async <Value>({ accepts }: OpenDefinition, given: Value, method: string): Promise<Value> => {
    if (nulls === "reject" || accepts(given)) return given;
    const { value, places: members } = withoutWrongNulls(accepts, given);
    if (members.length > 0) emit({ type: "nulls-ignored", method, members });
    return value as Value;
  };
}

/** @param detail is shortened */
export function warning(reason: ProtocolWarning["reason"], detail: string, method?: string): ProtocolWarning {
  return { type: "protocol-warning", reason, method, detail: shortened(detail, longestText) };
}

import type { JsonObject } from "@mcpgen/engine";
import type { Method, ProtocolModel } from "../../model/model.js";

/** The names that the vocabulary has for members which tables name, by kind and name of the method. */
export type Words = ReadonlyMap<string, Word>;

interface Word extends JsonObject {
  readonly filter: string | null;
  readonly filterKey: string | null;
  /** The member with the list of a page. */
  readonly page: string | null;
  /** The place in the capabilities of servers. */
  readonly server: string | null;
}

const keyOf = ({ kind, name }: Pick<Method, "kind" | "name">): string => `${kind} ${name}`;

export function wordsOf({ methods }: ProtocolModel): Words {
  return new Map(
    methods.map((method) => {
      const { filter = null, filterKey = null, page, capabilities } = method;
      const server = capabilities.find(({ of }) => of === "server")?.path ?? null;
      return [keyOf(method), { filter, filterKey, page: page?.member ?? null, server }];
    }),
  );
}

/**
 * A method as the tables have it. Lists, filters and capabilities of servers are read in values of the vocabulary, so their
 * members are called as there; the list of a page is also read in the message itself, if the revision has pages. What
 * travels alone, such as headers, keeps the words of the revision.
 */
export function inWords(method: Method, words: Words | undefined): Method {
  const word = words?.get(keyOf(method));
  if (!word) return method;
  const { filter, filterKey, page, capabilities } = method;
  return {
    ...method,
    capabilities: capabilities.map((capability) =>
      capability.of === "server" ? { ...capability, path: word.server ?? capability.path } : capability,
    ),
    ...(filter !== undefined && { filter: word.filter ?? filter }),
    ...(filterKey !== undefined && { filterKey: word.filterKey ?? filterKey }),
    ...(word.page !== null && word.page !== page?.member && { list: word.page }),
  };
}

import { hasMember, memberNodes, requiredMembers } from "@mcpgen/engine";
import { type ProtocolModel, gate } from "../../model/model.js";
import { activePlans } from "../../targets/typescript/steps/plan.js";
import { planSteps } from "../../targets/typescript/steps/methods.js";
import { authoredSchema } from "../../targets/typescript/authoring/authored-schema.js";
import { memberPlaces, methodPlaces } from "./runtime-places.js";
import type { Succession } from "./successors.js";

/**
 * A method or member that code in the runtime handles, so that conversion steps and notes cannot adapt it.
 */
export interface HandwrittenPart {
  readonly kind:
    | "handshake"
    | "method-gone"
    | "method-renamed"
    | "method-split"
    | "method-new"
    | "method-changed"
    | "list-without-page"
    | "member-gone"
    | "member-required";
  /** The method's name, or `Definition.member`. */
  readonly subject: string;
  readonly text: string;
  /** Files of the runtime that name it, or functions that a program calls instead. */
  readonly places: readonly string[];
}

/** The methods that open a session. */
const opening: readonly string[] = ["initialize", "notifications/initialized", "server/discover"];

/** Methods whose messages the runtime writes and reads itself, without handlers. */
export const byHand: ReadonlySet<string> = new Set([
  ...opening,
  ...["ping", "notifications/cancelled", "notifications/progress"],
  ...["logging/setLevel", "notifications/message"],
  ...["resources/subscribe", "resources/unsubscribe", "subscriptions/listen"],
  "notifications/subscriptions/acknowledged",
]);

/** The two revisions, and the new methods that replace earlier ones. */
interface Change {
  readonly before: ProtocolModel;
  readonly now: ProtocolModel;
  readonly successors: readonly Succession[];
}

/**
 * Lists the changes of a revision that need code: in messages that the runtime handles itself, and in
 * handlers that peers no longer reach.
 *
 * @param before the preceding revision, even if the vocabulary is older: the runtime has code for each
 * revision, and earlier upgrades have listed the earlier changes
 */
export function handwrittenParts(
  before: ProtocolModel,
  now: ProtocolModel,
  successors: readonly Succession[],
): HandwrittenPart[] {
  const change = { before, now, successors };
  return [
    ...handshake(change),
    ...gone(change),
    ...added(change),
    ...changed(change),
    ...pagesGone(change),
    ...membersGone(change),
    ...membersRequired(change),
    ...errorsChanged(change),
  ];
}

/** Changes in how a session is opened. */
function handshake({ before, now }: Change): HandwrittenPart[] {
  const assumed = now.assumptions.find(({ kind }) => kind === "era");
  if (!assumed && before.era === now.era) return [];
  const places = placesOf(opening.flatMap((method) => methodPlaces[method] ?? []));
  const text = assumed
    ? `${assumed.text} The runtime opens conversations with these methods alone: a client and a server of ${now.revision} need code that opens one`
    : `The era is another one: ${before.era} → ${now.era}. Sessions, or the members that requests carry in their place, are code`;
  return [{ kind: "handshake", subject: now.revision, text, places }];
}

/** Methods that the new revision no longer has. */
function gone({ before, now, successors }: Change): HandwrittenPart[] {
  const there = new Set(now.methods.map(({ name }) => name));
  return before.methods.flatMap((method): HandwrittenPart[] => {
    const { name } = method;
    if (there.has(name)) return [];
    const next = successors.find(({ from }) => from === method);
    const places = methodPlaces[name] ?? [];
    const capability = gate(method, method.senders[0] ?? "client")?.path;
    const served = before.revision;
    const way = places.length > 0 ? `The runtime names it` : `Handlers have it`;
    if (next)
      return [
        {
          kind: "method-renamed",
          subject: name,
          text: `${next.method.name} has its message now. ${way} by the old name: peers of ${now.revision} do not reach it. Handle ${next.method.name} with the same function, or mend the runtime`,
          places: [...placesOf(places), ...handlerPlaces(next.method)],
        },
      ];
    const alone = `peers up to ${served} still use it`;
    return [
      {
        kind: "method-gone",
        subject: name,
        text: `${now.revision} has no such method: ${alone}, those of ${now.revision} do not reach it${capability === undefined ? "" : ` (capability ${capability})`}. What it did for them needs another way, if it has one`,
        places: placesOf(places),
      },
    ];
  });
}

/** New methods for which the runtime has no function. */
function added({ before, now, successors }: Change): HandwrittenPart[] {
  const known = new Set(before.methods.map(({ name }) => name));
  return now.methods.flatMap((method): HandwrittenPart[] => {
    if (known.has(method.name) || methodPlaces[method.name]) return [];
    const next = successors.find((each) => each.method === method);
    // A renamed method is listed under its old name.
    if (next && !next.isPart) return [];
    const places = handlerPlaces(method);
    if (next)
      return [
        {
          kind: "method-split",
          subject: method.name,
          text: `It has the params of ${next.from.name}, which ${now.revision} has, too: perhaps a part of it. Without a handler it is answered with -32601`,
          places: [...placesOf(methodPlaces[next.from.name] ?? []), ...places],
        },
      ];
    const text =
      method.kind === "request"
        ? "The runtime has no function for it. Without a handler it is answered with -32601"
        : "The runtime has no function for it. Without a listener it is not heard";
    return [{ kind: "method-new", subject: method.name, text, places }];
  });
}

/** The functions by which a program handles and sends a method that the runtime does not name. */
function handlerPlaces({ name, kind, senders, payload }: ProtocolModel["methods"][number]): string[] {
  const quoted = JSON.stringify(name);
  return senders.flatMap((sender) => {
    if (payload) return [`a handler of the server: context.ask.all({ key: { method: ${quoted} } })`];
    if (kind === "notification")
      return sender === "client"
        ? [`server.on(${quoted}, …)`, `client.notify(${quoted}, …)`]
        : [`client.on(${quoted}, …)`, `server.notify(${quoted}, …)`];
    return sender === "client"
      ? [`server.handle(${quoted}, …)`, `client.request(${quoted}, …)`]
      : [`client.handle(${quoted}, …)`, `context.ask.all({ key: { method: ${quoted} } })`];
  });
}

/** Changed messages that the runtime writes and reads itself. */
function changed({ before, now }: Change): HandwrittenPart[] {
  const { lower, lift } = planSteps(before, now);
  const ways = [lower, lift];
  const active = activePlans(
    ways.flatMap(({ methods }) =>
      methods.flatMap(({ params, result }) => [params ?? [], result ?? []].flat()),
    ),
  );
  const names = new Set(
    ways.flatMap(({ methods }) =>
      methods.flatMap(({ method, params, result }) =>
        [params, result].some((plan) => plan && active.has(plan)) ? [method] : [],
      ),
    ),
  );
  return [...names].flatMap((method): HandwrittenPart[] => {
    if (!byHand.has(method)) return [];
    return [
      {
        kind: "method-changed",
        subject: method,
        text: "Its params or its result have another form. The runtime writes and reads it itself: compare the forms in PROTOCOL.md",
        places: placesOf(methodPlaces[method] ?? []),
      },
    ];
  });
}

/** Lists that clients can no longer read page by page. */
function pagesGone({ before, now }: Change): HandwrittenPart[] {
  return before.methods.flatMap(({ name, page }): HandwrittenPart[] => {
    const next = now.methods.find((method) => method.name === name);
    if (!page || !next || next.page) return [];
    const text = `The schema does not say how it is read page by page now (before: ${page.member} of ${page.item}): clients read the list that steps make of its result, and no page after it unless a note makes nextCursor`;
    return [{ kind: "list-without-page", subject: name, text, places: placesOf(methodPlaces[name] ?? []) }];
  });
}

/** Members that the runtime filled in and that their definitions no longer have. */
function membersGone({ before, now }: Change): HandwrittenPart[] {
  const places = new Map<string, string[]>();
  for (const [definition, names] of before.owned) {
    const node = now.schema.definitions.get(definition)?.node;
    // Removed methods are listed separately.
    if (!node) continue;
    for (const name of names)
      if (!hasMember(now.schema, node, name)) places.set(name, [...(places.get(name) ?? []), definition]);
  }
  return [...places].map(([name, definitions]) => ({
    kind: "member-gone",
    subject: `${definitions[0]!}.${name}`,
    text: `The runtime fills it in and reads it at ${before.revision}; ${definitions.join(", ")} ${definitions.length === 1 ? "does" : "do"} not have it at ${now.revision}. What it said needs another place`,
    places: placesOf(memberPlaces[name] ?? []),
  }));
}

/** New required members of objects that the runtime fills in and handlers do not write. */
function membersRequired({ before, now }: Change): HandwrittenPart[] {
  // Other definitions are written by handlers, and conversion steps handle their new members.
  const { lenient } = authoredSchema(before);
  return [...before.owned.keys()]
    .filter((name) => lenient.has(name))
    .flatMap((definition): HandwrittenPart[] => {
      const [old, next] = [before, now].map(({ schema }) => {
        const node = schema.definitions.get(definition)?.node;
        return node ? requiredMembers(schema, node) : new Set<string>();
      }) as [ReadonlySet<string>, ReadonlySet<string>];
      const isOfMeta = before.owned.get(definition)!;
      const filled = now.owned.get(definition) ?? new Set<string>();
      const required = [...next].filter((name) => !old.has(name) && !filled.has(name));
      const places = placesOf([...isOfMeta].flatMap((name) => memberPlaces[name] ?? []));
      return required.map((name) => ({
        kind: "member-required",
        subject: `${definition}.${name}`,
        text: "It must be there, and the runtime writes this object: add a note of kind owned, and code that fills it in",
        places,
      }));
    });
}

/** New required members of errors: the runtime creates errors without them. */
function errorsChanged({ before, now }: Change): HandwrittenPart[] {
  const [old, next] = [before, now].map(requiredOfErrors) as [string[], string[]];
  return next
    .filter((member) => !old.includes(member))
    .map((member) => ({
      kind: "member-required",
      subject: `error.${member}`,
      text: "Errors must have it, and the runtime answers without it: code that writes errors must fill it in",
      places: ["runtime/base/jsonrpc/errors.ts"],
    }));
}

/** The members that every error in a response must have. */
function requiredOfErrors({ schema }: ProtocolModel): string[] {
  const responses = [...schema.definitions.values()].filter(({ node }) =>
    ["jsonrpc", "error"].every((member) => requiredMembers(schema, node).has(member)),
  );
  const required = responses.map(({ node }) => {
    const errors = memberNodes(schema, node, "error");
    return errors.flatMap((error) => [...requiredMembers(schema, error)]);
  });
  return (required[0] ?? []).filter((member) => required.every((members) => members.includes(member)));
}

function placesOf(files: readonly string[]): string[] {
  return [...new Set(files)].sort();
}

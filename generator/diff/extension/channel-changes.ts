import type { ExtensionSource } from "../../extension/extension-source.js";

type Source = Pick<ExtensionSource, "about" | "notes">;

/** What a peer on the channel of the old version relies on, and the next version no longer has; in words. */
export function brokenChannel(old: Source, next: Source): string[] {
  const [before, after] = [old.about.channel, next.about.channel];
  if (!before) return [];
  if (!after) return ["the channel is gone"];
  const gone = before.roles.filter((role) => !after.roles.includes(role));
  const { request, confirmation } = before.handshake;
  const isOpened = request === after.handshake.request && confirmation === after.handshake.confirmation;
  const travelling = routesOf(next);
  const lost = [...routesOf(old)]
    .filter(([route, { sender, receiver }]) => {
      return !travelling.has(route) && !gone.includes(sender) && !gone.includes(receiver);
    })
    .map(([, { method, sender, receiver }]) => `${method} no longer travels from ${sender} to ${receiver}`);
  return [
    ...gone.map((role) => `the role ${role} of the channel is gone`),
    ...(isOpened ? [] : ["the channel has another handshake"]),
    ...lost,
  ];
}

interface Route {
  readonly method: string;
  readonly sender: string;
  readonly receiver: string;
}

function routesOf({ notes }: Source): Map<string, Route> {
  return new Map(
    notes.flatMap((note) => {
      if (note.kind !== "channel") return [];
      const { sender, receiver } = note;
      return note.targets.map((method) => [
        JSON.stringify([method, sender, receiver]),
        { method, sender, receiver },
      ]);
    }),
  );
}

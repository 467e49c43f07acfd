import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import { type LogLevel, metaKeys } from "../protocol/meta.js";
import type { RevisionView } from "../protocol/revision-view.js";
import type { Clock } from "../time/clock.js";
import type { Params } from "../jsonrpc/message.js";
import type { Timeouts } from "../jsonrpc/pending.js";
import type { Nulls } from "./decode.js";

/** What a client says of itself. */
export interface ClientProfile {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** Log messages it wants: of each request (2026-07-28), or of a connection (before). */
  readonly logLevel: LogLevel | undefined;
  /** Milliseconds that finding the revision may take. */
  readonly connectTimeout: number;
  /** Of requests whose options say nothing else. */
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly nulls: Nulls;
}

/** The same, while it is being said. */
export interface HandshakeContext extends ClientProfile {
  /** Called before a handshake is sent: from then on the server may ask. */
  readonly handshaking: (offered: RevisionView<"client">) => void;
  /** When it has to be over, by the clock: who opens the connection sees to that. */
  readonly due: number;
}

/** What a client declares: where it can send notifications, that its roots may change, too (2025-11-25, roots). */
export function declaredBy(
  { table }: RevisionView<"client">,
  { capabilities }: Pick<ClientProfile, "capabilities">,
): ClientCapabilities {
  const { roots } = capabilities;
  if (!roots || !table.outgoingNotifications.has("notifications/roots/list_changed")) return capabilities;
  const changing: typeof roots & { listChanged: true } = { ...roots, listChanged: true };
  return { ...capabilities, roots: changing };
}

/** What every modern request carries (2026-07-28, basic, `_meta`). */
export function requestMeta(
  view: RevisionView<"client">,
  { info, capabilities, logLevel: usual }: ClientProfile,
  logLevel = usual,
): Params {
  return {
    [metaKeys.protocolVersion]: view.id,
    [metaKeys.clientInfo]: info,
    [metaKeys.clientCapabilities]: declaredBy(view, { capabilities }),
    ...(logLevel === undefined ? {} : { [metaKeys.logLevel]: logLevel }),
  };
}

import { BoundedMap } from "@mcpgen/base";
import type { Session } from "../../server/server-definition.js";

/** What a session keeps of its handshake. */
type Profile = Pick<Session, "clientCapabilities" | "clientInfo" | "declared">;

/** Profiles that are kept, and characters of the longest one. */
const mostProfiles = 64;
const longestProfile = 2048;

/** The sessions of one client program have equal profiles: they share one. It is a quarter of an idle session. All are frozen. */
export class ClientProfiles {
  /** By their JSON. */
  readonly #profiles = new BoundedMap<string, Profile>({ count: mostProfiles, full: "evict" });

  /** Replaces the profile of a session by an equal one that other sessions have, too. */
  share(session: Session): void {
    const { clientCapabilities, clientInfo, declared } = session;
    const text = JSON.stringify({ clientCapabilities, clientInfo, declared });
    if (text.length > longestProfile) return [clientCapabilities, clientInfo].forEach(frozen);
    const profile = this.#profiles.get(text) ?? frozen(JSON.parse(text) as Profile);
    this.#profiles.set(text, profile);
    Object.assign(session, profile);
  }
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

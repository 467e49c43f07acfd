import { BoundedMap } from "@mcpgen/base";
import type { Session } from "../../server/server-definition.js";

/** The parts of a handshake that a session keeps. */
type Profile = Pick<Session, "clientCapabilities" | "clientInfo" | "declared">;

/** Maximum number of profiles, and characters of the longest one. */
const mostProfiles = 64;
const longestProfile = 2048;

/**
 * Shares one profile among the sessions of one client program, because a profile is a quarter of an idle session's
 * memory. Profiles are frozen.
 */
export class ClientProfiles {
  /** Profiles, keyed by their JSON. */
  readonly #profiles = new BoundedMap<string, Profile>({ count: mostProfiles, full: "evict" });

  /** Replaces the profile of a session by an equal one of other sessions. */
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

// Names of tools and prompts where several servers are one: each begins with the prefix of its server.

/** The length in UTF-16 units that all hosts accept for the name of a tool. */
const longestName = 64;

/** The end of a name that was too long: a digest of the whole name. */
const digested = /_[\da-f]{8}$/;

/** The name that clients see. It is the same for each list, process and start of a bridge. */
export async function jointName(prefix: string, name: string): Promise<string> {
  if (prefix === "") return name;
  const whole = `${prefix}_${name}`;
  if (whole.length <= longestName) return whole;
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(whole));
  const hex = [...new Uint8Array(bytes, 0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${whole.slice(0, longestName - hex.length - 1)}_${hex}`;
}

/** Whether a name that clients see may be a shortened one: only the list of its server shows what it stands for. */
export function maybeShortened(name: string): boolean {
  return name.length === longestName && digested.test(name);
}

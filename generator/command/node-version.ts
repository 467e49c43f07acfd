/** Complains about a Node.js that is too old to load the rest; `version` as in `process.versions.node`. */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  const code = "MG2012";
  return `error ${code}: expected Node.js 20.19 or later, got ${version}\n  \u2192 Install a newer one from nodejs.org.\n`;
}

import path, { type PlatformPath } from "node:path";

// Every place that depends on the platform is a row of test/platforms.test.ts.

/** `file` relative to `folder`, with slashes on every platform: for output, messages and keys. */
export function slashPath(folder: string, file: string, { relative, sep }: PlatformPath = path): string {
  return relative(folder, file).split(sep).join("/");
}

/** The program that opens a file or URL, and its arguments before it. It runs without a shell. */
export function openerOf(
  platform: NodeJS.Platform,
  { SYSTEMROOT = "C:\\Windows" }: Readonly<Record<string, string | undefined>>,
): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open"];
  if (platform !== "win32") return ["xdg-open"];
  return [path.win32.join(SYSTEMROOT, "System32", "rundll32.exe"), "url.dll,FileProtocolHandler"];
}

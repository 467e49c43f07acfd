import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { filesBelow } from "../scripts/rooms/imports.js";
import { openerOf, slashPath } from "../generator/files/platform.js";

/** The table of differences: each file that depends on the platform or on signals, and the difference. */
const differences: Readonly<Record<string, string>> = {
  "generator/files/platform.ts": "slashes in output; the program that opens a file",
  "generator/files/held-folder.ts": "Linux writes below an open folder (/proc/self/fd); others write by path",
  "generator/files/state-files.ts":
    "POSIX refuses state that other users may write; Windows has no such bits",
  "generator/files/writer.ts": "a signal waits for a write to end; Windows sends only SIGINT and SIGHUP",
  "generator/capture/interruption.ts":
    "a signal ends servers first; Windows sends only SIGINT and SIGHUP, and helpers of a group's leader may stay",
  "generator/command/authorization.ts": "SIGINT ends the wait for a browser",
  "generator/command/docs/page-file.ts": "asks platform.ts for the program that opens a page",
  "generator/command/servers/host-files.ts": "the folder of Claude Desktop",
  "generator/command/trust/trust.ts": "POSIX knows the owner of a configuration, and who may change it",
  "runtime/auth/node/file-store.ts": "the folder of tokens: XDG_STATE_HOME, on Windows LOCALAPPDATA",
  "runtime/auth/node/keychain.ts": "macOS: security; Linux: secret-tool; Windows: files",
  "runtime/auth/node/opener.ts": "macOS: open; Windows: rundll32; others: xdg-open",
  "runtime/auth/node/store-folder.ts": "POSIX checks owner and mode of a store; Windows, neither",
  "runtime/core/stdio/child.ts": "POSIX: a process group, SIGTERM, SIGKILL; Windows: taskkill, by force",
  "runtime/core/stdio/client-options.ts": "variables that a server inherits; their case on Windows",
  "runtime/core/stdio/command.ts": "Windows: PATH, PATHEXT, batch files by cmd.exe, and its quoting",
  "runtime/core/stdio/serve-stdio.ts": "SIGINT and SIGTERM end a session; Windows sends only SIGINT",
  "runtime/tasks/handles.ts": "POSIX refuses handles of tasks that other users may write",
};

/** Code that depends on the platform: its name, users and groups, signals that are sent or heard. */
const dependent = /\bprocess\.platform\b|\bplatform (?:===|!==) "|\bgetuid\b|["']SIG[A-Z]+["']/;

test("the table of differences names each file that depends on the platform", () => {
  const code = (file: string): string => readFileSync(file, "utf8").replace(/\/\*[^]*?\*\/|^\s*\/\/.*/gm, "");
  const found = [...filesBelow("generator"), ...filesBelow("runtime")].filter((file) =>
    dependent.test(code(file)),
  );
  expect(found.toSorted()).toEqual(Object.keys(differences).toSorted());
});

test.each<[string, path.PlatformPath, string, string, string]>([
  ["POSIX", path.posix, "/work/a", "/work/a/b/c.ts", "b/c.ts"],
  ["POSIX, a backslash in a name", path.posix, "/work", "/work/a\\b", "a\\b"],
  ["Windows", path.win32, "C:\\work\\a", "C:\\work\\a\\b\\c.ts", "b/c.ts"],
  ["Windows, another case", path.win32, "C:\\Work", "c:\\work\\b", "b"],
  ["Windows, a folder beside", path.win32, "C:\\work\\a", "C:\\work\\b", "../b"],
])("a path is shown with slashes: %s", (_, paths, folder, file, shown) => {
  expect(slashPath(folder, file, paths)).toBe(shown);
});

test.each<[NodeJS.Platform, readonly string[]]>([
  ["darwin", ["open"]],
  ["linux", ["xdg-open"]],
  ["freebsd", ["xdg-open"]],
  ["win32", ["D:\\Windows\\System32\\rundll32.exe", "url.dll,FileProtocolHandler"]],
])("on %s, a page is opened without a shell", (platform, program) => {
  expect(openerOf(platform, { SYSTEMROOT: "D:\\Windows" })).toEqual(program);
});

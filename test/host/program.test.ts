import { expect, test } from "vitest";
import { duplicateKey } from "../../generator/files/json-file.js";
import { hostPrograms } from "../../generator/host/program.js";
import type { HostServer } from "../../generator/host/program.js";

const servers: { readonly [name: string]: HostServer } = {
  stdio: { command: "/bin/sh", args: ["-c", 'echo "= ["'], env: { ONE: "1", TWO: '"' } },
  http: { url: "http://127.0.0.1:1/", headers: { Authorization: "Bearer x", "X-Tenant": "y" } },
};

/** Keys that are there twice in TOML with a key and its JSON value, or a table of them, on each line. */
function repeatedKeys(toml: string): string[] {
  const seen = new Set<string>();
  const repeated: string[] = [];
  const note = (key: string): void => void (seen.has(key) ? repeated.push(key) : seen.add(key));
  let table = "";
  for (const line of toml.split("\n")) {
    const header = /^\[(.+)\]$/.exec(line);
    if (header) {
      table = header[1]!;
      note(`[${table}]`);
      continue;
    }
    const [, key, value] = /^(\w+) = (.+)$/.exec(line) ?? [];
    if (key === undefined) throw new Error(`no key and value: ${line}`);
    note(`${table}.${key}`);
    const inline = /^\{ (.*) \}$/.exec(value!);
    if (!inline) JSON.parse(value!);
    for (const [, own] of (inline?.[1] ?? "").matchAll(/("(?:[^"\\]|\\.)*") = "(?:[^"\\]|\\.)*"(?:, |$)/g))
      note(`${table}.${key}.${own}`);
  }
  return repeated;
}

test("a key of TOML that is there twice is seen", () => {
  expect(repeatedKeys('a = 1\n[t]\na = 1\nb = { "c" = "", "d" = "" }')).toEqual([]);
  expect(repeatedKeys("[t]\na = 1\na = 2\n[t]")).toEqual(["t.a", "[t]"]);
  expect(repeatedKeys('a = { "c" = "", "c" = "" }')).toEqual(['.a."c"']);
});

const cases = Object.keys(hostPrograms).flatMap((name) => Object.keys(servers).map((by) => [name, by]));

test.each(cases)("the configuration of %s over %s has no key twice", (name, by) => {
  const program = hostPrograms[name as keyof typeof hostPrograms];
  const { files } = program.start("tested", servers[by!]!, "http://127.0.0.1:2");
  expect(Object.keys(files)).not.toEqual([]);
  for (const [path, text] of Object.entries(files))
    if (path.endsWith(".toml")) expect(repeatedKeys(text)).toEqual([]);
    else expect(duplicateKey(text, JSON.parse(text))).toBeUndefined();
});

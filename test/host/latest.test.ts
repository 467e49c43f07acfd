import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import hosts from "../../generator/host/hosts.json" with { type: "json" };
import { temporaryFolder } from "../support/temporary-folder.js";

// `npm run hosts -- --latest` with an npm that has one host, and not the other.

const npm = `#!/bin/sh
case "$*" in *@openai/codex@latest*) echo "npm error 404 it is not there" >&2; exit 1;; esac
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/.bin" "$2/node_modules/opencode-ai"
echo '{ "version": "99.0.0" }' >"$2/node_modules/opencode-ai/package.json"
printf '#!/bin/sh\\necho asks nothing\\n' >"$2/node_modules/.bin/opencode"
chmod +x "$2/node_modules/.bin/opencode"
`;

test("a host that cannot be installed is named, and others go on", async () => {
  const folder = temporaryFolder();
  const [programs, temporary] = [join(folder, "programs"), join(folder, "temporary")];
  for (const each of [programs, temporary]) mkdirSync(each);
  writeFileSync(join(programs, "npm"), npm);
  chmodSync(join(programs, "npm"), 0o755);
  const run = ["scripts/run-ts.mjs", "test/host/real/hosts.ts", "--latest", "--part", "legacy"];
  const { code, text } = await output([...run, "--host", "codex", "--host", "opencode"], {
    ...process.env,
    TMPDIR: temporary,
    PATH: [programs, process.env["PATH"]].join(delimiter),
  });
  expect(text).toContain("codex: cannot be installed: npm error 404 it is not there\n");
  const { version, revision } = hosts.opencode;
  expect(text).toContain(`opencode 99.0.0: beside ${version}, `);
  expect(text).toContain(`  ≠ version: "${version}", now "99.0.0"\n`);
  expect(text).toContain(`  ≠ revision.legacy: "${revision.legacy}", now undefined\n`);
  expect(code).toBe(1);
}, 120_000);

function output(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (more: string) => (text += more));
    child.once("close", (code) => resolve({ code, text }));
  });
}

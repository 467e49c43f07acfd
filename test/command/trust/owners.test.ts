import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { strangerAt } from "../../../generator/command/trust/trust.js";
import { mcpgen } from "../../support/in-process.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { trustOf } from "../../support/trust.js";

const other = 54_321;
const own = { user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 };
/** Files can be given to another user, and the file system knows access rights. */
const canGive = process.getuid?.() === 0;

const whyOf = (file: string, user = own): string | undefined => strangerAt(file, new Set(), user)?.why;

test.skipIf(process.getuid === undefined)("the ownership of a file depends on who else may write it", () => {
  const folder = temporaryFolder({ "in/a.json": "{}" });
  const file = join(folder, "in/a.json");
  expect(whyOf(file)).toBeUndefined();
  const modes: readonly [string, number, RegExp | undefined][] = [
    [file, 0o646, /every user/],
    [file, 0o664, canGive ? undefined : /group/],
    [file, 0o644, undefined],
    [join(folder, "in"), 0o777, /every user/],
    // As /tmp: users can replace their own files only.
    [join(folder, "in"), 0o1777, undefined],
    [join(folder, "in"), 0o755, undefined],
  ];
  for (const [path, mode, why] of modes) {
    chmodSync(path, mode);
    const found = whyOf(file);
    if (why === undefined) expect([path, mode, found]).toEqual([path, mode, undefined]);
    else expect([path, mode, found]).toEqual([path, mode, expect.stringMatching(why)]);
  }
});

test.skipIf(!canGive)("a private group may write, a shared one may not", () => {
  const folder = temporaryFolder({ "a.json": "{}" });
  const file = join(folder, "a.json");
  chmodSync(file, 0o664);
  for (const path of [folder, file]) chownSync(path, other, other);
  expect(whyOf(file, { user: other, group: other })).toBeUndefined();
  chownSync(file, other, 100);
  expect(whyOf(file, { user: other, group: 100 })).toBe("can be changed by the group 100");
});

test.skipIf(!canGive)("a file, a link and a folder of another user are theirs", () => {
  const folder = temporaryFolder({ "mine.json": "{}", "theirs/x.json": "{}" });
  chownSync(join(folder, "theirs"), other, other);
  symlinkSync(join(folder, "mine.json"), join(folder, "link.json"));
  expect(whyOf(join(folder, "link.json"))).toBeUndefined();
  lchownSync(join(folder, "link.json"), other, other);
  expect(whyOf(join(folder, "link.json"))).toMatch(/another user/);
  expect(whyOf(join(folder, "theirs/x.json"))).toMatch(/another user/);
  symlinkSync(join(folder, "theirs/x.json"), join(folder, "to-theirs.json"));
  expect(whyOf(join(folder, "to-theirs.json"))).toMatch(/another user/);
});

const contract = "name: n\nversion: '1'\n";

test.skipIf(!canGive).each(["generate --dry-run", "check", "diff a.yaml b.yaml", "sync"])(
  "%s: configuration of another user in a parent folder is refused, whatever it says",
  async (line) => {
    const folder = temporaryFolder({ "work/a.yaml": contract, "work/b.yaml": contract });
    writeFileSync(join(folder, "mcpgen.config.json"), '{ "out": "elsewhere" }');
    chownSync(join(folder, "mcpgen.config.json"), other, other);
    const ran = await mcpgen(join(folder, "work"), line.split(" "));
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/MG2107: .*mcpgen\.config\.json belongs to another user/),
    ]);
    // With the hash of this content the user takes responsibility for it, as in a container.
    const named = await mcpgen(join(folder, "work"), line.split(" "), { env: await trustOf(folder) });
    expect(named.stderr).not.toContain("MG2107");
    const without = await mcpgen(join(folder, "work"), [...line.split(" "), "--no-config"]);
    expect(without.stderr).not.toContain("MG2107");
  },
);

test.skipIf(!canGive)(
  "a command that does not need the configuration ignores it, with a message",
  async () => {
    const folder = temporaryFolder({ "work/a.yaml": contract, "mcpgen.config.json": '{ "templates": "t" }' });
    chmodSync(join(folder, "mcpgen.config.json"), 0o666);
    const ran = await mcpgen(join(folder, "work"), ["docs", "a.yaml"]);
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringMatching(/^left out: .*mcpgen\.config\.json: .* can be changed by every user/),
    ]);
  },
);

test.skipIf(!canGive)("a module of another user that configuration imports is refused", async () => {
  const folder = temporaryFolder({
    "mcpgen.config.js": 'import { out } from "./shared/out.js";\nexport default { out };\n',
    "shared/out.js": 'export const out = "x";\n',
  });
  chownSync(join(folder, "shared"), other, other);
  const state = temporaryFolder();
  const ran = await mcpgen(folder, ["revision", "list"], { env: { XDG_STATE_HOME: state } });
  expect([ran.code, ran.stderr]).toEqual([
    2,
    expect.stringMatching(/MG2107: .*shared belongs to another user/),
  ]);
});

test.skipIf(!canGive)(
  "a folder of another user is accepted if nothing of it runs, for example in a container",
  async () => {
    const folder = temporaryFolder({
      "theirs/mcpgen.config.json": "{}",
      "theirs/mcpgen.config.js": "export default {};",
    });
    chownSync(join(folder, "theirs"), other, other);
    const words = ["revision", "list", "--config"];
    expect((await mcpgen(join(folder, "theirs"), [...words, "mcpgen.config.json"])).code).toBe(0);
    expect((await mcpgen(join(folder, "theirs"), [...words, "mcpgen.config.js"])).stderr).toContain("MG2107");
  },
);

test.skipIf(!canGive)(
  "dev runs the code of the project without a question, but not that of another user",
  async () => {
    const folder = temporaryFolder({ "mcpgen.config.js": "export default { contracts: 1 };" });
    expect((await mcpgen(folder, ["dev"])).stderr).toContain("MG2103");
    chownSync(join(folder, "mcpgen.config.js"), other, other);
    expect((await mcpgen(folder, ["dev"])).stderr).toContain("MG2107");
  },
);

test.skipIf(!canGive)("servers of another user's file are neither used nor listed", async () => {
  const folder = temporaryFolder({
    ".mcp.json": JSON.stringify({ mcpServers: { weather: { url: "http://127.0.0.1:1/mcp" } } }),
    ".cursor/mcp.json": JSON.stringify({ mcpServers: { mine: { url: "http://127.0.0.1:1/mcp" } } }),
  });
  chownSync(join(folder, ".mcp.json"), other, other);
  const listed = await mcpgen(folder, ["list", "--json"]);
  const { servers, findings } = JSON.parse(listed.stdout) as {
    servers: { name: string }[];
    findings: object[];
  };
  expect(servers.map(({ name }) => name)).toEqual(["mine"]);
  expect(findings).toMatchObject([
    { severity: "warning", message: expect.stringContaining("another user") as string },
  ]);
  expect((await mcpgen(folder, ["call", "weather", "t"])).stderr).toContain("MG2107");
});

test.skipIf(!canGive)("the user's own file of servers counts only if it is the user's", async () => {
  const home = temporaryFolder({
    ".cursor/mcp.json": JSON.stringify({ mcpServers: { a: { url: "http://127.0.0.1:1/" } } }),
  });
  const work = temporaryFolder();
  mkdirSync(join(work, ".git"));
  const env = { HOME: home };
  expect((await mcpgen(work, ["call", "a", "t"], { env })).stderr).toContain("MG4102");
  chownSync(join(home, ".cursor/mcp.json"), other, other);
  expect((await mcpgen(work, ["call", "a", "t"], { env })).stderr).toContain("MG2107");
  const hash = await trustOf(home);
  expect((await mcpgen(work, ["call", "a", "t"], { env: { ...env, ...hash } })).stderr).toContain("MG2107");
});

import { describe, expect, test } from "vitest";
import { commands, globalOptions } from "../../generator/command/commands.js";
import { smallProject } from "../support/small-protocol.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";

describe("a command line that cannot be read exits with 2, a code and what was meant", () => {
  test.each<[string, string, string, RegExp]>([
    ["generat", "MG2001", 'there is no command "generat"', /mcpgen generate/],
    ["revision ad", "MG2001", 'there is no command "revision ad"', /mcpgen revision add/],
    ["bogus", "MG2001", 'there is no command "bogus"', /--help/],
    ["task frobnicate", "MG2001", 'there is no command "task frobnicate"', /See `mcpgen task --help`/],
    ["generate --revison x", "MG2002", "there is no option --revison", /Did you mean --revision\?/],
    ["generate --import-extnsion=ts", "MG2002", "there is no option --import-extnsion", /--import-extension/],
    ["check -x", "MG2002", "there is no option -x", /check --help/],
    ["check -qx", "MG2002", "there is no option -x", /check --help/],
    ["check -server stdio:x", "MG2002", "there is no option -server", /Did you mean --server\?/],
    ["check -servr=stdio:x", "MG2002", "there is no option -servr", /Did you mean --server\?/],
    ["check stdio:a,b", "MG2002", 'unexpected argument "stdio:a,b"', /Did you mean --server stdio:a,b\?/],
    ["check https://x/?a=1", "MG2002", "unexpected argument", /Did you mean --server 'https:\/\/x\/\?a=1'\?/],
    ["call --hlp", "MG2002", "there is no option --hlp", /Did you mean --help\?/],
    ["call --timout 3 s t", "MG2002", "there is no option --timout", /Did you mean --timeout\?/],
    ["--hlp", "MG2002", "there is no option --hlp", /Did you mean --help\?/],
    ["revision --hlp", "MG2002", "there is no option --hlp", /Did you mean --help\?/],
    ["help call --hlp", "MG2002", "there is no option --hlp", /Did you mean --help\?/],
    ["check extra", "MG2002", 'unexpected argument "extra"', /check --help/],
    ["init server my weather", "MG2002", 'unexpected argument "weather"', /[Qq]uotes.*init server --help/],
    [
      "check --format jsno",
      "MG2004",
      "expected --format to be one of text, json, markdown, github, html",
      /Did you mean json/,
    ],
    ["generate --out", "MG2003", "expected a value after --out", /generate --help/],
    ["generate --out=", "MG2003", "expected a value after --out", /leave the option out/],
    ["generate --only=,", "MG2003", "expected a value after --only", /leave the option out/],
    ["generate --revision=", "MG2003", "expected a value after --revision", /generate --help/],
    ["generate --out /", "MG3002", "got the root of the file system", /--out/],
    ["generate --out a --out b", "MG2004", "--out is given 2 times", /once/],
    ["validate x.jsonl", "MG2003", "expected --revision", /validate --help/],
    ["revision add", "MG2003", "expected FILE, URL or - for standard input", /revision add --help/],
    ["generate --schema x.json", "MG2005", "--schema needs --name", /--name/],
    ["generate --name x", "MG2005", "--name needs --schema", /schema/],
    ["generate --notes x", "MG2005", "--notes needs --schema", /schema/],
    ["generate --check --force", "MG2005", "--check and --force exclude each other", /--check/],
    ["generate --schema x --name ../x", "MG2008", 'cannot be called "../x"', /letters/],
    ["generate", "MG2010", "there is no revision to generate", /--contract FILE --out DIR[^]*revision add/],
    ["generate --revision 2025", "MG2010", 'there is no revision "2025"', /revision add/],
    ["explain MG310", "MG2006", 'there is no code or rule "MG310"', /Did you mean MG\d{4}/],
    ["explain -- --json", "MG2006", 'there is no code or rule "--json"', /explain/],
    ["init server -- a --name", "MG2002", 'unexpected argument "--name"', /init server --help/],
    ["lint", "MG2003", "expected contract FILE, URL, stdio:…, the name of a server, or -", /lint --help/],
    [
      "package dokcer",
      "MG2004",
      "expected TARGET to be one of docker, registry, mcpb",
      /Did you mean docker/,
    ],
    ["call -- stdio:x", "MG2003", "expected TOOL", /call --help/],
    ["docs x --format text", "MG2004", "expected --format to be one of html, markdown, json", /Choose/],
    ["check --config none.json", "MG2101", "there is no such file", /--config/],
  ])("mcpgen %s", async (line, code, message, next) => {
    const ran = await mcpgen(temporaryFolder(), line === "" ? [] : line.split(" "));
    expect(ran.stderr).toContain(`error ${code}: `);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr.split("→")[1]).toMatch(next);
    expect(ran.stdout).toBe("");
    expect(ran.code).toBe(2);
  });
});

test("a misspelt option is named by every command, whatever else is missing", async () => {
  for (const { name } of commands) {
    const { code, stderr } = await mcpgen(temporaryFolder(), [...name.split(" "), "--qiet"]);
    expect([name, code, stderr]).toEqual([
      name,
      2,
      expect.stringContaining("MG2002: there is no option --qiet"),
    ]);
    expect(stderr, name).toContain("Did you mean --quiet?");
  }
});

test.each(["mcp.contract.yaml", "mcp.contract.json"])(
  "generate beside a contract names --contract: %s",
  async (name) => {
    const folder = temporaryFolder({ [name]: '{ "name": "a", "version": "1" }' });
    const { code, stderr } = await mcpgen(folder, ["generate"]);
    const next = `mcpgen generate --contract ${name} --out src/generated`;
    expect([code, stderr]).toEqual([2, expect.stringContaining(next)]);
    const check = await mcpgen(folder, ["check"]);
    expect(check.stderr).toContain(`To compare ${name} with a server: \`mcpgen check --server SOURCE\`.`);
    expect((await mcpgen(folder, next.split(" ").slice(1))).code).toBe(0);
  },
);

test("an example of the help can be copied: it has a separate line", async () => {
  for (const { name, examples = [] } of commands) {
    const { stdout } = await mcpgen(temporaryFolder(), ["help", ...name.split(" ")]);
    for (const [example, description] of examples)
      expect(stdout, name).toContain(`  # ${description}\n  ${example.replace("$0", "mcpgen")}\n`);
  }
});

test("arguments after -- are positional, and are not ignored", async () => {
  const folder = temporaryFolder();
  const { stdout, code } = await mcpgen(folder, ["init", "server", "--dry-run", "--yes", "--", "--foo"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("--foo/")]);
  const called = await mcpgen(folder, ["call", "--", "ftp://x", "tool"]);
  expect(called.stderr).toContain(
    'MG2014: expected a server: http(s)://…, stdio:COMMAND … or a name, got "ftp://x"',
  );
  expect((await mcpgen(folder, ["--", "explain", "MG3102"])).stdout).toContain("MG3102");
});

test("--help lists every command and every exit code", async () => {
  const { stdout, code } = await mcpgen(temporaryFolder(), ["--help"]);
  expect(code).toBe(0);
  for (const { name } of commands) expect(stdout).toContain(`mcpgen ${name.split(" ")[0]}`);
  expect(stdout).toContain(
    [
      "Exit codes:",
      "    0  clean",
      "    1  findings or drift",
      "    2  usage or configuration",
      "    3  input cannot be read or is not what it should be",
      "    4  network or server",
      "   70  a bug in mcpgen",
      "  130  ended with Ctrl-C",
    ].join("\n"),
  );
});

test("the help of a command lists its options and those of every command", async () => {
  for (const { name, options } of commands) {
    const { stdout } = await mcpgen(temporaryFolder(), [...name.split(" "), "--help"]);
    for (const option of [...Object.keys(options ?? {}), ...Object.keys(globalOptions)]) {
      expect(stdout, name).toContain(`--${option}`);
    }
  }
});

test("completion offers every option of every command", async () => {
  for (const { name, options } of commands) {
    const words = ["--get-yargs-completions", ...name.split(" "), "--"];
    const offered = (await mcpgen(temporaryFolder(), words)).stdout.split("\n");
    expect(offered, name).toEqual(
      expect.arrayContaining(Object.keys(options ?? {}).map((option) => `--${option}`)),
    );
  }
  expect((await mcpgen(temporaryFolder(), ["completion"])).stdout).toContain("mcpgen");
});

test.each(["fish", "powershell"])("completion for %s asks mcpgen what may come next", async (shell) => {
  const { stdout, code } = await mcpgen(temporaryFolder(), ["completion", shell]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("mcpgen --get-yargs-completions")]);
});

test("completion for an unknown shell", async () => {
  const { code, stderr } = await mcpgen(temporaryFolder(), ["completion", "tcsh"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("error MG2004: expected SHELL to be one of fish, powershell"),
  ]);
});

test("-h is --help; -v is --version alone, and --verbose beside a command", async () => {
  const folder = temporaryFolder();
  for (const [short, long] of [
    [["-h"], ["--help"]],
    [
      ["check", "-h"],
      ["check", "--help"],
    ],
    [["-v"], ["--version"]],
  ] as const) {
    const ran = await mcpgen(folder, short);
    expect(ran).toEqual(await mcpgen(folder, long));
    expect([ran.code, ran.stdout.length > 4]).toEqual([0, true]);
  }
  expect((await mcpgen(folder, ["revision", "list", "-v"])).stderr).toContain("no configuration file");
});

test("help COMMAND is COMMAND --help, and a line without a command prints the help", async () => {
  const folder = temporaryFolder();
  for (const words of [[], ["revision"], ["init"]])
    for (const more of [[], ["--json"]])
      expect(await mcpgen(folder, [...words, ...more])).toEqual(
        await mcpgen(folder, ["help", ...words, ...more]),
      );
  for (const words of [[], ["check"], ["revision"], ["revision", "add"], ["init", "server"], ["list"]]) {
    const ran = await mcpgen(folder, ["help", ...words]);
    expect(ran).toEqual(await mcpgen(folder, [...words, "--help"]));
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
  }
  const unknown = await mcpgen(folder, ["help", "chek"]);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    'error MG2001: there is no command "chek"\n  → Did you mean `mcpgen check`?\n',
  ]);
});

test("-q is --quiet", async () => {
  const folder = temporaryFolder({ "a.yaml": "name: a\nversion: '1'\n" });
  const quiet = await mcpgen(folder, ["list", "a.yaml", "-q"]);
  expect(quiet).toEqual(await mcpgen(folder, ["list", "a.yaml", "--quiet"]));
  expect(quiet.stdout).toBe("a 1\n");
});

test.each(["Upper", "a b", "@scope", "@scope/", ".hidden", "_x", "a".repeat(215), "a/b"])(
  "the package name %j is refused, because npm would refuse it",
  async (name) => {
    const folder = await smallProject({ "named.json": JSON.stringify({ package: name }) });
    const option = await mcpgen(folder, ["generate", `--package=${name}`]);
    expect([option.code, option.stderr]).toEqual([2, expect.stringContaining("error MG2004")]);
    const config = await mcpgen(folder, ["generate", "--config=named.json"]);
    expect([config.code, config.stderr]).toEqual([
      2,
      expect.stringMatching(/named\.json \/package: error MG2103/),
    ]);
  },
);

test("a folder given with --schema is named", async () => {
  const folder = await smallProject();
  const { code, stderr } = await mcpgen(folder, ["generate", "--schema", "schema", "--name", "x"]);
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining("schema: error MG1001: expected a file, got a folder"),
  ]);
});

describe("--json prints one document and nothing else", () => {
  test.each([
    "revision list",
    "explain MG3102",
    "explain",
    "revision verify",
    "generate",
    "nonsense",
    "check --full",
  ])("mcpgen %s", async (line) => {
    const { stdout, code } = await mcpgen(temporaryFolder(), [...line.split(" "), "--json"]);
    const document = JSON.parse(stdout) as { format: number; exit: number; error?: { code: string } };
    expect(document).toMatchObject({ format: 1, exit: code });
    expect(document.error === undefined).toBe(code < 2);
  });
});

test("an error becomes an annotation with --format github", async () => {
  const { stdout, stderr } = await mcpgen(temporaryFolder({ "mcpgen.config.json": '{\n  "outt": "x"\n}' }), [
    "check",
    "--format=github",
  ]);
  expect(stdout).toMatch(
    /^::error file=.*mcpgen\.config\.json,line=2,col=11,title=MG2102::\/outt: there is no key "outt"%0A/,
  );
  expect(stderr).toBe("");
});

test("an unforeseen exception is a bug of mcpgen: exit code 70, the stack only with --verbose", async () => {
  const nowhere = undefined as unknown as string;
  const { code, stderr } = await mcpgen(nowhere, ["check"]);
  expect(code).toBe(70);
  expect(stderr).toContain("error MG7001: a bug in mcpgen: ");
  expect(stderr).not.toContain("    at ");
  expect((await mcpgen(nowhere, ["check", "--verbose"])).stderr).toContain("    at ");
});

test("a folder instead of a file is reported as the user's mistake, not as a bug", async () => {
  const folder = temporaryFolder({ "schema/lock.json/file": "" });
  const { code, stderr } = await mcpgen(folder, ["revision", "list"]);
  expect([code, stderr]).toEqual([3, expect.stringContaining("error MG1001: expected a file, got a folder")]);
});

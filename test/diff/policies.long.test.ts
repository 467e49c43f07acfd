import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { files, run } from "./small-files.js";

const approval = (fingerprint: string, more: object = {}): string =>
  JSON.stringify({
    format: 1,
    approvals: [
      {
        fingerprint,
        rule: "property-added-required",
        subject: "EchoParams.lang",
        reason: "meant",
        by: "me",
        until: "2999-12-31",
        ...more,
      },
    ],
  });

async function fingerprintIn(folder: string): Promise<string> {
  const { stdout } = await run(folder, "breaking.json", "--json");
  return (JSON.parse(stdout) as { findings: { fingerprint: string }[] }).findings[0]!.fingerprint;
}

test("an approved finding does not fail the command; an expired approval does, and is named", async () => {
  const fingerprint = await fingerprintIn(temporaryFolder(files));
  const approved = await run(
    temporaryFolder({ ...files, "mcp-approvals.json": approval(fingerprint) }),
    "breaking.json",
  );
  expect(approved.code).toBe(0);
  expect(approved.stdout).toContain("approved");
  const expired = approval(fingerprint, { until: "2020-01-01" });
  const after = await run(temporaryFolder({ ...files, "mcp-approvals.json": expired }), "breaking.json");
  expect(after.code).toBe(1);
  expect(after.stdout).toContain("warning MG3204");
});

test("an approval may cover a rule at a place, for any values", async () => {
  const any = approval("", { fingerprint: undefined, values: "any" });
  const run2 = (text: string) =>
    run(temporaryFolder({ ...files, "mcp-approvals.json": text }), "breaking.json");
  expect(await run2(any)).toMatchObject({ code: 0, stdout: expect.stringContaining("approved") as string });
  const elsewhere = await run2(any.replace("EchoParams.lang", "EchoParams.text"));
  expect(elsewhere.code).toBe(1);
  expect(elsewhere.stdout).toContain(
    "property-added-required on EchoParams.text (any value) matches no finding",
  );
  expect((await run2(any.replace("2999", "2020"))).stdout).toContain("(any value) expired on 2020-12-31");
});

test.each<[object, RegExp]>([
  [{ values: "any" }, /either a fingerprint or values, got both/],
  [{ values: "all" }, /expected values to be "any", got "all"/],
  [
    { values: "any", fingerprint: undefined, rule: "property-added-requird" },
    /no rule[^]*Did you mean property-added-required/,
  ],
  [{ fingerprint: undefined }, /expected a fingerprint, got none/],
])("an approval with %j is refused", async (more, why) => {
  const folder = temporaryFolder({ ...files, "mcp-approvals.json": approval("0123456789ab", more) });
  const { code, stderr } = await run(folder, "breaking.json");
  expect([code, stderr]).toEqual([3, expect.stringMatching(/MG3205/)]);
  expect(stderr).toMatch(why);
});

test("the printed line approves the finding after it is added to the file", async () => {
  const { stdout } = await run(temporaryFolder(files), "breaking.json");
  const line = JSON.parse(/^ {2}(\{"fingerprint".*\})$/m.exec(stdout)![1]!) as object;
  const approvals = JSON.stringify({
    format: 1,
    approvals: [{ ...line, reason: "meant", by: "me", until: "2999-12-31" }],
  });
  expect(
    (await run(temporaryFolder({ ...files, "mcp-approvals.json": approvals }), "breaking.json")).code,
  ).toBe(0);
});

test("the report prints a whole approvals file if none exists, else a line for the named one", async () => {
  const { stdout } = await run(temporaryFolder(files), "breaking.json");
  const printed = /^ {2}\{"format":1[^]*?^ {2}\]\}$/m.exec(stdout)![0];
  const written = printed.replaceAll("…", "meant").replace("YYYY-MM-DD", "2999-12-31");
  const folder = temporaryFolder({ ...files, "mcp-approvals.json": written });
  expect((await run(folder, "breaking.json")).code).toBe(0);
  const other = temporaryFolder({ ...files, "other.json": '{"format":1,"approvals":[]}' });
  expect((await run(other, "breaking.json", "--approvals", "other.json")).stdout).toContain(
    'add its line to "approvals" in other.json:',
  );
});

test("an approval that matches nothing is named", async () => {
  const folder = temporaryFolder({ ...files, "mcp-approvals.json": approval("0".repeat(12)) });
  const { code, stdout } = await run(folder, "safe.json");
  expect(code).toBe(0);
  expect(stdout).toContain("warning MG3203");
});

test.each([
  ["[]", /MG3205: expected \{ "format": 1/],
  ['{"format":1,"approvals":[{"fingerprint":"x"}]}', /\/approvals\/0.*MG3205: expected a rule, got none/],
])("approvals %s are malformed", async (content, message) => {
  const { code, stderr } = await run(
    temporaryFolder({ ...files, "mcp-approvals.json": content }),
    "safe.json",
  );
  expect(code).toBe(3);
  expect(stderr).toMatch(message);
});

test.each([
  [{ reason: "" }, /:\d+:\d+ .*MG3205: expected a reason, got ""/],
  [{ reason: "…" }, /MG3205: expected a reason, got "…"/],
  [{ by: " " }, /MG3205: expected a by, got " "/],
  [{ until: undefined }, /MG3205: expected until to be a day, YYYY-MM-DD, got none/],
  [{ until: "2026-02-31" }, /MG3205: expected until to be a day, YYYY-MM-DD, got "2026-02-31"/],
  [{ until: "YYYY-MM-DD" }, /MG3205: expected until to be a day/],
  [
    { until: undefined, untill: "2026-02-03" },
    /MG3205: there is no key "untill" here\n.*Did you mean until\?/,
  ],
])("an approval with %j is refused", async (more, message) => {
  const folder = temporaryFolder({ ...files, "mcp-approvals.json": approval("0".repeat(12), more) });
  const { code, stderr } = await run(folder, "safe.json");
  expect(stderr).toMatch(message);
  expect(code).toBe(3);
});

test("a duplicate approval is refused", async () => {
  const once = JSON.parse(approval("0".repeat(12))) as { approvals: object[] };
  const twice = JSON.stringify({ ...once, approvals: [...once.approvals, ...once.approvals] });
  const { code, stderr } = await run(temporaryFolder({ ...files, "mcp-approvals.json": twice }), "safe.json");
  expect(stderr).toMatch(/MG3205: \/approvals\/0 approves 000000000000 already/);
  expect(code).toBe(3);
});

test.each([{ rule: "property-removed" }, { subject: "EchoParams.text" }])(
  "an approval with %j, which does not match the finding, is not valid",
  async (more) => {
    const fingerprint = await fingerprintIn(temporaryFolder(files));
    const content = approval(fingerprint, more);
    const { code, stdout } = await run(
      temporaryFolder({ ...files, "mcp-approvals.json": content }),
      "breaking.json",
    );
    expect(stdout).toMatch(
      /mcp-approvals\.json:1:\d+ .*warning MG3203: .* is not valid: .* property-added-required on EchoParams\.lang/,
    );
    expect(code).toBe(1);
  },
);

test("with a baseline only new findings fail", async () => {
  const folder = temporaryFolder(files);
  const { stdout } = await run(folder, "breaking.json", "--json");
  const withBaseline = temporaryFolder({ ...files, "base.json": stdout });
  const again = await run(withBaseline, "breaking.json", "--baseline", "base.json", "--quiet");
  expect(again.code).toBe(0);
  expect(again.stdout).not.toContain("EchoParams.lang");
  expect(again.stdout).toContain("1 finding in the baseline; --verbose lists them, too.");
  expect((await run(withBaseline, "breaking.json", "--baseline", "base.json", "--verbose")).stdout).toContain(
    "EchoParams.lang",
  );
  expect(
    (await run(withBaseline, "dangerous.json", "--baseline", "base.json", "--fail-on", "any")).code,
  ).toBe(1);
  expect(
    (await run(temporaryFolder({ ...files, "base.json": "{}" }), "safe.json", "--baseline", "base.json"))
      .code,
  ).toBe(3);
});

const config = (rules: object): string => JSON.stringify({ diff: { rules } });

test("the configuration gives rules other severities", async () => {
  const off = temporaryFolder({
    ...files,
    "mcpgen.config.json": config({ "property-added-required": "off" }),
  });
  expect((await run(off, "breaking.json")).stdout).toContain("no differences");
  const harsh = temporaryFolder({
    ...files,
    "mcpgen.config.json": config({ "bound-tightened": "breaking" }),
  });
  expect((await run(harsh, "dangerous.json")).code).toBe(1);
  const wrong = await run(
    temporaryFolder({ ...files, "mcpgen.config.json": config({ "enum-value-aded": "off" }) }),
    "safe.json",
  );
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(
    /MG3207: there is no rule "enum-value-aded"\n.*Did you mean enum-value-added\?/,
  );
});

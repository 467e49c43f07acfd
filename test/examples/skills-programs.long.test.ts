import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clientRevisions } from "@mcpgen/protocol/client";
import { skills } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/client";
import { connect } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { allSkills } from "../../examples/skills-client/held-skill.js";
import { skillServer } from "../../examples/skills/server.js";
import { SkillFolder } from "../../examples/skills/skill-folder.js";
import { builtProgram } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const program = builtProgram("examples/skills/main.ts");
const clientProgram = builtProgram("examples/skills-client/main.ts");
const manifest = "---\nname: plan\ndescription: Does it.\n---\n";

test("the server's program reports what it leaves out, and serves the rest on stdio", async () => {
  const folder = temporaryFolder({ "plan/SKILL.md": manifest, "other/SKILL.md": manifest });
  const errors: string[] = [];
  const args = [program, folder, "--no-directories"];
  const source = { command: process.execPath, args, stderr: (text: string) => void errors.push(text) };
  const client = await connect(source, { revisions: clientRevisions, extensions: [skills] });
  onTestFinished(() => client.close());
  expect(client.serverCapabilities.extensions).toEqual({ "io.modelcontextprotocol/skills": {} });
  expect(await allSkills(client)).toMatchObject([{ uri: "skill://plan/SKILL.md" }]);
  expect(errors.join("")).toContain(`left out: ${join("other", "SKILL.md")}: its name is "plan"`);
});

test("the client's program lists skills of a server over HTTP, and loads one", async () => {
  const folder = await SkillFolder.at(resolve("examples/skills/catalog"));
  const letter = folder.files.get("skill://acme/refunds/examples/letter.md")!;
  letter.bytes.write("MONEY");
  const server = skillServer(folder, true);
  const { url, close } = await serveHttp(server, { port: 0 });
  onTestFinished(close);
  const run = (...args: string[]) => {
    return new Promise<{ output: string; errors: string; code: unknown }>((settle) => {
      execFile(process.execPath, [clientProgram, url, ...args], (error, output, errors) =>
        settle({ output, errors, code: error?.code ?? 0 }),
      );
    });
  };
  expect(await run()).toMatchObject({
    output: expect.stringMatching(/^skill:\/\/acme\/refunds.*\nskill:.*\n$/) as string,
  });
  const uri = "skill://acme/refunds/SKILL.md";
  const { output } = await run(uri, "scripts/amount.py");
  expect(output).toContain(`from ${url}: ${uri}`);
  expect(output).toContain("print(round(");
  const changed = await run(uri, "examples/letter.md");
  expect(changed).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^skill:.*letter.md: its digest/) as string,
  });
  expect(changed.errors.trim().split("\n")).toHaveLength(1);
});

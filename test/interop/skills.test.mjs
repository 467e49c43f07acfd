// Skills between ours and the official SDK, version 2, both ways: our examples, and the SDK's module of skills.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { clientRevisions } from "@mcpgen/protocol/client";
import {
  getSkill,
  listSkills,
  readResourceDirectory,
  skills,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/client";
import { connect } from "@mcpgen/runtime";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillVerificationError, SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { modern } from "./peers.mjs";
import { started } from "./started.mjs";

const file = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const ours = file("../../dist/examples/skills/main.js");
const ourClient = file("../../dist/examples/skills-client/main.js");
const theirs = file("servers/skills-sdk-v2.mjs");
const catalog = file("../../examples/skills/catalog");

const revisions = ["2025-06-18", "2025-11-25", modern];
const refunds = "skill://acme/refunds/SKILL.md";
const letter = "skill://acme/refunds/examples/letter.md";
const letterText = await readFile(join(catalog, "acme/refunds/examples/letter.md"), "utf8");
const names = (all) => all.map(({ uri }) => uri).sort();
const all = [refunds, "skill://code-review/SKILL.md"];
const children = [
  ["SKILL.md", "text/markdown"],
  ["examples", "inode/directory"],
  ["scripts", "inode/directory"],
];
const childrenOf = ({ resources }) =>
  resources.map(({ name, mimeType }) => [name, mimeType]).sort(([one], [other]) => (one < other ? -1 : 1));

for (const revision of revisions)
  for (const way of ["stdio", "HTTP"])
    test(`the SDK's client of skills with our server over ${way} at ${revision}`, async () => {
      const server = way === "HTTP" ? await started([ours, catalog, "--port", "0"]) : undefined;
      const client = new Client(
        { name: "host", version: "1.0.0" },
        revision === modern
          ? { versionNegotiation: { mode: { pin: modern } } }
          : { supportedProtocolVersions: [revision] },
      );
      try {
        await client.connect(
          server
            ? new StreamableHTTPClientTransport(server.url)
            : new StdioClientTransport({ command: process.execPath, args: [ours, catalog] }),
        );
        assert.equal(client.getNegotiatedProtocolVersion(), revision);
        await useTheirClient(new SkillsClient(client));
      } finally {
        await client.close();
        await server?.close();
      }
    });

async function useTheirClient(host) {
  assert.deepEqual([host.supported, host.directoryRead], [true, true]);
  const listed = await host.list();
  assert.deepEqual(names(listed.skills), all);
  const { skill } = await host.get(refunds);
  assert.deepEqual(
    skill,
    listed.skills.find(({ uri }) => uri === refunds),
  );
  const manifest = await host.read(skill);
  assert.deepEqual([manifest.verified, manifest.frontmatter.name], [true, "refunds"]);
  const read = await host.read(skill, "examples/letter.md");
  assert.deepEqual([read.verified, read.text], [true, letterText]);
  assert.deepEqual(childrenOf(await host.readDirectory("skill://acme/refunds")), children);
  await assert.rejects(host.read(skill, "../../code-review/SKILL.md"), SkillVerificationError);
  await assert.rejects(host.get("skill://gone/SKILL.md"), { code: -32602 });
  await assert.rejects(host.readDirectory(refunds), { code: -32602 });
}

for (const [way, modes] of [
  ["stdio", revisions],
  ["sessions", revisions.slice(0, 2)],
  ["handler", revisions],
])
  for (const revision of modes)
    test(`our client of skills with the SDK's server (${way}) at ${revision}`, async () => {
      const server = way === "stdio" ? undefined : await started([theirs, catalog, way]);
      const source = server ? server.url.href : { command: process.execPath, args: [theirs, catalog] };
      const client = await connect(source, { revisions: clientRevisions, revision, extensions: [skills] });
      try {
        await useTheirServer(client);
        if (server && revision === revisions.at(-1)) await runOurProgram(server.url.href);
      } finally {
        await client.close();
        await server?.close();
      }
    });

async function useTheirServer(client) {
  assert.deepEqual(client.serverCapabilities.extensions, {
    "io.modelcontextprotocol/skills": { directoryRead: true },
  });
  const first = await listSkills(client);
  assert.equal(first.skills.length, 1);
  const second = await listSkills(client, { cursor: first.nextCursor });
  assert.deepEqual(names([...first.skills, ...second.skills]), all);
  assert.equal(second.nextCursor, undefined);
  const { skill } = await getSkill(client, { uri: refunds });
  assert.deepEqual(skill.frontmatter.name, "refunds");
  const { digest, size } = skill.resources.find(({ uri }) => uri === letter);
  const { contents } = await client.readResource(letter);
  assert.equal(contents[0].text, letterText);
  assert.equal(digest, `sha256:${createHash("sha256").update(letterText).digest("hex")}`);
  assert.equal(size, Buffer.byteLength(letterText));
  const found = [];
  for (let cursor; ;) {
    const page = await readResourceDirectory(client, {
      uri: "skill://acme/refunds",
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...page.resources);
    if ((cursor = page.nextCursor) === undefined) break;
  }
  assert.deepEqual(childrenOf({ resources: found }), children);
  await assert.rejects(getSkill(client, { uri: "skill://gone/SKILL.md" }), { rpcCode: -32602 });
  await assert.rejects(readResourceDirectory(client, { uri: letter }), { rpcCode: -32602 });
}

/** The example client lists and loads a skill; it ends with an error if a digest or the frontmatter differs. */
async function runOurProgram(url) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ourClient,
    url,
    refunds,
    "examples/letter.md",
  ]);
  assert.ok(stdout.includes(letterText));
}

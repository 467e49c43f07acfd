import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { clientRevisions } from "@mcpgen/protocol/client";
import {
  type Skill,
  getSkill,
  listSkills,
  readResourceDirectory,
  skills as skillsClient,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/client";
import { skills as skillsServer } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { type Client, connect, createServer, memoryChannels } from "@mcpgen/runtime";
import { HeldSkill, VerificationError, allSkills } from "../../examples/skills-client/held-skill.js";
import { frontmatterOf } from "../../examples/skills/frontmatter.js";
import { skillServer } from "../../examples/skills/server.js";
import { SkillFolder, digestOf } from "../../examples/skills/skill-folder.js";
import { failureOf } from "../support/failure-of.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const catalog = resolve("examples/skills/catalog");

/** A client of the server of a folder, in this process. */
async function open(path: string, revision = "2026-07-28", directoryRead = true): Promise<Client> {
  const [near, far] = memoryChannels();
  skillServer(await SkillFolder.at(path), directoryRead).connect(far);
  const client = await connect(near, { revisions: clientRevisions, revision, extensions: [skillsClient] });
  onTestFinished(() => client.close());
  return client;
}

const review = "skill://code-review/SKILL.md";

describe.each(["2025-06-18", "2025-11-25", "2026-07-28"])("the server at %s", (revision) => {
  test("lists, describes and reads skills", async () => {
    const client = await open(catalog, revision);
    expect(client.serverCapabilities.extensions).toEqual({
      "io.modelcontextprotocol/skills": { directoryRead: true },
    });
    const all = await allSkills(client);
    expect(all.map(({ uri }) => uri)).toEqual(["skill://acme/refunds/SKILL.md", review]);
    const { skill } = await getSkill(client, { uri: review });
    expect(skill).toEqual(all[1]);
    expect(skill.frontmatter).toMatchObject({ name: "code-review", metadata: { version: "1.2" } });
    const held = await HeldSkill.load(client, skill);
    expect(frontmatterOf(held.text)).toEqual(skill.frontmatter);
    expect(Buffer.from(await held.read("references/checklist.md")).toString()).toContain("# Checklist");
  });

  test("lists the first file of each skill among its resources", async () => {
    const client = await open(catalog, revision);
    const { items } = await client.listResources();
    expect(items).toMatchObject([
      { uri: "skill://acme/refunds/SKILL.md", name: "refunds", mimeType: "text/markdown" },
      { uri: review, name: "code-review", description: expect.stringContaining("checklist") as string },
    ]);
  });

  test("reads directories", async () => {
    const client = await open(catalog, revision);
    const read = async (uri: string) => (await readResourceDirectory(client, { uri })).resources;
    expect(await read("skill://acme")).toEqual([
      { uri: "skill://acme/refunds", name: "refunds", mimeType: "inode/directory" },
    ]);
    expect((await read("skill://acme/refunds")).map(({ name, mimeType }) => [name, mimeType])).toEqual([
      ["SKILL.md", "text/markdown"],
      ["examples", "inode/directory"],
      ["scripts", "inode/directory"],
    ]);
    for (const uri of [review, "skill://code-review/", "skill://gone", "skill://acme/.."])
      expect(await failureOf(read(uri)), uri).toMatchObject({ rpcCode: -32602 });
  });

  test("has no directories without the setting", async () => {
    const client = await open(catalog, revision, false);
    expect(client.serverCapabilities.extensions).toEqual({ "io.modelcontextprotocol/skills": {} });
    expect(await failureOf(readResourceDirectory(client, { uri: "skill://acme" }))).toMatchObject({
      code: "missing-capability",
    });
  });

  test("refuses unknown URIs and cursors as invalid params", async () => {
    const client = await open(catalog, revision);
    for (const uri of ["skill://gone/SKILL.md", "skill://code-review/references/checklist.md", "file:///etc"])
      expect(await failureOf(getSkill(client, { uri })), uri).toMatchObject({ rpcCode: -32602 });
    for (const cursor of ["3", "-1", "1e0", "one"])
      expect(await failureOf(listSkills(client, { cursor })), cursor).toMatchObject({ rpcCode: -32602 });
  });
});

const manifest = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n`;

test("RSRC-03: nothing leads out of the folder", async () => {
  const outside = temporaryFolder({
    "secret.txt": "secret",
    "served-too/SKILL.md": manifest("served-too"),
    "served/SKILL.md": manifest("served"),
    "served/loose.txt": "no file of a skill",
    "served/plan/SKILL.md": manifest("plan"),
    "served/plan/a b#?.md": "a",
    "served/plan/.env": "hidden",
    "served/plan/bytes": Uint8Array.of(0xff, 0xfe),
  });
  const folder = join(outside, "served");
  symlinkSync("../../secret.txt", join(folder, "plan/link.txt"));
  symlinkSync("../..", join(folder, "plan/up"));
  symlinkSync("../served-too", join(folder, "served-too"));
  const client = await open(folder);
  const [{ resources }] = (await allSkills(client)) as [Skill];
  const listed = (resources as { uri: string }[]).map(({ uri }) => uri);
  expect(listed).toEqual(["skill://plan/SKILL.md", "skill://plan/a%20b%23%3F.md", "skill://plan/bytes"]);
  expect((await client.readResource(listed[1]!)).contents).toMatchObject([{ text: "a" }]);
  expect((await client.readResource(listed[2]!)).contents).toMatchObject([{ blob: "//4=" }]);
  const there = await failureOf(client.readResource("skill://plan/gone"));
  for (const uri of [
    "skill://plan/../secret.txt",
    "skill://plan/../../secret.txt",
    "skill://plan/..%2f..%2fsecret.txt",
    "skill://plan/%2e%2e/%2e%2e/secret.txt",
    "skill://plan/..\\..\\secret.txt",
    "skill://../secret.txt",
    "skill://%2e%2e/secret.txt",
    "skill://%2fetc%2fpasswd",
    "skill:///etc/passwd",
    "skill:////etc/passwd",
    `skill://${join(outside, "secret.txt")}`,
    "skill://plan/link.txt",
    "skill://plan/up/secret.txt",
    "skill://plan/.env",
    "skill://plan/SKILL.md/",
    "skill://plan/./SKILL.md",
    "skill://plan/%00",
    "skill://plan/a b#?.md",
    "skill://served-too/SKILL.md",
    "skill://SKILL.md",
    "skill://loose.txt",
    "skill://plan",
    "file:///etc/passwd",
    "skill://plan/constructor",
    "skill://__proto__",
  ])
    expect(await failureOf(client.readResource(uri)), uri).toMatchObject({
      // As if it were not there at all.
      rpcCode: (there as { rpcCode: number }).rpcCode,
    });
});

describe("a folder", () => {
  test("is left out with the reason if it is not a skill", async () => {
    const folder = temporaryFolder({
      "SKILL.md": manifest("top"),
      "bare/SKILL.md": "# No frontmatter\n",
      "broken/SKILL.md": "---\nname: [\n---\n",
      "cycle/SKILL.md": "---\nname: cycle\ndescription: Does it.\nown: &own [*own]\n---\n",
      "nameless/SKILL.md": "---\ndescription: Does it.\n---\n",
      "other/SKILL.md": manifest("another"),
      "Large/SKILL.md": manifest("Large"),
      "good/SKILL.md": manifest("good").replaceAll("\n", "\r\n"),
    });
    mkdirSync(join(folder, "many"));
    for (let index = 0; index < 512; index++) writeFileSync(join(folder, `many/${index}`), "");
    writeFileSync(join(folder, "many/SKILL.md"), manifest("many"));
    const { skills, problems } = await SkillFolder.at(folder);
    expect([...skills.keys()]).toEqual(["skill://good/SKILL.md"]);
    expect(problems.map((problem) => problem.split(":")[0]).sort()).toEqual(
      ["Large", "bare", "broken", "cycle", "many", "nameless", "other"]
        .map((name) => join(name, "SKILL.md"))
        .concat("SKILL.md")
        .sort(),
    );
    expect(problems).toContain(`${join("many", "SKILL.md")}: it has 513 files; a skill has 512 at most`);
  });

  test("may have frontmatter that JSON cannot express", async () => {
    const text = "---\nname: odd\ndescription: Does it.\nmost: .inf\nleast: -0.0\n---\n";
    const client = await open(temporaryFolder({ "odd/SKILL.md": text }));
    const { skill } = await getSkill(client, { uri: "skill://odd/SKILL.md" });
    expect((await HeldSkill.load(client, skill)).text).toBe(text);
  });

  test("below another skill is a second skill, and also belongs to the first", async () => {
    const { skills } = await SkillFolder.at(
      temporaryFolder({
        "outer/SKILL.md": manifest("outer"),
        "outer/inner/SKILL.md": manifest("inner"),
        "outer-most/SKILL.md": manifest("outer-most"),
      }),
    );
    const files = ({ resources }: Skill) => (resources as { uri: string }[]).map(({ uri }) => uri);
    expect(Object.fromEntries([...skills].map(([uri, skill]) => [uri, files(skill)]))).toEqual({
      "skill://outer-most/SKILL.md": ["skill://outer-most/SKILL.md"],
      "skill://outer/SKILL.md": ["skill://outer/SKILL.md", "skill://outer/inner/SKILL.md"],
      "skill://outer/inner/SKILL.md": ["skill://outer/inner/SKILL.md"],
    });
  });
});

test("more skills than fit into a page are listed page by page", async () => {
  const names = Array.from({ length: 101 }, (_, index) => `s${index}`);
  const folder = temporaryFolder(
    Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, manifest(name)])),
  );
  const client = await open(folder);
  expect((await listSkills(client)).skills).toHaveLength(50);
  const all = await allSkills(client);
  expect(new Set(all.map(({ frontmatter }) => frontmatter.name))).toEqual(new Set(names));
});

describe("a client that holds a skill", () => {
  const text = manifest("plan");
  const uri = "skill://plan/SKILL.md";
  const guide = "skill://plan/references/GUIDE.md";
  const entryOf = (file: string, content: string) => {
    const bytes = Buffer.from(content);
    return { uri: file, digest: digestOf(bytes), size: bytes.length };
  };
  const entry: Skill = {
    uri,
    frontmatter: { name: "plan", description: "Does plan." },
    resources: [entryOf(uri, text), entryOf(guide, "guide")],
  };

  /** A client of a server with these files, and the resources that it reads. */
  async function reading(
    files: Readonly<Record<string, string>>,
  ): Promise<{ client: Client; reads: string[] }> {
    const reads: string[] = [];
    const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
    for (const [file, content] of Object.entries({ [uri]: text, [guide]: "guide", ...files }))
      server.resource(file, {}, () => (reads.push(file), content));
    const [near, far] = memoryChannels();
    server.connect(far);
    const client = await connect(near, { revisions: clientRevisions });
    onTestFinished(() => client.close());
    return { client, reads };
  }

  test("reads a file when it is needed", async () => {
    const { client, reads } = await reading({});
    const held = await HeldSkill.load(client, entry);
    expect(reads).toEqual([uri]);
    expect(Buffer.from(await held.read("references/GUIDE.md")).toString()).toBe("guide");
  });

  test.each([
    ["size", { [uri]: `${text}more` }, entry],
    ["digest", { [uri]: text.replace("Does", "Nods") }, entry],
    ["frontmatter", {}, { ...entry, frontmatter: { ...entry.frontmatter, license: "MIT" } }],
    [
      "frontmatter",
      {},
      { ...entry, resources: "dynamic" as const, frontmatter: { name: "plan", description: "" } },
    ],
    ["is no file", {}, { ...entry, resources: [entryOf(guide, "guide")] }],
  ])("refuses a SKILL.md with another %s", async (word, files, held) => {
    const { client } = await reading(files);
    const failure = await failureOf(HeldSkill.load(client, held));
    expect(failure).toBeInstanceOf(VerificationError);
    expect((failure as Error).message).toMatch(word === "size" ? "bytes" : word);
  });

  test("refuses files that changed, are not listed or lie elsewhere", async () => {
    const { client, reads } = await reading({ [guide]: "other", "skill://plan/more.md": "more" });
    const held = await HeldSkill.load(client, entry);
    for (const reference of [
      "references/GUIDE.md",
      "more.md",
      "../other/SKILL.md",
      "skill://other/SKILL.md",
      "file:///etc/passwd",
      "references/guide.md",
    ])
      expect(await failureOf(held.read(reference)), reference).toBeInstanceOf(VerificationError);
    expect(reads).toEqual([uri, guide]);
  });

  test("reads any file in the folder of a generated skill, and no other", async () => {
    const { client, reads } = await reading({
      "skill://acme/plan/SKILL.md": text,
      "skill://acme/plan/more.md": "more",
    });
    const generated = { ...entry, uri: "skill://acme/plan/SKILL.md", resources: "dynamic" as const };
    const held = await HeldSkill.load(client, generated);
    expect(Buffer.from(await held.read("more.md")).toString()).toBe("more");
    for (const reference of ["../other/SKILL.md", "%2e%2e/more.md", "../../other/SKILL.md", uri])
      expect(await failureOf(held.read(reference)), reference).toBeInstanceOf(VerificationError);
    expect(reads).toHaveLength(2);
  });

  test("stops at a repeated cursor", async () => {
    const offered = skillsServer.implement({
      "skills/list": () => ({ skills: [entry], nextCursor: "again" }),
      "skills/get": () => ({ skill: entry }),
    });
    const server = createServer(
      { name: "s", version: "1" },
      { revisions: serverRevisions, extensions: [offered], capabilities: { resources: {} } },
    );
    const [near, far] = memoryChannels();
    server.connect(far);
    const client = await connect(near, { revisions: clientRevisions, extensions: [skillsClient] });
    onTestFinished(() => client.close());
    expect(await allSkills(client)).toHaveLength(2);
  });
});

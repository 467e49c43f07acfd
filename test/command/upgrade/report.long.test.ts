import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import {
  type Definitions,
  addRequest,
  declare,
  membersOf,
  object,
  reference,
  text,
} from "../../support/schema-changes/edits.js";
import { everything, newest, projectWith, reportOf, upgrade } from "../../support/made-up-revision.js";

/** The headings of a guide, as Markdown has them. */
function headings(markdown: string): string[] {
  return [...markdown.matchAll(/^## (.+?)(?: \(\d+\))?$/gm)].map(([, heading]) => heading!);
}

test("the guide lists the consequences for servers, clients and gateways, then the decisions, then the questions", async () => {
  const { code, stdout } = await upgrade(projectWith(everything), "--dry-run", "--format", "markdown");
  expect(code).toBe(0);
  const order = headings(stdout);
  const places = [
    /^If you write a server/,
    /^If you write a client/,
    /^If you write a gateway/,
    /^What needs code/,
    /^Decided/,
    /^To decide/,
  ].map((heading) => order.findIndex((each) => heading.test(each)));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

test("for a gateway, the report lists the messages to pass on, to translate, and to rewrite", async () => {
  const { gateway } = await reportOf(projectWith(everything), "--dry-run");
  const subjectsOf = (lead: RegExp): readonly string[] =>
    gateway.filter((point) => lead.test(point.lead)).flatMap(({ subjects }) => subjects);
  expect(subjectsOf(/^Pass on as they are/)).toContain("resources/list");
  expect(subjectsOf(/^Translate/)).toEqual(expect.arrayContaining(["tools/list", "prompts/get"]));
  expect(subjectsOf(/^Pass on as they are/)).not.toContain("tools/list");
  expect(subjectsOf(/^Methods that are new/)).toEqual(
    expect.arrayContaining([
      "events/list (request of the client)",
      "completion/suggest (request of the client)",
    ]),
  );
  expect(subjectsOf(/^Methods that are gone/)).toEqual(["completion/complete (request of the client)"]);
  expect(subjectsOf(/^Headers that repeat/)).toContain("Mcp-Name: /params/name of tools/call");
  expect(subjectsOf(/^Errors with other numbers/)).toEqual(["HEADER_MISMATCH: -32020 → -32050"]);
  expect(subjectsOf(/^Fill in again/)).toContain("Result.resultType");
  expect(subjectsOf(/^Let through unread/).join()).toContain("ContentBlock");
});

test("a draft that replaces another one needs the same code, also in gateways", async () => {
  const folder = projectWith(everything);
  const first = await reportOf(folder, "--status", "draft");
  const file = join(folder, "next.json");
  const draft = JSON.parse(readFileSync(file, "utf8")) as { readonly $defs: Definitions };
  declare(draft.$defs["Event"]!, { since: text });
  writeFileSync(file, JSON.stringify(draft));
  const again = await reportOf(folder, "--status", "draft", "--replace");
  expect(first.handwritten.length).toBeGreaterThan(3);
  expect(again.handwritten).toEqual(first.handwritten);
  expect(again.gateway).toEqual(first.gateway);
});

test("an alternative of a result is listed with its mark", async () => {
  const { gateway } = await reportOf(
    projectWith((definitions) => {
      definitions["UnchangedResult"] = object(
        { resultType: { const: "unchanged", type: "string" }, etag: text },
        ["resultType", "etag"],
      );
      const { anyOf: _, ...result } = membersOf(definitions["ListToolsResultResponse"]!)[
        "result"
      ] as JsonObject;
      membersOf(definitions["ListToolsResultResponse"]!)["result"] = {
        anyOf: [result, reference("UnchangedResult")],
      };
    }),
    "--dry-run",
  );
  const added = gateway.find(({ lead }) => lead.startsWith("Alternative results that are new"));
  expect(added?.subjects).toEqual([expect.stringContaining("tools/list: UnchangedResult")]);
});

test("notes about unchanged subjects count as decided, and questions ask about the others", async () => {
  const { settled, decisions, notes } = await reportOf(projectWith(everything), "--dry-run");
  const right = settled.find(({ title }) => title.includes("still right"))!;
  const doubtful = decisions.find(({ kind }) => kind === "carried-notes")!;
  const conflicting = decisions.find(({ kind }) => kind === "conflicting-notes")?.questions ?? [];
  const hiding = new Set(conflicting.map(({ at }) => at));
  expect(right.items.length + doubtful.questions.length + hiding.size).toBe(notes!.carried);
  expect(right.items).toContainEqual(expect.stringMatching(/^capability on roots\/list /));
  // The subjects of these notes have changed: a member has another name, an error another code.
  const asked = [...doubtful.questions, ...conflicting].map((question) => question.text);
  expect(asked).toContainEqual(expect.stringContaining("error on -32020"));
  expect(asked).toContainEqual(expect.stringContaining("/$defs/ContentBlock"));
  expect(asked.join()).not.toContain("capability on roots/list");
});

test("methods and members that the runtime handles by hand are named with their places", async () => {
  const { handwritten } = await reportOf(
    projectWith((definitions) => {
      everything(definitions);
      const bytes = structuredClone(definitions["ReadResourceResult"]!);
      definitions["DownloadResourceResult"] = bytes;
      definitions["DownloadParams"] = structuredClone(definitions["ReadResourceRequestParams"]!);
      const params = reference("DownloadParams");
      addRequest(
        definitions,
        "DownloadResource",
        "resources/download",
        params,
        reference("DownloadResourceResult"),
      );
    }),
    "--dry-run",
  );
  const of = (kind: string): (typeof handwritten)[number][] =>
    handwritten.filter((each) => each.kind === kind);
  expect(of("method-renamed")).toEqual([
    expect.objectContaining({
      subject: "completion/complete",
      text: expect.stringContaining("completion/suggest") as string,
      places: expect.arrayContaining([
        "runtime/core/server/features.ts",
        'server.handle("completion/suggest", …)',
      ]) as string[],
    }),
  ]);
  expect(of("method-split")).toEqual([
    expect.objectContaining({
      subject: "resources/download",
      text: expect.stringContaining("resources/read") as string,
    }),
  ]);
  expect(of("method-new").map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(["events/list", "events/read"]),
  );
});

/** A different handshake, and another place for the members of it that requests repeat. */
function otherHandshake(definitions: Definitions): void {
  definitions["ServerResult"]!["anyOf"] = (definitions["ServerResult"]!["anyOf"] as JsonObject[]).filter(
    ({ $ref }) => $ref !== "#/$defs/DiscoverResult",
  );
  definitions["ClientRequest"]!["anyOf"] = (definitions["ClientRequest"]!["anyOf"] as JsonObject[]).filter(
    ({ $ref }) => $ref !== "#/$defs/DiscoverRequest",
  );
  for (const name of ["DiscoverRequest", "DiscoverResult", "DiscoverResultResponse"])
    delete definitions[name];
  definitions["HelloParams"] = object({ versions: { type: "array", items: text } }, ["versions"]);
  definitions["HelloResult"] = object({ version: text }, ["version"]);
  addRequest(definitions, "Hello", "hello", reference("HelloParams"), reference("HelloResult"));
  const meta = membersOf(definitions["RequestMetaObject"]!);
  for (const name of Object.keys(meta)) if (name.startsWith("io.modelcontextprotocol/")) delete meta[name];
  meta["mcp/connection"] = text;
  definitions["RequestMetaObject"]!["required"] = ["mcp/connection"];
}

test("a changed handshake is reported, with the members that the era filled in and that no code writes now", async () => {
  const { handwritten } = await reportOf(projectWith(otherHandshake), "--dry-run");
  const subjects = handwritten.map(({ kind, subject }) => `${kind} ${subject}`);
  expect(subjects).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^handshake /),
      "method-gone server/discover",
      "method-new hello",
      "member-gone RequestMetaObject.io.modelcontextprotocol/protocolVersion",
      "member-required RequestMetaObject.mcp/connection",
    ]),
  );
  const handshake = handwritten.find(({ kind }) => kind === "handshake")!;
  expect(handshake.places).toContain("runtime/core/client/negotiation.ts");
  const version = handwritten.find(({ subject }) => subject.endsWith("protocolVersion"))!;
  expect(version.places).toEqual(["runtime/core/protocol/meta.ts"]);
});

test("members that errors must have are named", async () => {
  const change = (definitions: Definitions): void => declare(definitions["Error"]!, {}, ["data"]);
  const { handwritten } = await reportOf(projectWith(change), "--dry-run");
  expect(handwritten).toMatchObject([
    { kind: "member-required", subject: "error.data", places: ["runtime/base/jsonrpc/errors.ts"] },
  ]);
});

test("a revision that changes nothing needs no code and asks nothing of new methods", async () => {
  const { handwritten, decisions, gateway } = await reportOf(
    projectWith(() => {}),
    "--dry-run",
  );
  expect(handwritten).toEqual([]);
  expect(decisions.filter(({ kind }) => kind === "missing-notes")).toEqual([]);
  expect(gateway.map(({ lead }) => lead).join()).not.toMatch(/new|gone|Translate/);
});

test("GitHub gets each decision as a warning beside its file", async () => {
  const { stdout } = await upgrade(projectWith(everything), "--dry-run", "--format", "github");
  const annotations = stdout.split("\n").filter((line) => line.startsWith("::"));
  const asked = annotations.filter((line) => line.includes("title=MG3113"));
  expect(asked.length).toBeGreaterThan(3);
  for (const line of asked.filter((each) => each.includes(" file=")))
    expect(line).toMatch(/^::warning file=schema\/[^:]*notes\.json,/);
  expect(asked.join("\n")).toContain('"kind":"renamed"');
  expect(newest < "2031").toBe(true);
});

import { describe, expect, it } from "vitest";
import { format } from "../../../../generator/print/format.js";
import { releasedModel } from "../../../support/models.js";
import { bundled, emitted } from "../emitted-output.js";
import { revisions } from "../../../support/revisions.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

const models = await Promise.all(revisions.map(releasedModel));
const files = emitted(models, "@mcpgen/protocol");
const own = /\/(methods|client|server)\.ts$|^(model|index|authoring)\.ts$/;

describe("the output for the released revisions", () => {
  it("compiles by itself under strict TypeScript", async () => {
    expect(await compilerErrors(new Map([...files, ["usage.ts", usage]]))).toEqual([]);
  });

  it("has prettier's layout if it is marked as formatted", async () => {
    for (const [path, content] of files)
      if (own.test(path)) expect(await format(path, content), path).toBe(content);
  });

  it("names definitions in its tables like explain.ts", () => {
    for (const revision of revisions) {
      const names = files.get(`${revision}/methods.ts`)!.matchAll(/\bname: "(\w+)"/g);
      const explanations = files.get(`${revision}/explain.ts`)!;
      for (const [, name] of names) expect(explanations).toContain(`export const explain${name!} = `);
    }
  });

  it("does not refer to files outside itself", () => {
    for (const [path, content] of [...files].filter(([file]) => file.endsWith(".ts"))) {
      for (const [, target] of content.matchAll(/(?:from|import\()\s*"([^"]+)"/g)) {
        expect(target, path).toMatch(/^\.\.?\//);
        expect(
          files.has(new URL(target!.replace(/\.js$/, ".ts"), `file:///${path}`).pathname.slice(1)),
          `${path}: ${target}`,
        ).toBe(true);
      }
    }
  });
});

describe("a bundle", () => {
  it("of a server's readers has no validators that only clients need", async () => {
    const code = await bundled(files, `export { serverReceives } from "./2025-11-25/methods.js";`);
    expect(code).toContain("function isCallToolRequest(");
    for (const name of ["ListToolsResult", "LoggingMessageNotification", "ElicitRequest"]) {
      expect(code).not.toMatch(new RegExp(`function (is|accepts)${name}\\(`));
    }
    expect(code).not.toContain("clientReceives");
  });

  it("of one stub has no tables", async () => {
    const code = await bundled(files, `export { callTool } from "./2026-07-28/client.js";`);
    expect(code).toContain(`"tools/call"`);
    expect(code.length).toBeLessThan(400);
  });

  it("of the revisions for clients has no code of servers", async () => {
    const code = await bundled(files, `export { clientRevisions } from "./index.js";`);
    for (const revision of revisions) expect(code).toContain(`id: "${revision}"`);
    expect(code).not.toMatch(/serverReceives|function (is|accepts)CallToolRequest\b/);
  });

  it("of the model is empty", async () => {
    expect(await bundled(files, `export * from "./model.js"; export * from "./authoring.js";`)).toBe("");
  });
});

/** Code of users of the output, compiled with it. */
const usage = `
import type { CallToolResult, ClientRequests, ServerRequests } from "./authoring.js";
import type { Caller, Revision } from "./model.js";
import { clientRevisions, latest, type RevisionId } from "./index.js";
import { callTool, listTools, type RequestHandlers as AnswersOfClient } from "./2025-11-25/client.js";
import { revision, type RequestHandlers } from "./2026-07-28/server.js";
import type { Params, Result } from "./2026-07-28/methods.js";
import * as explain from "./2026-07-28/explain.js";

export async function use(caller: Caller): Promise<string[]> {
  const { tools } = await listTools(caller);
  const called = await callTool(caller, { name: "echo", arguments: {} }, { timeout: 1000 });
  if ("task" in called) return [String(called.task)];
  return tools.map(({ name }) => name);
}

export const handlers: RequestHandlers<{ who: string }> = {
  "tools/call": (params, { who }) => ({ resultType: "complete", content: [{ type: "text", text: params.name + who }] }),
};
export const answers: AnswersOfClient = { "roots/list": async () => ({ roots: [] }) };

// Authors write neither resultType nor reserved _meta keys.
export const authored: ClientRequests["tools/call"]["result"] = { content: [] } satisfies CallToolResult;
export const asked: ClientRequests["tools/list"]["params"] = undefined;
export const question: ServerRequests["elicitation/create"]["params"]["message"] = "?";

export const params: Params<"tools/call">["name"] = "echo";
export const results: Result<"prompts/get">["resultType"][] = ["complete"];
// @ts-expect-error there is no such method
export type Nothing = Params<"tools/cull">;

export const all: readonly Revision[] = [...clientRevisions, revision];
export const newest: RevisionId = latest;
export const explanations: Awaited<ReturnType<NonNullable<Revision["explain"]>>> = explain;
`;

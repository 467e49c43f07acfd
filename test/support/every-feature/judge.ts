import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll } from "vitest";
import { mcpgen } from "../in-process.js";

/** What `mcpgen validate` says of a session, as JSON, and the code it exits with. */
export interface Judgement {
  readonly code: number;
  readonly messages: number;
  readonly valid: number;
  readonly unpaired: number;
  readonly findings: readonly { readonly detail?: string }[];
}

// Registered while the tests are collected: inside a hook it would never be called.
const projects: string[] = [];
afterAll(() => {
  for (const project of projects) rmSync(project, { recursive: true, force: true });
});

/**
 * Makes `mcpgen validate` for the tests of one file: in a project whose output folder holds what it loads,
 * built from the sources.
 */
export async function judge(
  revisions: readonly string[],
): Promise<(revision: string, session: string) => Promise<Judgement>> {
  const project = mkdtempSync(join(tmpdir(), "mcpgen-test-judge-"));
  projects.push(project);
  const entryPoints = revisions.flatMap((revision) =>
    ["methods", "check"].map((module) => ({
      in: `generated/${revision}/${module}.ts`,
      out: `${revision}/${module}`,
    })),
  );
  await build({
    entryPoints,
    outdir: join(project, "generated/dist"),
    bundle: true,
    format: "esm",
    logLevel: "error",
  });
  writeFileSync(join(project, "mcpgen.config.json"), JSON.stringify({ out: "generated" }));
  return async (revision, session) => {
    writeFileSync(join(project, "session.jsonl"), session);
    const words = ["validate", "session.jsonl", "--revision", revision, "--json"];
    const { code, stdout } = await mcpgen(project, words);
    return { ...(JSON.parse(stdout) as Omit<Judgement, "code">), code };
  };
}

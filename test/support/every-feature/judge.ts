import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll } from "vitest";
import { mcpgen } from "../in-process.js";
import { sharedFolder } from "../temporary-folder.js";
import { trustOf } from "../trust.js";

/** The JSON output of `mcpgen validate` for a session, and its exit code. */
export interface Judgement {
  readonly code: number;
  readonly messages: number;
  readonly valid: number;
  readonly unpaired: number;
  readonly findings: readonly { readonly detail?: string }[];
}

type Judge = (revision: string, session: string) => Promise<Judgement>;

/**
 * Prepares `mcpgen validate` for the tests of one file, in a project with output built from the sources. Call
 * it while tests are being collected.
 */
export function judge(revisions: readonly string[]): Judge {
  const project = sharedFolder({ "mcpgen.config.json": JSON.stringify({ out: "generated" }) });
  const entryPoints = revisions.flatMap((revision) =>
    ["methods", "explain"].map((module) => ({
      in: `generated/${revision}/${module}.ts`,
      out: `${revision}/${module}`,
    })),
  );
  beforeAll(async () => {
    const outdir = join(project, "generated/dist");
    await build({ entryPoints, outdir, bundle: true, format: "esm", logLevel: "error" });
  });
  return async (revision, session) => {
    writeFileSync(join(project, "session.jsonl"), session);
    const words = ["validate", "session.jsonl", "--revision", revision, "--json"];
    const { code, stdout } = await mcpgen(project, words, {
      env: await trustOf(project, words.slice(0, -1)),
    });
    return { ...(JSON.parse(stdout) as Omit<Judgement, "code">), code };
  };
}

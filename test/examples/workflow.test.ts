import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readWorkflow } from "./workflow.js";

describe.each([
  ["examples/ci/mcpgen.yml", ["push", "pull_request", "schedule", "workflow_dispatch"]],
  ["examples/ci/hosts.yml", ["pull_request"]],
])("the workflow %s", (file, events) => {
  const workflow = readWorkflow(file);
  const jobs = Object.values(workflow.jobs);
  const text = readFileSync(file, "utf8");

  test("names its actions by commit, with the release beside it, one release of each", () => {
    const lines = text.split("\n").filter((line) => line.includes("uses:"));
    expect(lines).toHaveLength(jobs.flatMap(({ steps }) => steps.filter(({ uses }) => uses)).length);
    for (const line of lines) expect(line).toMatch(/uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const used = new Set(lines.map((line) => line.trim().replace(/^- /, "")));
    const names = new Set([...used].map((use) => use.split("@")[0]));
    expect(used.size).toBe(names.size);
  });

  test("does not need secrets, and does not build scripts from untrusted text", () => {
    expect(text).not.toContain("secrets.");
    for (const { run } of jobs.flatMap(({ steps }) => steps)) expect(run ?? "").not.toContain("${{");
    const { on } = workflow;
    expect(typeof on === "string" ? [on] : Object.keys(on)).toEqual(events);
  });
});

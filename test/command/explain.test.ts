import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

test.each([
  ["an error", "MG3102", ["error"], 1, "Exit code 1: findings or drift."],
  ["a warning", "MG6008", ["warning"], 0, "Warning: it does not change the exit code."],
  [
    "an error or a warning",
    "MG6007",
    ["error", "warning"],
    3,
    "Error or warning: an error leads to exit code 3: input cannot be read or is not what it\nshould be. A warning does not change the exit code.",
  ],
])("explain of %s states its effect on the exit code", async (_, code, severities, exitCode, effect) => {
  const folder = temporaryFolder();
  expect((await mcpgen(folder, ["explain", code])).stdout.trimEnd().split("\n\n").at(-1)).toBe(effect);
  const document: unknown = JSON.parse((await mcpgen(folder, ["explain", code, "--json"])).stdout);
  expect(document).toMatchObject({ code, severities, exitCode });
});

test("explain knows a rule of extensions by its name", async () => {
  const folder = temporaryFolder();
  const named = await mcpgen(folder, ["explain", "extension-breaking-same-id"]);
  expect(named.stdout).toContain("MG1311: A breaking change of an extension keeps its id");
});

import { expect, test } from "vitest";
import { readContract } from "../../../generator/contract/read-contract.js";
import { mcpgen } from "../../command/in-process.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { initialized, scripted } from "./live.js";

test("a prompt with an argument twice is left out: what is captured reads back", async () => {
  const prompts = [
    { name: "twice", arguments: [{ name: "a" }, { name: "a" }] },
    { name: "once", arguments: [{ name: "a" }] },
  ];
  const source = scripted({ initialize: initialized({ prompts: {} }), "prompts/list": { prompts } });
  const ran = await mcpgen(temporaryFolder(), ["capture", source, "--out", "-"]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('"twice" is left out: /arguments/1/name: the name "a" stands twice');
  const { contract } = await readContract(ran.stdout, "-");
  expect(contract.prompts).toEqual([prompts[1]]);
});

import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { registryOf } from "./registry.js";

test.each([
  "https://npm.example",
  "https://npm.example/",
  "https://npm.example/a/b",
  "https://npm.example/a/b/",
])("a package that is not here is looked for below %s", async (others) => {
  const registry = await registryOf(temporaryFolder(), others);
  onTestFinished(() => registry.close());
  const answer = await fetch(`${registry.url}/@types%2fnode`, { redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([
    302,
    `${others.replace(/\/$/, "")}/@types/node`,
  ]);
});

import { expect, test } from "vitest";
import { tooOld } from "../../generator/files/regular-file.js";

test.each(["18.20.0", "20.18.3", "8.0.0"])("Node.js %s is too old", (version) => {
  expect(tooOld(version)).toContain(`error MG2012: expected Node.js 20.19 or later, got ${version}`);
});

test.each(["20.19.0", "20.20.2", "22.12.0", "24.0.0", process.versions.node])(
  "Node.js %s is supported",
  (version) => {
    expect(tooOld(version)).toBeUndefined();
  },
);

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memberPlaces, methodPlaces } from "../../../generator/command/upgrade/runtime-places.js";
import { namedInRuntime, placesFile } from "../../../scripts/named-in-runtime.js";

test("the table of names in the runtime equals the script's output", async () => {
  expect(readFileSync(placesFile, "utf8")).toBe(await namedInRuntime());
});

test("it has the methods of the handshake, and members that eras fill in", () => {
  expect(methodPlaces["initialize"]).toContain("runtime/core/legacy/client/handshake.ts");
  expect(memberPlaces["resultType"]).toContain("runtime/core/server/request.ts");
  for (const places of [...Object.values(methodPlaces), ...Object.values(memberPlaces)])
    for (const place of places ?? []) expect(existsSync(place)).toBe(true);
});

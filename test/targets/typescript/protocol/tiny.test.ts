import { describe, expect, it } from "vitest";
import { format } from "../../../../generator/print/format.js";
import { emitted, loaded } from "../emitted-output.js";
import { message, object } from "../../../support/models.js";
import { tinyModel } from "./tiny.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

const files = emitted([tinyModel()], "@example/protocol");
const golden = [
  "2099-01-01/methods.ts",
  "2099-01-01/client.ts",
  "2099-01-01/server.ts",
  "2099-01-01/vectors.json",
  "2099-01-01/PROTOCOL.md",
  "authoring.ts",
  "listed.ts",
  "open.ts",
  "client.ts",
  "index.ts",
  "server.ts",
  "package.json",
];

describe("the output for a tiny protocol", () => {
  it.each(golden)("%s equals its golden file", async (path) => {
    const content = files.get(path)!;
    const laidOut = path.endsWith(".ts") ? await format(path, content) : content;
    await expect(laidOut).toMatchFileSnapshot(`../../../golden/tiny/${path}.txt`);
  });

  it("compiles by itself", async () => {
    expect(await compilerErrors(files)).toEqual([]);
  });

  it("changes with a new definition only at the places that list it", () => {
    const more = { WaveRequest: message("people/wave"), WaveResult: object({}) };
    const listing = /^(?:export type ClientRequestMethod =|  "people\/greet" \|)/;
    const grown = emitted([tinyModel(more)], "@example/protocol");
    for (const [path, content] of files) {
      const lines = new Set(grown.get(path)!.split("\n"));
      const lost = content.split("\n").filter((line) => !lines.has(line) && !listing.test(line));
      expect(lost, path).toEqual([]);
    }
  });

  it("has everything for a runtime in the table", async () => {
    const entry = `
      import { revision } from "./2099-01-01/server.js";
      const { incomingRequests, outgoingNotifications, outgoingRequests, headers, errors } = revision.table;
      const greet = incomingRequests.get("people/greet");
      export const found = {
        greet: { ...greet, accepts: greet.accepts({ method: "people/greet", params: { name: "Ann", _meta: { "example.com/version": "1" } } }) },
        refused: greet.accepts({ method: "people/greet", params: {} }),
        inherited: incomingRequests.get("constructor"),
        gate: outgoingNotifications.get("notifications/greeted").capability,
        payload: outgoingRequests.get("people/ask").payload,
        headers, errors,
      };`;
    const { found } = await loaded<{ found: object }>(files, entry);
    expect(found).toMatchObject({
      greet: {
        accepts: true,
        capability: { of: "server", path: ["people", "example.com/greeting"] },
        headers: [{ header: "Example-Name", from: ["params", "name"] }],
        cacheable: true,
        multiRoundTrip: true,
        listening: true,
      },
      refused: false,
      inherited: undefined,
      gate: { of: "server", path: ["people", "example.com/greeting"] },
      payload: true,
      headers: [{ header: "Example-Version" }],
      errors: { BUSY: { code: -32050, http: 503 } },
    });
  });
});

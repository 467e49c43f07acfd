import { expect, test } from "vitest";
import { generate, releasedSource } from "../support/generated-output.js";
import { compilerErrors } from "../support/typescript-compiler.js";
import { bases, desk } from "./desk-extension.js";
import { stored } from "./models.js";

const program = `
import { serverExtension } from "./extending.js";
import type { ChannelTable, Caller } from "./model.js";
import { type PenHandlers, callTool, hello, notifyReady, penTable } from "./extensions/com.example/desk/BASE/pen.js";
import { lampTable } from "./extensions/com.example/desk/BASE/lamp.js";
import { paperTable } from "./extensions/com.example/desk/BASE/paper.js";

export const tables: readonly ChannelTable[] = [penTable, paperTable, lampTable];
export const handlers: PenHandlers<{ at: number }> = {
  "tools/call": ({ name }, { at }) => ({ content: [{ type: "text", text: name + at }] }),
  "notifications/desk/shown": ({ content }) => { content.map(({ type }) => type); },
};
export const wrong: PenHandlers = {
  // @ts-expect-error: it has content.
  "tools/call": () => ({ isError: true }),
};
// @ts-expect-error: the lamp is asked for it.
export const stray: PenHandlers = { "desk/light": () => ({ lit: true }) };
export async function talk(caller: Caller): Promise<number> {
  const { tools } = await hello(caller, { text: "a" });
  await notifyReady(caller);
  await callTool(caller, { name: tools[0]!.name, arguments: {} });
  // @ts-expect-error: the text is missing.
  await hello(caller, {});
  return tools.length;
}
export { serverExtension };
`;

test("the modules of all roles compile, with handlers and calls that fit", async () => {
  const { files } = await generate(bases.map(releasedSource), { extensions: [stored(desk)] });
  const code = new Map([...files].filter(([path]) => path.endsWith(".ts")));
  for (const base of bases) code.set(`program-${base}.ts`, program.replaceAll("BASE", base));
  expect(await compilerErrors(code)).toEqual([]);
  expect(files.get("extensions/com.example/desk/2025-11-25/EXTENSION.md")).toContain(
    "- `tools/call`: request, paper to pen, `CallToolRequest`, answered by `CallToolResult`\n",
  );
  // The lamp is not part of the handshake.
  expect(files.get("extensions/com.example/desk/2025-11-25/lamp.ts")).not.toContain("handshake");
});

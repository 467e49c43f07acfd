import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { bundled, clientOf } from "./program.js";

let program: string;
beforeAll(async () => {
  program = await bundled("examples/weather/main.ts");
});

test("is a complete server in sixty lines", () => {
  expect(readFileSync("examples/weather/main.ts", "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(
    60,
  );
});

describe.each(["2025-11-25", "2026-07-28"])("at %s", (revision) => {
  test("tool, resources, prompt and completion", async () => {
    const client = await clientOf(program, [], { revision });
    expect(client.serverInfo).toEqual({ name: "weather", version: "1.0.0" });
    expect((await client.listTools()).items).toMatchObject([{ name: "current_weather" }]);
    const now = await client.callTool("current_weather", { city: "cairo", unit: "fahrenheit" });
    expect(now.structuredContent).toEqual({ temperature: 87.8, unit: "fahrenheit", sky: "clear" });
    expect(now.content).toEqual([{ type: "text", text: JSON.stringify(now.structuredContent) }]);
    expect(await client.callTool("current_weather", { city: "atlantis" })).toMatchObject({ isError: true });

    const [list] = (await client.readResource("weather://stations")).contents;
    expect(list).toMatchObject({ mimeType: "application/json", text: '["bergen","cairo","lima"]' });
    const [lima] = (await client.readResource("weather://stations/lima")).contents;
    expect(lima).toMatchObject({ text: '{"celsius":18,"sky":"mist"}' });
    await expect(client.readResource("weather://stations/atlantis")).rejects.toMatchObject({
      data: { uri: "weather://stations/atlantis" },
    });

    const { messages } = await client.getPrompt("pack", { city: "lima" });
    expect(messages).toMatchObject([
      { role: "user", content: { text: expect.stringContaining("lima") as string } },
    ]);
    for (const ref of [
      { type: "ref/prompt", name: "pack" } as const,
      { type: "ref/resource", uri: "weather://stations/{city}" } as const,
    ]) {
      const { completion } = await client.complete({ ref, argument: { name: "city", value: "B" } });
      expect(completion.values).toEqual(["bergen"]);
    }
  });
});

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { anthropic } from "../../generator/host/model/anthropic.js";
import { openaiChat } from "../../generator/host/model/openai-chat.js";
import { openaiResponses } from "../../generator/host/model/openai-responses.js";
import { type FakeModel, type ModelCall, fakeModel } from "../../generator/host/model/fake-model.js";

// The clients of the vendors read what the model says, and the model reads what they send.

const schema = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
const named = { name: "weather", description: "The weather of a city." };
const tool = { ...named, schema };
const script: ModelCall[] = [
  { tool: "weather", arguments: { city: "Rome" } },
  { tool: "weather", arguments: { city: 'a "b" \u2028' } },
];

async function model(calls = script): Promise<FakeModel> {
  const made = await fakeModel({ script: calls });
  onTestFinished(() => made.close());
  return made;
}

/** A call as the vendor's client reads it. */
interface Call {
  readonly name: string;
  readonly arguments: unknown;
}

/** Talks until the model says something: answers each call with `results[n]`. */
type Talk = (url: string, results: readonly string[]) => Promise<{ calls: Call[]; text: string }>;

const isAsked = { role: "user", content: "go" } as const;

function anthropicTalk(isStreamed: boolean): Talk {
  return async (url, results) => {
    const client = new Anthropic({ apiKey: "fake", baseURL: url, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [isAsked];
    const calls: Call[] = [];
    for (;;) {
      const request = { model: "m", max_tokens: 9, messages, tools: [{ ...named, input_schema: schema }] };
      const message = isStreamed
        ? await client.messages.stream(request).finalMessage()
        : await client.messages.create(request);
      const block = message.content[0]!;
      if (block.type !== "tool_use") return { calls, text: block.type === "text" ? block.text : "" };
      expect(message.stop_reason).toBe("tool_use");
      const content = results[calls.length]!;
      calls.push({ name: block.name, arguments: block.input });
      messages.push({ role: "assistant", content: message.content });
      messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: block.id, content }] });
    }
  };
}

function chatTalk(isStreamed: boolean): Talk {
  return async (url, results) => {
    const client = new OpenAI({ apiKey: "fake", baseURL: `${url}/v1`, maxRetries: 0 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [isAsked];
    const calls: Call[] = [];
    for (;;) {
      const tools = [{ type: "function" as const, function: { ...named, parameters: schema } }];
      const request = { model: "m", messages, tools };
      const answer = isStreamed
        ? await client.chat.completions.stream(request).finalChatCompletion()
        : await client.chat.completions.create(request);
      const { message, finish_reason } = answer.choices[0]!;
      const [call] = message.tool_calls ?? [];
      if (!call) return { calls, text: message.content ?? "" };
      expect(finish_reason).toBe("tool_calls");
      if (call.type !== "function") throw new Error(call.type);
      const content = results[calls.length]!;
      calls.push({ name: call.function.name, arguments: JSON.parse(call.function.arguments) });
      messages.push(message, { role: "tool", tool_call_id: call.id, content });
    }
  };
}

function responsesTalk(isStreamed: boolean): Talk {
  return async (url, results) => {
    const client = new OpenAI({ apiKey: "fake", baseURL: `${url}/v1`, maxRetries: 0 });
    const input: OpenAI.Responses.ResponseInput = [isAsked];
    const calls: Call[] = [];
    for (;;) {
      const tools = [{ type: "function" as const, ...named, parameters: schema, strict: false }];
      const request = { model: "m", input, tools };
      const response = isStreamed
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
      const item = response.output[0]!;
      if (item.type !== "function_call") return { calls, text: response.output_text };
      const output = results[calls.length]!;
      calls.push({ name: item.name, arguments: JSON.parse(item.arguments) });
      input.push(item, { type: "function_call_output", call_id: item.call_id, output });
    }
  };
}

/** What the test uses of Google's library: its own declarations need the types of browsers. */
interface GoogleLibrary {
  readonly GoogleGenAI: new (options: object) => {
    readonly models: {
      generateContent(request: object): Promise<GoogleAnswer>;
      generateContentStream(request: object): Promise<AsyncIterable<GoogleAnswer>>;
    };
  };
}

interface GoogleAnswer {
  readonly functionCalls: readonly { readonly name: string; readonly args: object }[] | undefined;
  readonly text: string | undefined;
  readonly candidates: readonly { readonly content: object }[];
}

const gemini = "@google/genai";

function geminiTalk(isStreamed: boolean): Talk {
  return async (url, results) => {
    const { GoogleGenAI } = (await import(gemini)) as GoogleLibrary;
    const client = new GoogleGenAI({ apiKey: "fake", httpOptions: { baseUrl: url } });
    const contents: object[] = [{ role: "user", parts: [{ text: "go" }] }];
    const calls: Call[] = [];
    for (;;) {
      const declared = [{ ...named, parametersJsonSchema: schema }];
      const config = { tools: [{ functionDeclarations: declared }] };
      const request = { model: "m", contents, config };
      const answers: GoogleAnswer[] = [];
      if (!isStreamed) answers.push(await client.models.generateContent(request));
      else for await (const each of await client.models.generateContentStream(request)) answers.push(each);
      const [answer] = answers;
      const [call] = answer!.functionCalls ?? [];
      if (!call) return { calls, text: answer!.text ?? "" };
      const output = results[calls.length]!;
      calls.push({ name: call.name, arguments: call.args });
      contents.push(answer!.candidates[0]!.content);
      contents.push({
        role: "user",
        parts: [{ functionResponse: { name: call.name, response: { output } } }],
      });
    }
  };
}

const talks = {
  anthropic: anthropicTalk,
  "openai-chat": chatTalk,
  "openai-responses": responsesTalk,
  gemini: geminiTalk,
};

describe.each([false, true])("streamed: %s", (isStreamed) => {
  test.each(Object.entries(talks))("%s plays the script, and sees tools and results", async (api, talk) => {
    const fake = await model();
    const { calls, text } = await talk(isStreamed)(fake.url, ["sunny", "unknown"]);
    expect(calls).toEqual(script.map((call) => ({ name: call.tool, arguments: call.arguments })));
    expect(text).toBe("done");
    expect(fake.left).toEqual([]);
    expect(fake.turns.map(({ step }) => step)).toEqual([0, 1, undefined]);
    for (const turn of fake.turns) {
      expect(turn.api).toBe(api);
      expect(turn.tools).toEqual([tool]);
    }
    const results = fake.turns.flatMap((turn) => turn.results);
    expect(results.map(({ step }) => step)).toEqual([0, 1]);
    expect(JSON.stringify(results.map(({ content }) => content))).toMatch(/sunny.*unknown/);
  });
});

describe.each([{ call: "c", tool, arguments: {} }, { text: "done" }])(
  "the types that the vendors publish: %o",
  (move) => {
    const facts = { id: "1", model: "m" };

    test("describe what is said at once", () => {
      const said: [Anthropic.Message, OpenAI.ChatCompletion, Omit<OpenAI.Responses.Response, "output_text">] =
        [
          anthropic.message(move, facts),
          openaiChat.message(move, facts),
          openaiResponses.message(move, facts),
        ];
      expect(said).toHaveLength(3);
    });
  },
);

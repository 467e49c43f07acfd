import type { AskedRequest } from "@mcpgen/runtime";
import type { Members } from "../support/sent-messages.js";

/** What a question asks for. */
export type Form = "flag" | "count" | "choice" | "parsed" | "page" | "sample" | "roots";

export const forms: readonly Form[] = ["flag", "count", "choice", "parsed", "page", "sample", "roots"];

const schemas = {
  flag: { type: "boolean" },
  count: { type: "integer", minimum: 1, maximum: 9 },
  choice: { type: "string", enum: ["a", "b", "c"] },
  parsed: { type: "string" },
} as const;

/** A schema as a library writes it: its parser takes a while, and refuses what JSON Schema does not. */
const parsed = {
  "~standard": {
    version: 1,
    vendor: "tests",
    validate: async (value: unknown) => {
      await new Promise((resolve) => setImmediate(resolve));
      const isRight = /^[abc]$/.test(String((value as Members)["parsed"]));
      return isRight ? { value } : { issues: [{ message: "expected a, b or c" }] };
    },
    jsonSchema: { input: () => formSchema("parsed"), output: () => formSchema("parsed") },
  },
} as const;

const formSchema = (form: keyof typeof schemas) =>
  ({ type: "object", properties: { [form]: schemas[form] }, required: [form] }) as const;

/** A question. Its text is its key, so that a client of a revision without keys knows it, too. */
export function questionOf(key: string, form: Form): AskedRequest {
  if (form === "roots") return { method: "roots/list" };
  if (form === "sample") {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: key } }];
    return { method: "sampling/createMessage", params: { messages, maxTokens: 10 } };
  }
  if (form === "page") {
    const params = { mode: "url", message: key, url: "https://example.com/" } as never;
    return { method: "elicitation/create", params };
  }
  const requestedSchema = form === "parsed" ? parsed : formSchema(form);
  return { method: "elicitation/create", params: { mode: "form", message: key, requestedSchema } as never };
}

/** The key of a question as a client gets it; that of a question for roots is empty. */
export function keyOf({ params = {} }: { readonly params?: Members }): string {
  return (params["message"] ?? params["messages"]?.[0].content.text ?? "") as string;
}

/** The form of a question as a client gets it. */
export function formOf({
  method,
  params = {},
}: {
  readonly method?: string;
  readonly params?: Members;
}): Form {
  if (method === "roots/list") return "roots";
  if (method === "sampling/createMessage") return "sample";
  if (params["mode"] === "url") return "page";
  return Object.keys(params["requestedSchema"].properties as Members)[0] as Form;
}

/** A number that follows from a text. */
export function digest(text: string): number {
  let sum = 2166136261;
  for (const character of text) sum = Math.imul(sum ^ character.charCodeAt(0), 16777619) >>> 0;
  return sum >>> 3;
}

/** A client's answer. It follows from the key and the salt; that to a question for roots from the salt alone. */
export function answerTo(key: string, form: Form, salt: number): Members {
  const drawn = digest(`${salt} ${form === "roots" ? "" : key}`);
  if (form === "roots") return { roots: [{ uri: `file:///${drawn % 3}` }] };
  if (form === "sample")
    return { role: "assistant", content: { type: "text", text: `said ${drawn % 7}` }, model: "m" };
  const action = ["decline", "cancel"][drawn % 6] ?? "accept";
  if (form === "page" || action !== "accept") return { action };
  const letter = ["a", "b", "c"][drawn % 3];
  const value = { flag: drawn % 2 === 0, count: 1 + (drawn % 9), choice: letter, parsed: letter }[form];
  return { action, content: { [form]: value } };
}

/** An answer that a server must refuse. */
export function wrongAnswerTo(form: Form, salt: number): Members {
  const drawn = salt % 3;
  if (form === "roots") return [{ roots: 1 }, {}, { roots: [{ uri: 7 }] }][drawn]!;
  if (form === "sample") return [{}, { role: "assistant" }, { role: 1, content: {}, model: "m" }][drawn]!;
  if (form === "page") return [{}, { action: "perhaps" }, { action: 1 }][drawn]!;
  const value = { flag: "yes", count: [0, 10, 1.5][drawn], choice: "d", parsed: "d" }[form];
  return [
    { action: "accept", content: { [form]: value } },
    { action: "accept", content: {} },
    { action: "accept" },
  ][drawn]!;
}

/** An answer as a text. A handler gets some answers without their surroundings. */
export function textOfAnswer(answer: unknown): string {
  const { action, content, roots = answer } = answer as Members;
  if (Array.isArray(roots)) return roots.map(({ uri }: Members) => uri as string).join(" ");
  if (action === undefined)
    return [content]
      .flat()
      .map(({ text }: Members) => text as string)
      .join(" ");
  return [action, ...Object.values((content ?? {}) as Members)].join(" ");
}

/** Whether a handler takes an answer for a yes. */
export function isYes(text: string): boolean {
  return digest(text) % 2 === 0;
}

import { check, post } from "./connection.js";
import { contentBlock, json, linkOf } from "./content.js";
import { button, byId, element, newId, sentForm } from "./dom.js";
import { SchemaForm } from "./form/form.js";
import type { Json, Members, QuestionEvent } from "./messages.js";
import { longText, visible } from "./text.js";

/** The controls of a question, by its kind. */
interface Parts {
  readonly title: string;
  readonly body: readonly (HTMLElement | string)[];
}

type Answer = (result?: Members) => Promise<void>;

/** Shows questions of the server to its user, oldest first. */
export class QuestionList {
  readonly #open = new Map<number, HTMLElement>();
  readonly #region = byId("questions");
  readonly #status = byId("question-status");

  show(event: QuestionEvent): void {
    if (this.#open.has(event.question)) return;
    const status = element("p", { class: "fault", role: "alert" });
    const answer: Answer = async (result) => {
      const body = { question: event.question, ...(result && { result }) };
      await post("answer", body).catch((error: unknown) => {
        status.textContent = visible((error as Error).message);
      });
    };
    const { title, body } = partsOf(event, answer);
    const id = newId("question");
    const made = element(
      "section",
      { class: "entry question", "aria-labelledby": id, "data-question": event.kind },
      element("h2", { id }, title),
      ...body,
      status,
    );
    this.#open.set(event.question, made);
    this.#region.append(made);
    this.#status.textContent = title;
  }

  settle(question: number): void {
    this.#open.get(question)?.remove();
    this.#open.delete(question);
    if (this.#open.size === 0) this.#status.textContent = "";
  }
}

function partsOf({ kind, params }: QuestionEvent, answer: Answer): Parts {
  switch (kind) {
    case "form":
      return formParts(params, answer);
    case "url":
      return urlParts(params, answer);
    case "sampling":
      return samplingParts(params, answer);
    case "roots":
      return rootsParts(answer);
  }
}

function formParts({ message, requestedSchema }: Members, answer: Answer): Parts {
  const form = new SchemaForm(requestedSchema, "Answer", {
    verb: "Accept",
    send: async (content, isAnyway) => {
      const issues = isAnyway ? [] : await check(requestedSchema ?? {}, content);
      if (issues.length === 0) await answer({ action: "accept", content });
      return issues;
    },
    others: refusals(answer),
  });
  return { title: "The server asks its user", body: [longText(String(message)), form.element] };
}

function urlParts({ message, url }: Members, answer: Answer): Parts {
  const host = URL.canParse(String(url)) ? new URL(String(url)).host : "";
  return {
    title: "The server asks its user to open a page",
    body: [
      longText(String(message)),
      element("p", {}, linkOf(String(url))),
      element(
        "p",
        { class: "soft" },
        "Its host is ",
        element("bdi", {}, visible(host)),
        ". Open it only if you trust it.",
      ),
      switches(
        button("Accept: I open the page", () => void answer({ action: "accept" }), { class: "main" }),
        ...refusals(answer),
      ),
    ],
  };
}

function samplingParts(params: Members, answer: Answer): Parts {
  const [text, model] = [newId("text"), newId("model")];
  const area = element("textarea", { id: text, rows: 4 });
  const name = element("input", { id: model, value: "by-hand", autocomplete: "off" });
  const accept = (): Promise<void> =>
    answer({
      role: "assistant",
      content: { type: "text", text: area.value },
      ...{ model: name.value, stopReason: "endTurn" },
    });
  const whole = new SchemaForm(null, "The whole result", {
    verb: "Answer with this JSON",
    send: async (result) => {
      await answer(result);
      return [];
    },
  });
  const messages = Array.isArray(params["messages"]) ? (params["messages"] as readonly Json[]) : [];
  return {
    title: "The server asks a model for a message",
    body: [
      ...(typeof params["systemPrompt"] === "string" ? [longText(params["systemPrompt"])] : []),
      ...messages.map(samplingMessage),
      element("details", {}, element("summary", {}, "The whole request"), json(params)),
      answerForm(
        answer,
        accept,
        element("div", { class: "field" }, element("label", { for: text }, "The model's message"), area),
        element("div", { class: "field" }, element("label", { for: model }, "Name of the model"), name),
      ),
      element("details", {}, element("summary", {}, "Answer with JSON"), whole.element),
    ],
  };
}

function samplingMessage(message: Json): HTMLElement {
  const { role, content } = (message ?? {}) as Members;
  const blocks = Array.isArray(content) ? (content as readonly Json[]) : [content ?? null];
  return element(
    "div",
    { class: "block" },
    element("p", { class: "soft" }, visible(String(role))),
    ...blocks.map(contentBlock),
  );
}

function rootsParts(answer: Answer): Parts {
  const id = newId("roots");
  const area = element("textarea", { id, rows: 3, placeholder: "file:///home/ada/project" });
  const accept = (): Promise<void> => {
    const lines = area.value.split("\n").map((line) => line.trim());
    return answer({ roots: lines.filter((line) => line !== "").map((uri) => ({ uri })) });
  };
  const label = element("label", { for: id }, "file:// URIs, one a line");
  return {
    title: "The server asks for the roots",
    body: [answerForm(answer, accept, element("div", { class: "field" }, label, area))],
  };
}

/** A form with a free answer. */
function answerForm(answer: Answer, accept: () => Promise<void>, ...fields: HTMLElement[]): HTMLElement {
  return sentForm(
    () => void accept(),
    ...fields,
    switches(
      element("button", { type: "submit", class: "main" }, "Answer"),
      button("Reject", () => void answer()),
    ),
  );
}

function switches(...buttons: readonly HTMLElement[]): HTMLElement {
  return element("div", { class: "switches" }, ...buttons);
}

function refusals(answer: Answer): HTMLElement[] {
  return [
    button("Decline", () => void answer({ action: "decline" })),
    button("Cancel", () => void answer({ action: "cancel" })),
  ];
}

import { post } from "./connection.js";
import { contentBlock, json, linkOf } from "./content.js";
import { button, byId, element, newId } from "./dom.js";
import { NoObject, SchemaForm } from "./form/form.js";
import type { Issue, Json, Members, QuestionEvent } from "./messages.js";
import { longText, visible } from "./text.js";

/** The controls of a question, by its kind. */
interface Parts {
  readonly title: string;
  readonly body: readonly (HTMLElement | string)[];
  readonly buttons: readonly HTMLElement[];
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
    const { title, body, buttons } = partsOf(event, answer, status);
    const id = newId("question");
    const made = element(
      "section",
      { class: "entry question", "aria-labelledby": id, "data-question": event.kind },
      element("h2", { id }, title),
      ...body,
      status,
      element("div", { class: "switches" }, ...buttons),
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

  clear(): void {
    for (const question of [...this.#open.keys()]) this.settle(question);
  }
}

function partsOf(event: QuestionEvent, answer: Answer, status: HTMLElement): Parts {
  switch (event.kind) {
    case "form":
      return formParts(event.params, answer, status);
    case "url":
      return urlParts(event.params, answer);
    case "sampling":
      return samplingParts(event.params, answer, status);
    case "roots":
      return rootsParts(answer, status);
  }
}

function formParts({ message, requestedSchema }: Members, answer: Answer, status: HTMLElement): Parts {
  const form = new SchemaForm(requestedSchema, "Answer");
  const anyway = button("Accept anyway", () => void accept(true), { hidden: true });
  const accept = async (isAnyway: boolean): Promise<void> => {
    await answered(status, async () => {
      const content = form.read();
      const { issues } = isAnyway
        ? { issues: [] }
        : await post<{ issues: readonly Issue[] }>("check", { schema: requestedSchema ?? {}, content });
      form.show(issues);
      anyway.hidden = issues.length === 0;
      if (issues.length === 0) await answer({ action: "accept", content });
    });
  };
  return {
    title: "The server asks its user",
    body: [longText(String(message)), form.element],
    buttons: [button("Accept", () => void accept(false), { class: "main" }), anyway, ...refusals(answer)],
  };
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
    ],
    buttons: [
      button("Accept: I open the page", () => void answer({ action: "accept" }), { class: "main" }),
      ...refusals(answer),
    ],
  };
}

function samplingParts(params: Members, answer: Answer, status: HTMLElement): Parts {
  const [text, model] = [newId("text"), newId("model")];
  const area = element("textarea", { id: text, rows: 4 });
  const name = element("input", { id: model, value: "by-hand", autocomplete: "off" });
  const accept = (): Promise<void> =>
    answer({
      role: "assistant",
      content: { type: "text", text: area.value },
      ...{ model: name.value, stopReason: "endTurn" },
    });
  const whole = new SchemaForm(null, "The whole result");
  const acceptWhole = (): Promise<void> => answered(status, () => answer(whole.read()));
  const messages = Array.isArray(params["messages"]) ? (params["messages"] as readonly Json[]) : [];
  return {
    title: "The server asks a model for a message",
    body: [
      ...(typeof params["systemPrompt"] === "string" ? [longText(params["systemPrompt"])] : []),
      ...messages.map(samplingMessage),
      element("details", {}, element("summary", {}, "The whole request"), json(params)),
      element("div", { class: "field" }, element("label", { for: text }, "The model's message"), area),
      element("div", { class: "field" }, element("label", { for: model }, "Name of the model"), name),
      element(
        "details",
        {},
        element("summary", {}, "Answer with JSON"),
        whole.element,
        button("Answer with this JSON", () => void acceptWhole()),
      ),
    ],
    buttons: [
      button("Answer", () => void accept(), { class: "main" }),
      button("Reject", () => void answer()),
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

function rootsParts(answer: Answer, status: HTMLElement): Parts {
  const id = newId("roots");
  const area = element("textarea", { id, rows: 3, placeholder: "file:///home/ada/project" });
  const accept = (): Promise<void> =>
    answered(status, () => {
      const roots = area.value
        .split("\n")
        .flatMap((line) => (line.trim() === "" ? [] : [{ uri: line.trim() }]));
      return answer({ roots });
    });
  return {
    title: "The server asks for the roots",
    body: [
      element("div", { class: "field" }, element("label", { for: id }, "file:// URIs, one a line"), area),
    ],
    buttons: [
      button("Answer", () => void accept(), { class: "main" }),
      button("Reject", () => void answer()),
    ],
  };
}

function refusals(answer: Answer): HTMLElement[] {
  return [
    button("Decline", () => void answer({ action: "decline" })),
    button("Cancel", () => void answer({ action: "cancel" })),
  ];
}

async function answered(status: HTMLElement, act: () => Promise<void>): Promise<void> {
  status.textContent = "";
  try {
    await act();
  } catch (error) {
    status.textContent =
      error instanceof NoObject ? "Correct the JSON first." : visible((error as Error).message);
  }
}

import { post } from "./connection.js";
import { contentBlock, json, resourceContent } from "./content.js";
import { button, byId, element } from "./dom.js";
import type { CallEvent, Issue, Json, Members } from "./messages.js";
import { longText, nameText, shortText, visible } from "./text.js";

/** Maximum number of calls shown. */
const most = 50;

const words: Readonly<Record<CallEvent["state"], string>> = {
  running: "running",
  done: "done",
  failed: "error",
  cancelled: "cancelled",
};

/** Shows the calls of the page, latest first, with progress and results. */
export class CallList {
  readonly #calls = new Map<number, HTMLElement>();
  readonly #status = byId("call-status");

  show(event: CallEvent): void {
    const made = this.#card(event);
    const before = this.#calls.get(event.id);
    this.#calls.set(event.id, made);
    if (before) before.replaceWith(made);
    else byId("calls").prepend(made);
    if (this.#calls.size > most) {
      const [oldest] = this.#calls.keys();
      this.#calls.get(oldest!)?.remove();
      this.#calls.delete(oldest!);
    }
    const failed = event.result?.["isError"] === true;
    if (event.state !== "running" || !before)
      this.#status.textContent = visible(
        `${shortName(event)}: ${failed ? "the tool reports an error" : words[event.state]}`,
      );
  }

  #card(event: CallEvent): HTMLElement {
    const { id, name, state, milliseconds } = event;
    const isError = event.result?.["isError"] === true || state === "failed";
    const kind = state === "running" || state === "cancelled" ? "" : isError ? " error" : " safe";
    return element(
      "article",
      { class: "entry", "data-call": id, "data-state": state },
      element(
        "div",
        { class: "head" },
        element("h3", {}, nameText(name)),
        element(
          "span",
          { class: `badge${kind}` },
          event.result?.["isError"] === true ? "isError" : words[state],
        ),
        state !== "running" && element("span", { class: "soft" }, `${milliseconds.toLocaleString("en")} ms`),
        state === "running" && button("Cancel", () => void post("cancel", { call: id }).catch(() => {})),
      ),
      event.task && taskOf(event.task),
      event.progress && progress(event.progress),
      event.error && errorOf(event.error),
      event.result && resultOf(event.result, event.structured),
    );
  }
}

function shortName({ name }: CallEvent): string {
  return name.slice(0, 80);
}

function taskOf({ id, status, message }: NonNullable<CallEvent["task"]>): HTMLElement {
  return element(
    "p",
    {},
    "Task ",
    element("code", {}, nameText(id)),
    status !== undefined && " ",
    status !== undefined && element("span", { class: "badge" }, shortText(status, 40)),
    message !== undefined && " ",
    message !== undefined && element("bdi", {}, visible(message.slice(0, 500))),
  );
}

function progress({ progress: done, total, message }: NonNullable<CallEvent["progress"]>): HTMLElement {
  const text = `${done}${total === undefined ? "" : ` of ${total}`}`;
  return element(
    "div",
    { class: "progress" },
    element("progress", {
      ...(total !== undefined && total > 0 && { value: done, max: total }),
      "aria-label": "Progress",
    }),
    ` ${text} `,
    message !== undefined && element("bdi", {}, visible(message.slice(0, 500))),
  );
}

function errorOf({ code, message, data }: NonNullable<CallEvent["error"]>): HTMLElement {
  return element(
    "div",
    { class: "block" },
    code !== undefined && element("p", { class: "fault" }, `JSON-RPC error ${code}`),
    longText(message, "pre"),
    data !== undefined && json(data),
  );
}

function resultOf(result: Members, structured: readonly Issue[] | undefined): HTMLElement {
  const { content, contents, messages, structuredContent } = result;
  const isKnown = [content, contents, messages, structuredContent].some((part) => part !== undefined);
  return element(
    "div",
    { class: "result" },
    ...listOf(content).map(contentBlock),
    ...listOf(contents).map(resourceContent),
    ...listOf(messages).map(promptMessage),
    (structuredContent !== undefined || structured !== undefined) &&
      structuredOf(structuredContent, structured),
    isKnown ? element("details", {}, element("summary", {}, "The whole result"), json(result)) : json(result),
  );
}

function promptMessage(message: Json): HTMLElement {
  const { role, content } = (message ?? {}) as Members;
  const blocks = Array.isArray(content) ? (content as readonly Json[]) : [content ?? null];
  return element(
    "div",
    { class: "block" },
    element("p", { class: "soft" }, nameText(String(role))),
    ...blocks.map(contentBlock),
  );
}

function structuredOf(content: Json | undefined, issues: readonly Issue[] | undefined): HTMLElement {
  const isValid = issues?.length === 0;
  return element(
    "div",
    { class: "block" },
    element(
      "p",
      {},
      "Structured content ",
      issues &&
        element(
          "span",
          { class: `badge ${isValid ? "safe" : "error"}` },
          isValid ? "valid by outputSchema" : "invalid by outputSchema",
        ),
      !issues && element("span", { class: "badge" }, "no outputSchema"),
    ),
    issues && issues.length > 0 && issueList(issues),
    content !== undefined && json(content),
  );
}

/** A list of issues with their places. */
export function issueList(issues: readonly Issue[]): HTMLElement {
  return element(
    "ul",
    { class: "faults" },
    ...issues.map(({ pointer, message }) =>
      element(
        "li",
        {},
        element("code", {}, nameText(pointer === "" ? "the message" : pointer)),
        " ",
        visible(message.slice(0, 1_000)),
      ),
    ),
  );
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

import { post } from "./connection.js";
import { button, byId, element } from "./dom.js";
import { NoObject, SchemaForm } from "./form/form.js";
import type { CallAnswer, CallKind, CallRequest, Item, Json, Members } from "./messages.js";
import { type Chosen, badge } from "./offer-list.js";
import { templateSchema, expanded } from "./template.js";
import { longText, nameText, visible } from "./text.js";
import { json, linkOf } from "./content.js";

/** How to request an entry: the schema of its form, and the request made from a value. */
interface Way {
  readonly kind: CallKind;
  readonly verb: string;
  readonly schema: Json;
  readonly request: (value: Members) => { readonly name: string; readonly params: Members };
}

/** Shows the selected entry, with a form for its request. */
export function showTarget({ list }: Chosen, { entry, badges }: Item): void {
  const title = typeof entry["title"] === "string" ? entry["title"] : undefined;
  const name = String(entry["name"] ?? entry["uri"]);
  const description = entry["description"];
  const address = entry["uri"] ?? entry["uriTemplate"];
  const heading = element("h2", { id: "target-name", tabindex: -1 }, nameText(name));
  byId("target").replaceChildren(
    element("div", { class: "head" }, heading, ...badges.map(badge)),
    title !== undefined && title !== name ? element("p", {}, nameText(title)) : "",
    typeof address === "string" ? element("p", {}, linkOf(address)) : "",
    typeof description === "string" ? longText(description) : "",
    ...findings(badges),
    requestForm(wayOf(list, entry)),
    element("details", {}, element("summary", {}, "As the server lists it"), json(entry)),
  );
}

/** Shows a form for any method. */
export function showRequest(): void {
  const method = element("input", { id: "method", autocomplete: "off", spellcheck: "false", value: "ping" });
  byId("target").replaceChildren(
    element("h2", { id: "target-name", tabindex: -1 }, "Any request"),
    element("div", { class: "field" }, element("label", { for: "method" }, "Method"), method),
    requestForm({
      kind: "request",
      verb: "Send",
      schema: null,
      request: (params) => ({ name: method.value, params }),
    }),
  );
}

function findings(badges: Item["badges"]): HTMLElement[] {
  return badges
    .filter(({ lines }) => lines.length > 0)
    .map(({ text, lines }) =>
      element(
        "details",
        {},
        element("summary", {}, visible(text)),
        element("ul", { class: "findings" }, ...lines.map((line) => element("li", {}, longText(line)))),
      ),
    );
}

function wayOf(list: Chosen["list"], entry: Members): Way {
  const name = String(entry["name"]);
  switch (list) {
    case "tools":
      return {
        ...{ kind: "tool", verb: "Call", schema: entry["inputSchema"] ?? {} },
        request: (value) => ({ name, params: { name, arguments: value } }),
      };
    case "prompts":
      return {
        ...{ kind: "prompt", verb: "Get", schema: promptSchema(entry["arguments"]) },
        request: (value) => ({ name, params: { name, arguments: value } }),
      };
    case "resources":
      return {
        ...{ kind: "resource", verb: "Read", schema: { type: "object" } },
        request: () => ({ name: String(entry["uri"]), params: { uri: entry["uri"]! } }),
      };
    case "resourceTemplates": {
      const template = String(entry["uriTemplate"]);
      return {
        ...{ kind: "resource", verb: "Read", schema: templateSchema(template) },
        request: (value) => {
          const uri = expanded(template, value);
          return { name: uri, params: { uri } };
        },
      };
    }
  }
}

function promptSchema(args: Json | undefined): Json {
  const list = Array.isArray(args) ? (args as readonly Members[]) : [];
  return {
    type: "object",
    properties: Object.fromEntries(
      list.map(({ name, description }) => [
        String(name),
        { type: "string", ...(typeof description === "string" && { description }) },
      ]),
    ),
    required: list.filter(({ required }) => required === true).map(({ name }) => String(name)),
  };
}

function requestForm({ kind, verb, schema, request }: Way): HTMLElement {
  const editor = new SchemaForm(schema, kind === "request" ? "Parameters" : "Arguments");
  const status = element("p", { class: "fault", role: "alert" });
  const anyway = button(`${verb} anyway`, () => void send(true), { class: "anyway", hidden: true });
  const send = async (isAnyway: boolean): Promise<void> => {
    status.textContent = "";
    try {
      const body: CallRequest = { kind, ...request(editor.read()), anyway: isAnyway };
      const answer = await post<CallAnswer>("call", body);
      const issues = "issues" in answer ? answer.issues : [];
      editor.show(issues);
      anyway.hidden = issues.length === 0;
      if (issues.length > 0)
        status.textContent = `Not sent: ${issues.length} ${issues.length === 1 ? "issue" : "issues"} by the input schema.`;
    } catch (error) {
      status.textContent =
        error instanceof NoObject ? "Not sent: correct the JSON." : visible(String((error as Error).message));
    }
  };
  const form = element(
    "form",
    { novalidate: true, "aria-labelledby": "target-name" },
    editor.element,
    status,
    element("div", { class: "switches" }, element("button", { type: "submit", class: "main" }, verb), anyway),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(false);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void send(false);
  });
  return form;
}

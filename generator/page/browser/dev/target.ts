import { check, post } from "./connection.js";
import { byId, element, refill } from "./dom.js";
import { SchemaForm } from "./form/form.js";
import type { CallAnswer, CallKind, CallRequest, Item, Json, Members } from "./messages.js";
import { type Chosen, badge } from "./offer-list.js";
import { templateSchema, expanded } from "./template.js";
import { longText, nameText, prose, visible } from "./text.js";
import { json, linkOf } from "./content.js";

/** How to request an entry: the schema of its form, and the request made from a value. */
interface Way {
  readonly kind: CallKind;
  readonly verb: string;
  readonly schema: Json;
  readonly request: (value: Members) => { readonly name: string; readonly params: Members };
}

/** The request that the page prepares: for an entry of the offer, or of any method. */
export class Target {
  readonly #head = element("div");
  readonly #place = byId("target");
  #form: SchemaForm | undefined;
  /** The entry whose form is shown, as JSON; undefined for any request. */
  #entry: string | undefined;
  #methods: readonly string[] = [];

  /** Shows an entry, with a form for its request. */
  show(chosen: Chosen, item: Item): void {
    this.#form = undefined;
    this.update(chosen, item);
  }

  /** Shows the present form of the entry. What was entered stays, as far as a changed entry has fields for it. */
  update({ list }: Chosen, { entry, badges }: Item): void {
    const title = typeof entry["title"] === "string" ? entry["title"] : undefined;
    const name = String(entry["name"] ?? entry["uri"]);
    const description = entry["description"];
    const address = entry["uri"] ?? entry["uriTemplate"];
    const heading = element("h2", { id: "target-name", tabindex: -1 }, nameText(name));
    const isFocused = document.activeElement?.id === heading.id;
    refill(
      this.#head,
      element("div", { class: "head" }, heading, ...badges.map(badge)),
      title !== undefined && title !== name && element("p", {}, nameText(title)),
      typeof address === "string" && element("p", {}, linkOf(address)),
      typeof description === "string" && prose(description),
      ...findings(badges),
    );
    if (isFocused) heading.focus();
    const text = JSON.stringify(entry);
    if (this.#form && text === this.#entry) return;
    this.#entry = text;
    const listed = element("summary", {}, "As the server lists it");
    this.#showForm(wayOf(list, entry), element("details", { "data-name": "entry" }, listed, json(entry)));
  }

  /** Shows a form for any method. */
  showAny(): void {
    this.#form = this.#entry = undefined;
    const heading = element("h2", { id: "target-name", tabindex: -1 }, "Any request");
    this.#head.replaceChildren(element("div", { class: "head" }, heading));
    this.#showForm(anyWay(this.#methods));
  }

  /** Sets the methods that a form for any method proposes. */
  propose(methods: readonly string[]): void {
    this.#methods = methods;
    if (this.#form && this.#entry === undefined) this.#showForm(anyWay(methods));
  }

  #showForm(way: Way, ...more: readonly HTMLElement[]): void {
    const earlier = this.#form;
    this.#form = requestForm(way);
    if (earlier) this.#form.adopt(earlier);
    refill(this.#place, this.#head, this.#form.element, ...more);
  }
}

function anyWay(methods: readonly string[]): Way {
  const properties = {
    method: { type: "string", minLength: 1, examples: methods },
    params: { type: "object" },
  };
  return {
    ...{ kind: "request", verb: "Send", schema: { type: "object", properties, required: ["method"] } },
    request: ({ method, params }) => ({ name: String(method ?? ""), params: (params ?? {}) as Members }),
  };
}

function findings(badges: Item["badges"]): HTMLElement[] {
  return badges
    .filter(({ lines }) => lines.length > 0)
    .map(({ kind, text, lines }) =>
      element(
        "details",
        { "data-name": kind },
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

function requestForm({ kind, verb, schema, request }: Way): SchemaForm {
  return new SchemaForm(schema, kind === "request" ? "Request" : "Arguments", {
    verb,
    send: async (value, isAnyway) => {
      // The loop judges the arguments of a tool by the schema that the server lists.
      const issues = isAnyway || kind === "tool" ? [] : await check(schema, value);
      if (issues.length > 0) return issues;
      const body: CallRequest = { kind, ...request(value), anyway: isAnyway };
      const answer = await post<CallAnswer>("call", body);
      if ("issues" in answer) return answer.issues;
      // On a small screen, the results are below the form.
      const results = byId("calls-title");
      if (results.getBoundingClientRect().top > 0.8 * innerHeight) results.scrollIntoView();
      return [];
    },
  });
}

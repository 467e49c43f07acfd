import { issueList } from "./call-list.js";
import { byId, element } from "./dom.js";
import type { Verdict, WireEvent } from "./messages.js";
import { longText, shortText, visible } from "./text.js";

/** Maximum number of messages shown; a recording has all messages of a connection. */
const most = 300;

/** Shows every message on the wire, latest first. */
export class WireList {
  readonly #rows = new Map<number, HTMLElement>();
  readonly #list = byId("wire");
  readonly #only: HTMLInputElement;
  #invalid = 0;

  constructor() {
    this.#only = byId("only-invalid") as HTMLInputElement;
    this.#only.addEventListener("change", () => this.#filter());
  }

  show(event: WireEvent): void {
    const before = this.#rows.get(event.number);
    const made = row(event);
    this.#rows.set(event.number, made);
    if (before) replaceRow(before, made);
    else this.#list.prepend(made);
    const isInvalid = made.dataset["verdict"] === "invalid";
    made.hidden = this.#only.checked && !isInvalid;
    if (isInvalid && before?.dataset["verdict"] !== "invalid") this.#invalid++;
    while (this.#rows.size > most) {
      const [oldest] = this.#rows.keys();
      this.#rows.get(oldest!)!.remove();
      this.#rows.delete(oldest!);
    }
    byId("wire-count").textContent = `${event.number.toLocaleString("en")}, ${this.#invalid} invalid`;
  }

  #filter(): void {
    for (const made of this.#rows.values())
      made.hidden = this.#only.checked && made.dataset["verdict"] !== "invalid";
  }
}

/** Replaces a row by its later form. What the user has opened stays open. */
function replaceRow(before: HTMLElement, made: HTMLElement): void {
  const isFocused = before.querySelector("summary") === document.activeElement;
  made.querySelector("details")!.open = before.querySelector("details")!.open;
  before.replaceWith(made);
  if (isFocused) made.querySelector("summary")!.focus();
}

function row(event: WireEvent): HTMLElement {
  const { number, from, at, text, length, verdicts } = event;
  const verdict = wordOf(verdicts);
  const revisions = [...new Set((verdicts ?? []).map(({ revision }) => revision))].join(", ");
  const label = verdicts?.map(titleOf).join(", ") || "message";
  const details = element(
    "details",
    {},
    element(
      "summary",
      {},
      element("span", { class: "soft" }, `${number} `),
      from === "client" ? "to server " : "from server ",
      element("code", {}, element("bdi", {}, shortText(label, 80))),
      " ",
      element(
        "span",
        { class: `badge ${verdict === "invalid" ? "error" : verdict === "valid" ? "safe" : ""}` },
        verdict,
      ),
    ),
  );
  // Create the body when it is first opened, because most never are.
  details.addEventListener(
    "toggle",
    () =>
      details.append(
        element(
          "p",
          { class: "soft" },
          `${at.toLocaleString("en")} ms${revisions === "" ? "" : `, by ${visible(revisions)}`}`,
        ),
        ...(verdicts ?? []).filter(({ issues }) => issues.length > 0).map(({ issues }) => issueList(issues)),
        longText(indented(text, length), "pre"),
        text.length < length ? wholeText(number, length) : "",
      ),
    { once: true },
  );
  return element("li", { "data-number": number, "data-from": from, "data-verdict": verdict }, details);
}

function wholeText(number: number, length: number): HTMLElement {
  const name = `message-${number}.json`;
  return element(
    "p",
    {},
    element(
      "a",
      { href: `message/${number}`, download: name },
      `Save all ${length.toLocaleString("en")} characters`,
    ),
  );
}

function wordOf(verdicts: readonly Verdict[] | undefined): "valid" | "invalid" | "not judged" {
  if (!verdicts || verdicts.length === 0) return "not judged";
  return verdicts.every(({ issues }) => issues.length === 0) ? "valid" : "invalid";
}

function titleOf({ kind, method }: Verdict): string {
  return method === undefined ? kind : kind === "request" ? method : `${method} ${kind}`;
}

function indented(text: string, length: number): string {
  if (text.length < length) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

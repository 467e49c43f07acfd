import { post } from "./connection.js";
import { byId, element, refill } from "./dom.js";
import type { ConnectionEvent, CycleEvent, PageEvent } from "./messages.js";
import { longText, nameText, prose, shortText, visible } from "./text.js";

const words: Readonly<Record<ConnectionEvent["state"], string>> = {
  connecting: "connecting",
  connected: "connected",
  failed: "no connection",
  ended: "the server has ended",
};

/** Shows the state of the connection, and lets the user choose the revision. */
export class ConnectionState {
  readonly #select = byId("revision") as HTMLSelectElement;

  constructor() {
    this.#select.addEventListener("change", () => {
      const { value } = this.#select;
      void post("revision", value === "" ? {} : { revision: value }).catch(() => {});
    });
    byId("level").addEventListener("change", ({ target }) => {
      void post("level", { level: (target as HTMLSelectElement).value }).catch(() => {});
    });
  }

  show(event: ConnectionEvent): void {
    const { state, revision, era, server, reason, instructions } = event;
    const negotiated =
      revision === undefined ? "" : `, revision ${revision}${era === undefined ? "" : `, ${era} era`}`;
    const why = reason === undefined ? "" : `: ${shortText(reason, 500)}`;
    byId("connection").textContent = visible(`${words[state]}${negotiated}${why}`);
    byId("connection").dataset["state"] = state;
    if (server) {
      const { name, title, version } = server;
      byId("server").replaceChildren(nameText(String(title ?? name)), ` ${shortText(String(version), 40)}`);
      document.title = `${shortText(String(title ?? name), 60)} · mcpgen dev`;
    }
    if (state === "connected") {
      refill(
        byId("instructions"),
        instructions !== undefined &&
          element(
            "details",
            { "data-name": "instructions" },
            element("summary", {}, "Instructions of the server"),
            prose(instructions),
          ),
      );
    }
    this.#options(event);
  }

  #options({ revisions, wanted }: ConnectionEvent): void {
    const known = [...revisions].reverse();
    if (this.#select.options.length !== known.length + 1)
      this.#select.replaceChildren(
        element("option", { value: "" }, "newest of both"),
        ...known.map(({ id, era }) => element("option", { value: id }, `${id} (${era})`)),
      );
    this.#select.value = wanted ?? "";
  }
}

/** Maximum number of changes shown. */
const most = 20;

/** Shows the last cycle of the loop, and earlier ones. */
export function showCycle(event: CycleEvent): void {
  const { subject, done, findings, milliseconds } = event;
  const time = milliseconds === undefined ? "" : ` (${(milliseconds / 1000).toFixed(2)} s)`;
  const line = `${shortText(subject)}: ${done.map((part) => shortText(part)).join("; ") || "nothing to do"}${time}`;
  byId("cycle").textContent = line;
  const list = byId("cycles");
  const remarks = findings.map(({ severity, code, message, place }) =>
    element(
      "li",
      {},
      element("span", { class: `badge ${severity}` }, severity),
      place !== undefined && element("code", {}, ` ${shortText(place)}`),
      ` ${visible(message.slice(0, 1_000))} `,
      element("span", { class: "soft" }, code),
    ),
  );
  list.prepend(
    element("li", {}, line, remarks.length > 0 && element("ul", { class: "findings" }, ...remarks)),
  );
  list.children[most]?.remove();
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const place = byId("cycle-errors");
  place.hidden = errors === 0;
  place.textContent = `${errors} ${errors === 1 ? "error" : "errors"}`;
}

/** Shows a log message of the server. */
export function showLog({ level, text }: Extract<PageEvent, { type: "log" }>): void {
  const list = byId("logs");
  list.prepend(
    element("li", {}, element("span", { class: "badge" }, shortText(level, 20)), " ", longText(text)),
  );
  list.children[200]?.remove();
  byId("log-count").textContent = String(list.children.length);
}

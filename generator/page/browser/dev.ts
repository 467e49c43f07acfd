// The script of the `mcpgen dev` page.
import { CallList } from "./dev/call-list.js";
import { get, listen } from "./dev/connection.js";
import { byId, element, refill } from "./dev/dom.js";
import type { Badge, Offer, PageEvent } from "./dev/messages.js";
import { OfferList, badge } from "./dev/offer-list.js";
import { QuestionList } from "./dev/question-list.js";
import { ConnectionState, showCycle, showLog } from "./dev/state.js";
import { Target } from "./dev/target.js";
import { longText } from "./dev/text.js";
import { WireList } from "./dev/wire-list.js";
import { addTheme } from "./reading/controls.js";

const calls = new CallList();
const questions = new QuestionList();
const wire = new WireList();
const connection = new ConnectionState();
const target = new Target();
const offers = new OfferList(target);

let newest = 0;

/** Reads the server's present offer. A later version may arrive first. */
async function readOffer(version: number): Promise<void> {
  newest = version;
  const offer = await get<Offer>("offer");
  if (newest !== version) return;
  offers.update(offer);
  refill(
    byId("offer-notes"),
    ...lineList("error", "the lists cannot be read", offer.unread === undefined ? [] : [offer.unread]),
    ...lineList("error", counted(offer.leftOut, "not shown"), offer.leftOut),
    ...lineList(
      "drift",
      counted(offer.drift, "difference from the contract", "differences from the contract"),
      offer.drift,
    ),
  );
}

/** Maximum number of lines shown of one list. */
const mostLines = 20;

function counted(lines: readonly string[], one: string, many = one): string {
  return `${lines.length.toLocaleString("en")} ${lines.length === 1 ? one : many}`;
}

/** A text with lines to expand; empty if there are no lines. */
function lineList(kind: Badge["kind"], text: string, lines: readonly string[]): HTMLElement[] {
  if (lines.length === 0) return [];
  const items = lines.slice(0, mostLines).map((line) => element("li", {}, longText(line)));
  const more = lines.length - items.length;
  if (more > 0) items.push(element("li", {}, `… and ${more.toLocaleString("en")} more`));
  return [
    element(
      "details",
      { open: kind === "error", "data-name": kind },
      element("summary", {}, badge({ kind, text, lines })),
      element("ul", { class: "findings" }, ...items),
    ),
  ];
}

function onEvent(event: PageEvent): void {
  switch (event.type) {
    case "cycle":
      return showCycle(event);
    case "connection":
      if (event.requests) target.propose(event.requests);
      return connection.show(event);
    case "offer":
      return void readOffer(event.version).catch(() => {});
    case "wire":
      return wire.show(event);
    case "call":
      return calls.show(event);
    case "question":
      return questions.show(event);
    case "settled":
      return questions.settle(event.question);
    case "log":
      return showLog(event);
  }
}

// Elements that stick below the bar need its height, which changes with its content.
const bar = document.querySelector<HTMLElement>(".bar")!;
new ResizeObserver(() =>
  document.documentElement.style.setProperty("--bar", `${bar.offsetHeight}px`),
).observe(bar);

for (const fold of document.querySelectorAll(".fold"))
  fold.addEventListener("click", () => (fold.ariaExpanded = String(fold.ariaExpanded !== "true")));

addTheme();
listen(onEvent, (isLost) => {
  byId("lost").hidden = !isLost;
  // A new event stream repeats everything that the server has kept.
  if (!isLost) for (const id of ["cycles", "logs"]) byId(id).replaceChildren();
});

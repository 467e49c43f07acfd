import { showAll } from "./search.js";

// Where the reader is: the entry that the address names, and the one at the top of the window.

/** Shows the element that the address names, and opens what is around it. */
function goToTarget(): void {
  const id = location.hash.slice(1);
  const target = id === "" ? null : (document.getElementById(id) ?? document.getElementById(decoded(id)));
  if (!target) return;
  if (target.closest("[hidden]")) showAll();
  for (let around: Element | null = target; around; around = around.parentElement)
    if (around instanceof HTMLDetailsElement) around.open = true;
  target.scrollIntoView();
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

const contents = document.querySelector(".contents");
const links = new Map(
  [...(contents?.querySelectorAll<HTMLAnchorElement>("ul ul a") ?? [])].map((link) => [
    link.getAttribute("href")!.slice(1),
    link,
  ]),
);
let current: HTMLAnchorElement | undefined;

/** Marks the entry at the top of the window in the contents, and keeps its item in view. */
function mark(): void {
  const main = document.querySelector("#content");
  if (!main || !contents || contents.clientHeight === 0) return;
  const { left, width } = main.getBoundingClientRect();
  // The last entries never reach the top.
  const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  const height = isAtEnd ? innerHeight - 120 : 120;
  const found = document.elementFromPoint(left + width / 4, height)?.closest(".entry");
  const entry = found ?? (isAtEnd ? lastShown() : undefined);
  const link = entry ? links.get(entry.id) : undefined;
  if (link === current) return;
  current?.removeAttribute("aria-current");
  current = link;
  link?.setAttribute("aria-current", "true");
  const side = contents.closest(".side");
  if (!link || !side || side.scrollHeight <= side.clientHeight) return;
  const [item, frame] = [link.getBoundingClientRect(), side.getBoundingClientRect()];
  if (item.top < frame.top || item.bottom > frame.bottom)
    side.scrollTop += item.top - frame.top - side.clientHeight / 3;
}

/** The last entry, above the foot of the page. */
function lastShown(): Element | undefined {
  return [...document.querySelectorAll("main .entry:not([hidden])")].at(-1);
}

/** At most once a frame. */
function oncePerFrame(action: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      action();
    });
  };
}

export function startPlace(): void {
  addEventListener("hashchange", goToTarget);
  addEventListener("scroll", oncePerFrame(mark), { passive: true });
  goToTarget();
}

// The program of pages to read: search, filters, place, theme, copying. Without it, the page shows everything.
import { addCopying } from "./parts/copying.js";
import { addTheme } from "./parts/theme.js";
import { colourCode } from "./reading/code.js";
import { startPlace } from "./reading/place.js";
import { startSearch } from "./reading/search.js";
import { say } from "./reading/status.js";

function startExpanding(): void {
  const button = document.querySelector<HTMLButtonElement>("#expand");
  button?.addEventListener("click", () => {
    const opens = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(opens));
    for (const details of document.querySelectorAll<HTMLDetailsElement>(
      "main .entry:not([hidden]), main .entry:not([hidden]) details",
    ))
      if (details instanceof HTMLDetailsElement) details.open = opens;
  });
}

startSearch();
addTheme();
startExpanding();
addCopying((text) => say(text, true));
colourCode();
startPlace();

// The program of document pages: the theme, buttons to copy code, and a key for the search. Without it, the
// page shows everything.
import { addCopying } from "../../../generator/page/browser/reading/controls.js";
import { addControls } from "./parts/controls.js";

const status = document.querySelector("#status");
addControls();
addCopying((text) => {
  if (!status) return;
  status.textContent = text;
  setTimeout(() => (status.textContent = ""), 2_000);
});

// On wide screens, the list of all pages scrolls separately: it is scrolled to the page that is shown.
const pages = document.querySelector(".pages");
const shown = pages?.querySelector("[aria-current]");
if (pages && shown)
  pages.scrollTop +=
    shown.getBoundingClientRect().top - pages.getBoundingClientRect().top - pages.clientHeight / 2;

// The program of documents: theme, copying, and a key for the search. Without it, the page shows everything.
import { addCopying } from "../../../generator/page/browser/parts/copying.js";
import { addTheme } from "../../../generator/page/browser/parts/theme.js";
import { addSearchKey } from "./parts/search-key.js";

const status = document.querySelector("#status");
for (const controls of document.querySelectorAll<HTMLElement>(".controls")) controls.hidden = false;
addCopying((text) => {
  if (status) status.textContent = text;
});
addTheme();
addSearchKey();

// The list of all pages scrolls in itself on wide screens: to the page that is shown.
const pages = document.querySelector(".pages");
const shown = pages?.querySelector("[aria-current]");
if (pages && shown)
  pages.scrollTop +=
    shown.getBoundingClientRect().top - pages.getBoundingClientRect().top - pages.clientHeight / 2;

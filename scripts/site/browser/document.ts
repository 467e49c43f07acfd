// The program of documents: theme, copying, and a key for the search. Without it, the page shows everything.
import { addCopying } from "../../../generator/page/browser/reading/controls.js";
import { addControls } from "./parts/controls.js";

const status = document.querySelector("#status");
addControls();
addCopying((text) => {
  if (status) status.textContent = text;
});

// The list of all pages scrolls in itself on wide screens: to the page that is shown.
const pages = document.querySelector(".pages");
const shown = pages?.querySelector("[aria-current]");
if (pages && shown)
  pages.scrollTop +=
    shown.getBoundingClientRect().top - pages.getBoundingClientRect().top - pages.clientHeight / 2;

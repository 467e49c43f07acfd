import { addTheme } from "../../../../generator/page/browser/reading/controls.js";

/**
 * Shows the controls that need a program: the theme and the search. The key / opens the search unless the
 * user is typing in a field.
 */
export function addControls(): void {
  for (const controls of document.querySelectorAll<HTMLElement>(".controls")) controls.hidden = false;
  addTheme();
  const search = document.querySelector<HTMLInputElement>("#search");
  addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    const writes = target instanceof HTMLElement && target.matches("input, select, textarea");
    if (key !== "/" || writes || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    search?.focus();
    search?.select();
  });
}

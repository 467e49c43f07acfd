import type { Page } from "./browser-page.js";
import { until } from "./until.mjs";

/** The text of all elements that a selector finds. */
export const text = (page: Page, selector: string): Promise<string> =>
  page.evaluate<string>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.innerText).join("\\n")`,
  );

/** Waits until the elements that a selector finds show a text. */
export async function shows(page: Page, selector: string, part: string): Promise<void> {
  // While a page loads, the browser refuses to evaluate expressions.
  const shown = (): Promise<string> => text(page, selector).catch(() => "");
  await until(`${selector} shows ${part}`, async () => (await shown()).includes(part));
}

/** Runs a statement in the page. Repeats it until it does not throw, that is, until its elements exist. */
async function acts(page: Page, statement: string): Promise<void> {
  const act = (): Promise<boolean> => page.evaluate<boolean>(`(() => { ${statement}; return true; })()`);
  await until(`the page does this: ${statement}`, () => act().catch(() => false));
}

/** Presses the visible button, or link styled as one, whose text begins with `label`. */
export const press = (page: Page, label: string, within = "body"): Promise<void> =>
  acts(
    page,
    `[...document.querySelector(${JSON.stringify(within)}).querySelectorAll("button, a.button")]
       .find((each) => each.checkVisibility() && each.textContent.startsWith(${JSON.stringify(label)})).click()`,
  );

/** Types into the field with a label, as a user does. */
export async function fill(page: Page, label: string, value: string, within = ".dev"): Promise<void> {
  await acts(
    page,
    `const label = [...document.querySelector(${JSON.stringify(within)}).querySelectorAll("label")]
       .find((each) => each.textContent.startsWith(${JSON.stringify(label)}));
     label.control.focus(); label.control.select?.()`,
  );
  await page.send("Input.insertText", { text: value });
}

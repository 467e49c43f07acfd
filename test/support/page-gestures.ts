import type { Page } from "./browser-page.js";
import { until } from "./until.mjs";

/** The text of all elements that a selector finds. */
export const text = (page: Page, selector: string): Promise<string> =>
  page.evaluate<string>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.innerText).join("\\n")`,
  );

/** Waits until the elements that a selector finds show a text. */
export async function shows(page: Page, selector: string, part: string): Promise<void> {
  // While a page loads, the browser refuses questions about it.
  const shown = (): Promise<string> => text(page, selector).catch(() => "");
  await until(`${selector} shows ${part}`, async () => (await shown()).includes(part));
}

/** Does something on the page as soon as it does not throw: what it needs is there then. */
async function acts(page: Page, statement: string): Promise<void> {
  const act = (): Promise<boolean> => page.evaluate<boolean>(`(() => { ${statement}; return true; })()`);
  await until(`the page does this: ${statement}`, () => act().catch(() => false));
}

/** Presses the button, or the link that looks like one, that is seen and whose text begins so. */
export const press = (page: Page, label: string, within = "body"): Promise<void> =>
  acts(
    page,
    `[...document.querySelector(${JSON.stringify(within)}).querySelectorAll("button, a.button")]
       .find((each) => each.checkVisibility() && each.textContent.startsWith(${JSON.stringify(label)})).click()`,
  );

/** Types into the field that a label names, as a user does. */
export async function fill(page: Page, label: string, value: string, within = ".dev"): Promise<void> {
  await acts(
    page,
    `const label = [...document.querySelector(${JSON.stringify(within)}).querySelectorAll("label")]
       .find((each) => each.textContent.startsWith(${JSON.stringify(label)}));
     label.control.focus(); label.control.select?.()`,
  );
  await page.send("Input.insertText", { text: value });
}

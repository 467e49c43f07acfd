import type { Page } from "../../support/browser-page.js";

/** Clicks as a mouse does, where the element is seen. */
export async function click(page: Page, selector: string): Promise<void> {
  const place = await page.evaluate<{ x: number; y: number }>(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  })()`);
  for (const type of ["mousePressed", "mouseReleased"])
    await page.send("Input.dispatchMouseEvent", { type, ...place, button: "left", clickCount: 1 });
}

export async function typeText(page: Page, text: string): Promise<void> {
  await page.send("Input.insertText", { text });
}

/** Chooses a value of a filter, as a reader does: the page hears of it. */
export async function choose(page: Page, filter: string, value: string): Promise<void> {
  await page.evaluate(`(() => {
    const control = document.querySelector('[data-filter="${filter}"]');
    if (control.type === "checkbox") control.click();
    else {
      control.value = ${JSON.stringify(value)};
      control.dispatchEvent(new Event("change"));
    }
  })()`);
}

/** The ids of the entries that are shown. */
export function shown(page: Page): Promise<string[]> {
  return page.evaluate(
    `[...document.querySelectorAll(".entry")].filter((entry) => !entry.closest("[hidden]")).map(({ id }) => id)`,
  );
}

export function text(page: Page, selector: string): Promise<string> {
  return page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`);
}

/** Whether an element can be seen: no part around it is closed or hidden. */
export function isVisible(page: Page, selector: string): Promise<boolean> {
  return page.evaluate(
    `document.querySelector(${JSON.stringify(selector)}).checkVisibility({ visibilityProperty: true })`,
  );
}

/** Whether an element stands in the window. */
export function isInView(page: Page, selector: string): Promise<boolean> {
  return page.evaluate(`(() => {
    const { top, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  })()`);
}

export function colourScheme(page: Page): Promise<string> {
  return page.evaluate("getComputedStyle(document.body).backgroundColor");
}

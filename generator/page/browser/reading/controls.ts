// Controls that the pages of mcpgen and of the site share.

/** Adds a copy button to each example. */
export function addCopying(say: (text: string) => void): void {
  for (const pre of document.querySelectorAll(".example > pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => void copy(pre, say));
    pre.before(button);
  }
}

async function copy(element: Element, say: (text: string) => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? "");
    say("Copied");
  } catch {
    getSelection()?.selectAllChildren(element);
    say("Selected: copy it with the keyboard");
  }
}

const key = "mcpgen-theme";

/** Lets a button switch between light and dark. The choice applies to other pages if the browser stores it. */
export function addTheme(): void {
  const root = document.documentElement;
  const kept = attempt(() => localStorage.getItem(key));
  if (kept === "dark" || kept === "light") root.dataset["theme"] = kept;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  document.querySelector("#theme")?.addEventListener("click", () => {
    const now = root.dataset["theme"] ?? (dark.matches ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    root.dataset["theme"] = next;
    attempt(() => localStorage.setItem(key, next));
  });
}

/** Runs `use`; returns undefined if the browser refuses storage, as some do for local files and private windows. */
function attempt<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

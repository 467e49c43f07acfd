// Controls of all pages: those that mcpgen writes, and the site.

/** A button beside each example that copies it. */
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

/** Lets the button choose between light and dark. The choice holds for the other pages, where the browser keeps it. */
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

/** Some browsers refuse storage to local files and to private windows. */
function attempt<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

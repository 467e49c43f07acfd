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

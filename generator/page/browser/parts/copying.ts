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

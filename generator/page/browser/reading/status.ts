const status = document.querySelector<HTMLElement>("#status");
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a text until the next one; a passing one for a while. Assistive technology reads it out. */
export function say(text: string, isPassing = false): void {
  clearTimeout(timer);
  if (status) status.textContent = text;
  if (isPassing) timer = setTimeout(() => say(""), 2_000);
}

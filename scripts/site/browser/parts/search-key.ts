/** The key / leads to the search, wherever nothing is being written. */
export function addSearchKey(): void {
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

import type { Issue, Json, Members, PageEvent } from "./messages.js";

// URLs are relative, because the page's path contains the secret.

/**
 * Calls `listener` with every event of the development loop, and `lost` when the connection to it is lost or
 * restored.
 */
export function listen(listener: (event: PageEvent) => void, lost: (isLost: boolean) => void): void {
  const source = new EventSource("events");
  source.addEventListener("message", ({ data }) => listener(JSON.parse(String(data)) as PageEvent));
  source.addEventListener("open", () => lost(false));
  source.addEventListener("error", () => lost(true));
}

/** @throws Error if the loop rejects the request or does not answer */
export async function post<Answer>(path: string, body: object): Promise<Answer> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error((await response.text()) || `status ${response.status}`);
  return (await response.json()) as Answer;
}

/** The issues of a value by a schema that the page has made or received. @throws Error as `post` */
export async function check(schema: Json, content: Members): Promise<readonly Issue[]> {
  return (await post<{ readonly issues: readonly Issue[] }>("check", { schema, content })).issues;
}

/** @throws Error as `post` */
export async function get<Answer>(path: string): Promise<Answer> {
  const response = await fetch(path);
  if (!response.ok) throw new Error((await response.text()) || `status ${response.status}`);
  return (await response.json()) as Answer;
}

/** The elements of Markdown; none if the loop does not answer, or if they would omit any text. */
export function markup(text: string): Promise<readonly Node[]> {
  // Its parser runs no scripts, and the page lets nothing else make elements from text.
  const request = new XMLHttpRequest();
  request.open("POST", "markup");
  request.responseType = "document";
  request.setRequestHeader("content-type", "application/json");
  request.send(JSON.stringify({ text }));
  return new Promise((resolve) => {
    request.addEventListener("loadend", () => resolve([...(request.responseXML?.body.childNodes ?? [])]));
  });
}

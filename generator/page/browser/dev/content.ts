import { element } from "./dom.js";
import type { Json, Members } from "./messages.js";
import { longText, nameText, shortText, visible } from "./text.js";

/** Image types that are shown. `image/svg+xml` is excluded: it is a document that may contain scripts. */
const images = /^image\/(png|jpeg|gif|webp|avif|bmp)$/i;
const sounds = /^audio\/(wav|x-wav|mpeg|mp3|mp4|aac|ogg|webm|flac)$/i;

/** A content block of a tool's result or a message. */
export function contentBlock(block: Json): HTMLElement {
  const { type, text, resource, ...rest } = membersOf(block);
  switch (type) {
    case "text":
      return typeof text === "string" ? longText(text, "pre") : json(block);
    case "image":
    case "audio":
      return media(rest) ?? json(block);
    case "resource":
      return element("div", { class: "block" }, resourceContent(resource ?? null));
    case "resource_link":
      return resourceLink(rest);
    case "tool_use":
    case "tool_result":
    default:
      return json(block);
  }
}

/** An item of a resource's contents. */
export function resourceContent(content: Json): HTMLElement {
  const { uri, mimeType, text, blob } = membersOf(content);
  const head = element(
    "p",
    { class: "soft" },
    linkOf(String(uri)),
    typeof mimeType === "string" && ` ${shortText(mimeType, 80)}`,
  );
  const body =
    typeof text === "string"
      ? longText(text, "pre")
      : typeof blob === "string"
        ? (media({ data: blob, mimeType: mimeType ?? "" }) ?? bytes(blob))
        : json(content);
  return element("div", { class: "block" }, head, body);
}

/** A value as JSON. */
export function json(value: Json | undefined): HTMLElement {
  return longText(jsonText(value), "pre");
}

function jsonText(value: Json | undefined): string {
  try {
    return JSON.stringify(value, undefined, 2) ?? "nothing";
  } catch {
    return "nested too deep to be shown";
  }
}

/** A link that leaves the page and shows its URL; a URL of another scheme as text. */
export function linkOf(address: string): HTMLElement {
  const isWeb = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  if (!isWeb) return element("code", {}, nameText(address));
  const { href } = new URL(address);
  return element(
    "a",
    { href, target: "_blank", rel: "noopener noreferrer", referrerpolicy: "no-referrer" },
    element("code", {}, nameText(href)),
  );
}

function resourceLink({ uri, name, title, description, mimeType }: Members): HTMLElement {
  const label = typeof title === "string" ? title : String(name);
  return element(
    "div",
    { class: "block" },
    element(
      "p",
      {},
      nameText(label),
      " ",
      linkOf(String(uri)),
      typeof mimeType === "string" && ` ${shortText(mimeType, 80)}`,
    ),
    typeof description === "string" && longText(description),
  );
}

/** Maximum length of media data that is shown. */
const mostData = 30_000_000;

function media({ data, mimeType }: Members): HTMLElement | undefined {
  if (typeof data !== "string" || typeof mimeType !== "string" || data.length > mostData) return undefined;
  if (!isBase64(data)) return undefined;
  const address = `data:${mimeType};base64,${data.replace(/\s/g, "")}`;
  if (images.test(mimeType)) return element("img", { src: address, alt: `image of type ${mimeType}` });
  if (sounds.test(mimeType))
    return element("audio", { src: address, controls: true, "aria-label": `audio of type ${mimeType}` });
  return undefined;
}

/** Whether data is base64 as browsers read it, so that a `data:` URL cannot contain anything else. */
function isBase64(data: string): boolean {
  try {
    atob(data);
    return true;
  } catch {
    return false;
  }
}

function bytes(blob: string): HTMLElement {
  return element(
    "p",
    {},
    visible(`${Math.floor((blob.length * 3) / 4).toLocaleString("en")} bytes in base64`),
  );
}

function membersOf(value: Json): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

// A browser without script: it keeps cookies, follows redirections, fills in forms and sends them.
import { once } from "node:events";
import { request as sendRequest } from "node:http";
import { text } from "node:stream/consumers";

const unescape = (text) =>
  text.replace(/&(amp|lt|gt|quot|#39|#x27|#x2F);/g, (whole, name) => entities[name] ?? whole);
const entities = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'", "#x2F": "/" };

/** The values that a user enters into fields with these names. */
const typed = { login: "ada", email: "ada@example.com", username: "ada", password: "a password of ada" };

const attribute = (tag, name) => {
  const found = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`).exec(tag);
  return found && unescape(found[1] ?? found[2] ?? found[3]);
};

/** The first POST form of a page, filled in by a user who agrees. */
function formOf(html, page, fields) {
  for (const [whole] of html.matchAll(/<form[^]*?<\/form>/g)) {
    const [head] = /<form[^>]*>/.exec(whole);
    if (attribute(head, "method")?.toLowerCase() !== "post") continue;
    const body = new URLSearchParams();
    for (const [tag] of whole.matchAll(/<(?:input|button)[^>]*>/g)) {
      const name = attribute(tag, "name");
      if (name === undefined || name === null) continue;
      const isButton = tag.startsWith("<button") || attribute(tag, "type") === "submit";
      const value = attribute(tag, "value") ?? "";
      // The first of several buttons that agrees.
      if (isButton && (body.has(name) || /deny|cancel|abort|no/.test(value))) continue;
      body.set(name, fields[name] ?? (value || typed[name] || ""));
    }
    return { target: new URL(attribute(head, "action") ?? page, page).href, body };
  }
  return undefined;
}

/** The cookies of one user. */
export class UserAgent {
  #cookies = new Map();
  /** Pages that were seen, without their query. */
  pages = [];

  /** Goes on from a URL until a page without a form, or until a URL that `isEnd` accepts. Resolves with the last URL. */
  async visit(url, isEnd = () => false, fields = {}) {
    let init = {};
    for (let steps = 0; steps < 30; steps++) {
      if (isEnd(url)) return url;
      const { status, location, text: html } = await this.#send(url, init);
      if (location !== undefined) {
        [url, init] = [new URL(location, url).href, {}];
        continue;
      }
      const { pathname } = new URL(url);
      this.pages.push(pathname);
      if (status !== 200) throw new Error(`${pathname} answered ${status}: ${html.slice(0, 500)}`);
      const form = formOf(html, url, fields);
      if (!form) return url;
      [url, init] = [form.target, { body: form.body }];
    }
    throw new Error(`the login does not end: ${this.pages.join(", ")}`);
  }

  async #send(url, { body }) {
    const { origin, hostname } = new URL(url);
    const cookie = [...(this.#cookies.get(hostname) ?? [])].map((pair) => pair.join("=")).join("; ");
    // Not fetch(), whose headers show that a script sends the request.
    const request = sendRequest(url, {
      method: body ? "POST" : "GET",
      agent: false,
      headers: {
        accept: "text/html",
        "sec-fetch-mode": "navigate",
        ...(cookie && { cookie }),
        ...(body && { origin, "content-type": "application/x-www-form-urlencoded" }),
      },
    });
    request.end(body?.toString());
    const [message] = await once(request, "response");
    const { statusCode: status, headers } = message;
    const jar = this.#cookies.get(hostname) ?? new Map();
    this.#cookies.set(hostname, jar);
    for (const set of headers["set-cookie"] ?? []) {
      const [pair] = set.split(";");
      const at = pair.indexOf("=");
      if (pair.slice(at + 1) === "") jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return { status, location: headers.location, text: await text(message) };
  }
}

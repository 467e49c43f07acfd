import { escaped, page } from "./html.js";

/** The content of a consent page, and its form. Texts are not escaped. */
export interface ConsentFacts {
  /** The name that the client gives itself. It is not verified. */
  readonly clientName: string;
  /** The verified host of the client's metadata document; absent for clients without one. */
  readonly clientHost?: string;
  readonly redirectUri: string;
  /** The destination of the code: a host, or the scheme of an application. */
  readonly redirectHost: string;
  /** Whether the code goes to an application on the user's machine. Any program there may receive it. */
  readonly isLoopback: boolean;
  readonly upstreamName: string;
  readonly upstreamScopes: readonly string[];
  readonly resource: string;
  readonly scopes: readonly { readonly name: string; readonly text?: string }[];
  /** The URL to which the form is sent by POST. The form must have a field `decision` with `allow` or `deny`. */
  readonly action: string;
  /** Hidden fields of the form, which prove that the page was shown in this browser. */
  readonly fields: Readonly<Record<string, string>>;
  /** The `nonce` of style elements. */
  readonly nonce: string;
}

/** Makes the default page. It works without scripts, by keyboard, and at a width of 320 pixels. */
export function consentPage(facts: ConsentFacts): string {
  const name = facts.clientName === "" ? "An unnamed application" : facts.clientName;
  const title = `Allow ${name}?`;
  const fields = Object.entries(facts.fields).map(
    ([field, value]) => `<input type="hidden" name="${escaped(field)}" value="${escaped(value)}">`,
  );
  const body = `<h1>Allow <bdi>${escaped(name)}</bdi> to use ${escaped(facts.upstreamName)} for you?</h1>
<p>It wants to call <strong>${escaped(facts.resource)}</strong>. You log in at ${escaped(facts.upstreamName)} next.</p>
<dl>
<dt>Application</dt>
<dd><bdi>${escaped(name)}</bdi>${facts.clientHost === undefined ? " (its name is not verified)" : `, published by ${escaped(facts.clientHost)}`}</dd>
<dt>Access is sent to</dt>
<dd><strong>${escaped(facts.redirectHost)}</strong><br><code>${escaped(facts.redirectUri)}</code></dd>
<dt>It may use</dt>
<dd>${list(facts.scopes.map(scopeText))}</dd>
<dt>Permissions at ${escaped(facts.upstreamName)}</dt>
<dd>${list(facts.upstreamScopes.map((scope) => `<code>${escaped(scope)}</code>`))}</dd>
</dl>
${facts.isLoopback ? `<p class="note">Access goes to an application on this computer. Allow it only if you have just started a login there.</p>` : ""}
<form method="post" action="${escaped(facts.action)}">
${fields.join("\n")}
<button type="submit" name="decision" value="deny">Deny</button>
<button type="submit" name="decision" value="allow">Allow</button>
</form>`;
  return page(title, body, facts.nonce);
}

function scopeText({ name, text }: ConsentFacts["scopes"][number]): string {
  return text === undefined
    ? `<code>${escaped(name)}</code>`
    : `${escaped(text)} (<code>${escaped(name)}</code>)`;
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "none" : `<ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>`;
}

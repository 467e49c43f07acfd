import { TemplateMatcher, UriTemplate as Template } from "@mcpgen/engine/uri-template";
import { McpError, invalidParams } from "@mcpgen/base";

/**
 * A URI template (RFC 6570), of levels 1 to 4. Its constructor throws `invalid-definition` for a text that is not a
 * template. `match` throws the same if an expansion does not determine the values. `expand` throws `invalid-params` if
 * the value for `{name:3}` is a list or a text is not well-formed Unicode.
 */
export class UriTemplate<const Text extends string = string> extends Template<Text> {
  /** @throws {McpError} `invalid-definition`: the text is not a template */
  constructor(text: Text) {
    super(text, { template: (problem) => wrongTemplate(text, problem), value: invalidParams });
  }
}

/**
 * Matches URIs against a template.
 *
 * @throws {McpError} `invalid-definition`: the template is wrong or ambiguous; the message has the reason
 */
export function matcherOf(text: string): TemplateMatcher {
  return new TemplateMatcher(text, (problem) => wrongTemplate(text, problem));
}

function wrongTemplate(text: string, problem: string): McpError {
  return new McpError("invalid-definition", `URI template ${JSON.stringify(text.slice(0, 200))}: ${problem}`);
}

// URI templates (RFC 6570), all levels, in one entry.
export {
  type Refuse,
  type TemplateExpression,
  type TemplateVariable,
  templateParts,
  variablesIn,
} from "./uri-template/expressions.js";
export {
  type MatchedVariable,
  type TemplateValues,
  type VariableNames,
  type VariablesOf,
  TemplateMatcher,
  isOptional,
  matchedParts,
} from "./uri-template/matcher.js";
export { type TemplateErrors, type TemplateValue, UriTemplate } from "./uri-template/template.js";

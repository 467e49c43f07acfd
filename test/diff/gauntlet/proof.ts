import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { Finding } from "../../../generator/diff/finding.js";
import { answersTo, opposite } from "../../support/schema-changes/document.js";
import type { Judge } from "./truth.js";

/** Whether ajv's verdicts on the counter-example of a finding are those that it claims. */
export function isProven({ counterexample }: Finding, judges: readonly [Judge, Judge]): boolean {
  if (!counterexample) return false;
  const { as, value, valid, reading } = counterexample;
  const verdicts = judges.map((judge, side) => verdict(judge, side as 0 | 1, as, value, reading));
  return verdicts[0] === valid.old && verdicts[1] === valid.new && valid.old !== valid.new;
}

type As = NonNullable<Finding["counterexample"]>["as"];

function verdict(judge: Judge, side: 0 | 1, as: As, value: JsonValue, reading: string): boolean {
  if ("definition" in as) return judge.takes(as.definition[side], value);
  const sender = as.part.endsWith("result") || as.part === "response" ? opposite(as.from) : as.from;
  const sent = judge.sent.find((each) => each.method === as.method && each.sender === sender);
  if (as.part === "embedded-request" || as.part === "embedded-result") return embedded(judge, as, value);
  if (!sent) return false;
  if (as.part === "request" || as.part === "notification") return judge.takesMessage(sent, value);
  if (as.part === "response") return judge.takesResponse(sent, value);
  const result = isJsonObject(value) ? value["result"] : undefined;
  const answers = answersTo(judge.document, sent);
  // A reader that uses the mark (`resultType`) treats a result without it as the plain result. A single kind of answer
  // needs no mark.
  const named = sent.definition.replace(/Request$/, "Result");
  const plain = answers.length === 1 ? answers : answers.filter((name) => name === named);
  return (
    result !== undefined && (reading === "marked" ? plain : answers).some((name) => judge.takes(name, result))
  );
}

/** Parts inside of other messages are in no union of messages. */
function embedded(judge: Judge, as: Extract<As, { method: string }>, value: JsonValue): boolean {
  const definition = judge.definitionOf(as.method);
  if (definition === undefined) return false;
  if (as.part === "embedded-request") return judge.takes(definition, value);
  const sent = { method: as.method, kind: "request", sender: as.from, definition } as const;
  return answersTo(judge.document, sent).some((name) => judge.takes(name, value));
}

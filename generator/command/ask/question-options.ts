import type { Options } from "yargs";

/** Options of commands that send one request, in the course of which a server may ask its user. */
export const questionOptionDefinitions: Readonly<Record<string, Options>> = {
  answer: {
    type: "string",
    requiresArg: true,
    array: true,
    description: "FIELD=VALUE or FIELD:=JSON of a form the server asks to fill in; may be repeated",
  },
  decline: { type: "boolean", description: "Decline questions that --answer does not answer" },
};

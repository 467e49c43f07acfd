import type { ExtensionModel } from "../../model/extension-model.js";
import type { Role } from "../../model/model.js";
import type { Emitter, Files } from "../emitter.js";
import { sharedModule } from "../imported.js";
import { stubsOf } from "../stubs/emit.js";
import { importTypes } from "../types/layout.js";
import type { ExtensionInput } from "./input.js";

/** `client.ts`: what an extension adds to one base, for clients: the table, and a function for each message they send. */
export const emitExtensionClient: Emitter<ExtensionInput> = (input) => emitStubs("client", input);

/** `server.ts`: the same for servers. */
export const emitExtensionServer: Emitter<ExtensionInput> = (input) => emitStubs("server", input);

function emitStubs(role: Role, input: ExtensionInput): Files {
  const { model, folder, origin, importExtension, render } = input;
  const { stubs, modelTypes } = stubsOf(model, role, new Set([`${role}Table`]));
  const usesResult = stubs.some(({ send }) => send === "request");
  const content = render("extension-stubs.ts", {
    ...{ origin, importExtension, role, stubs },
    modelImport: importTypes(modelTypes, sharedModule(input, "model")),
    methodTypes: methodTypes(model, role, usesResult),
  });
  return new Map([[`${folder}/${role}.ts`, { content, formatted: true as const }]]);
}

function methodTypes({ methods }: ExtensionModel, role: Role, usesResult: boolean): string {
  const sent = methods.filter((method) => method.senders.includes(role) && !method.payload);
  const usesParams = sent.some(({ params }) => params.presence !== "none");
  return [...(usesParams ? ["Params"] : []), ...(usesResult ? ["Result"] : [])].join(", ");
}

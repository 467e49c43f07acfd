import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-folder.js";

/** Three methods in the style of a vendor: draft-07, without references to the protocol. */
const message = (method: string, params: object, required: string[]) => ({
  type: "object",
  properties: { method: { const: method }, params: { type: "object", ...params } },
  required,
});
const text = { type: "string" };
export const ticketsSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  definitions: {
    Ticket: { type: "object", properties: { id: text, title: text }, required: ["id", "title"] },
    ListTicketsRequest: message("tickets/list", { properties: { cursor: text } }, ["method"]),
    ListTicketsResult: {
      type: "object",
      properties: { tickets: { type: "array", items: { $ref: "#/definitions/Ticket" } }, nextCursor: text },
      required: ["tickets"],
    },
    CreateTicketRequest: message("tickets/create", { properties: { title: text }, required: ["title"] }, [
      "method",
      "params",
    ]),
    CreateTicketResult: {
      type: "object",
      properties: { ticket: { $ref: "#/definitions/Ticket" } },
      required: ["ticket"],
    },
    TicketChangedNotification: message(
      "notifications/tickets/changed",
      { properties: { ticket: { $ref: "#/definitions/Ticket" } }, required: ["ticket"] },
      ["method", "params"],
    ),
  },
};

/** The id of the extension. */
export const ticketsId = "com.acme/tickets";

/** The arguments of the command that adds the extension. */
export const addTickets: readonly string[] = ["extension", "add", "tickets.json", "--id", ticketsId];

/** Makes a folder with only the schema of the extension. */
export function ticketsFolder(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "tickets.json"), JSON.stringify(ticketsSchema));
  return folder;
}

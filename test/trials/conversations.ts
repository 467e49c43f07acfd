// A program: the conversations of a server of all revisions of a workspace with a client of each.
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Conversation, converse } from "./conversation.js";

/** The revision whose names the server uses, if it is not the newest. */
const [, , words] = process.argv;

const tables = { server: serverRevisions, client: clientRevisions };
const conversations: Conversation[] = [];
for (const { id: revision } of clientRevisions)
  conversations.push(await converse(tables, { revision, words }));
process.stdout.write(JSON.stringify(conversations));

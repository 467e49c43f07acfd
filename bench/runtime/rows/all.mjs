import { clientRows } from "./client.mjs";
import { extensionRows } from "./extensions.mjs";
import { httpRows } from "./http.mjs";
import { sessionsRow } from "./sessions.mjs";
import { sizeRows } from "./size.mjs";
import { startUpRow } from "./start-up.mjs";
import { stdioRows } from "./stdio.mjs";
import { taskRows } from "./tasks.mjs";
import { typesRows } from "./types.mjs";

/** Every row: `{ name, unit, bar, measure(effort): Promise<Map<contender, value>> }`. */
export const allRows = [
  ...stdioRows,
  ...httpRows,
  sessionsRow,
  ...extensionRows,
  ...taskRows,
  ...clientRows,
  startUpRow,
  ...sizeRows,
  ...typesRows,
];

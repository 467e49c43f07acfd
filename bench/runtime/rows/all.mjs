import { clientRows } from "./client.mjs";
import { sizeRows } from "./size.mjs";
import { startUpRow } from "./start-up.mjs";
import { stdioRows } from "./stdio.mjs";
import { typesRow } from "./types.mjs";

/** Every row: `{ name, unit, bar, measure(effort): Promise<Map<contender, value>> }`. */
export const allRows = [...stdioRows, ...clientRows, startUpRow, ...sizeRows, typesRow];

import { clientRows } from "./client.mjs";
import { startUpRow } from "./start-up.mjs";
import { stdioRows } from "./stdio.mjs";

/** Every row: `{ name, unit, bar, measure(effort): Promise<Map<contender, value>> }`. */
export const allRows = [...stdioRows, ...clientRows, startUpRow];

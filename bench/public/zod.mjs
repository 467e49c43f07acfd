import { z } from "zod";

/** The members of the arguments of each tool, for the contenders that take zod. */
export const shapes = {
  calculate_fibonacci: { n: z.number().describe("Integer from 0 to 40") },
  fetch_external_data: { endpoint: z.string().describe("Complete URL of the endpoint") },
  process_json_data: { data: z.looseObject({}).describe("JSON object to process") },
  simulate_database_query: {
    query: z.string().describe("Text of the SQL query"),
    delay_ms: z.number().default(0).describe("Delay in milliseconds, from 0 to 5000"),
  },
};

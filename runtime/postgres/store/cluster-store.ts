import { randomBytes } from "node:crypto";
import { type ClusterStore, EngineCalls, EventBatches, type FollowedEvent, logLimits } from "@mcpgen/cluster";
import { checkOptions } from "@mcpgen/base";
import { type PostgresClient, type Row, rowsOf } from "./client.js";
import { ListeningChannels, type PostgresSubscriber } from "./cluster-channels.js";
import { type PostgresClusterStoreOptions, clusterTables, rules } from "./cluster-tables.js";
import { digestOf, literal, now } from "./sql.js";

/** Maximum length of a notification in bytes. PostgreSQL allows fewer than 8,000. */
const longestPayload = 7900;
/** Milliseconds for which the table keeps a longer message for its readers. */
const messageMs = 60_000;
/** Maximum number of rows that a heartbeat removes from each table. */
const mostRemoved = 1000;
/** The id of an event: the writer's counter, and the writer. */
const eventId = /^\d{1,15}\.[\w-]{8}$/;

/**
 * Makes the store that processes with the same sessions share, in PostgreSQL, in the tables of `createClusterTables`. The
 * tables contain digests of sessions, keys and nodes, so that a copy of the database cannot open sessions. Heartbeats remove
 * expired rows.
 *
 * @param client a connection or a pool; the store does not close it
 * @param connect opens a connection for subscriptions; the store closes it
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function postgresClusterStore(
  client: PostgresClient,
  connect: () => Promise<PostgresSubscriber>,
  options: PostgresClusterStoreOptions = {},
): ClusterStore {
  checkOptions(options, rules, "postgresClusterStore: ");
  const { table } = options;
  const { logs, events, values, messages, listeners } = clusterTables(table);
  const calls = new EngineCalls("PostgreSQL");
  const inOrder = new Turns();
  const writer = randomBytes(6).toString("base64url");
  let counter = 0;

  const run = (text: string, ...args: (string | number)[]): Promise<readonly Row[]> => {
    batches.flush();
    return calls.run(() => rowsOf(client, text, ...args));
  };
  /** Runs statements with the same name one after another, since a pool has several connections. */
  const writeInTurn = (name: string, text: string, ...args: (string | number)[]): Promise<readonly Row[]> =>
    calls.run(() => inOrder.take(name, () => rowsOf(client, text, ...args)));
  const runInTurn: typeof writeInTurn = (...args) => {
    batches.flush();
    return writeInTurn(...args);
  };
  // A PostgreSQL name has at most 63 bytes.
  const channelOf = (name: string): string => `mcpgen_${digestOf(`${table ?? ""}\n${name}`)}`;
  const channels = new ListeningChannels({
    listeners,
    connect,
    read: async (id) => {
      const [row] = await run(`SELECT message FROM ${messages} WHERE id = $1`, id);
      if (!row) throw new Error("the message is gone");
      return row["message"] as string;
    },
  });

  const held = `
    SELECT ((classid::bigint << 32) | objid::bigint) AS owner FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  /**
   * SQL that sends the rows of `message` (`place`, `text`) in order if the channel has listeners, and writes nothing
   * otherwise.
   */
  const notified = (channel: string): string => `
    listening AS (SELECT count(*) AS count FROM ${listeners} WHERE channel = ${channel} AND owner IN (${held})),
    numbered AS (
      SELECT place, text, CASE WHEN octet_length(text) > ${longestPayload}
        THEN nextval(pg_get_serial_sequence(${literal(messages)}, 'id')) END AS long
      FROM message, listening WHERE count > 0),
    kept AS (INSERT INTO ${messages} SELECT long, text, ${now} + ${messageMs} FROM numbered WHERE long IS NOT NULL),
    sent AS (
      SELECT pg_notify(${channel}, CASE WHEN long IS NULL THEN 'm' || text ELSE 'o' || long END)
      FROM (SELECT * FROM numbered ORDER BY place) AS each)`;
  const publish = async (channel: string, message: string): Promise<number> => {
    const text = `WITH message AS (SELECT 1 AS place, $2::text AS text), ${notified("$1::text")}
      SELECT count, (SELECT count(*) FROM sent) FROM listening`;
    const [row] = await runInTurn(`channel ${channel}`, text, channelOf(channel), message);
    return Number(row!["count"]);
  };

  const put = async (key: string, value: string, ttlMs: number): Promise<void> => {
    const text = `INSERT INTO ${values} VALUES ($1, $2, ${now} + $3)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, due_at = excluded.due_at`;
    await run(text, key, value, ttlMs);
  };
  const get = async (key: string): Promise<string | undefined> => {
    const [row] = await run(`SELECT value FROM ${values} WHERE key = $1 AND due_at > ${now}`, key);
    return row?.["value"] as string | undefined;
  };

  // SQL condition for events to keep: the event and all later ones are within the limits. The rows of the event and of the
  // log suffice to compute it.
  const kept = `number BETWEEN first AND last AND number > last - ${logLimits.events}
    AND (l.total - e.total + size <= ${logLimits.characters} OR number = last)`;
  /** SQL that appends events, given as a JSON array. */
  const append = `
    event AS (
      SELECT id, stream, data, size, place, sum(size) OVER (ORDER BY place) AS total
      FROM ROWS FROM (json_to_recordset($2::json) AS (id text, stream text, data text, size double precision))
        WITH ORDINALITY AS each(id, stream, data, size, place)),
    log AS (
      INSERT INTO ${logs} AS l SELECT $1, 1, count(*), sum(size), ${now} + $3 FROM event
      ON CONFLICT (session) DO UPDATE SET last = l.last + excluded.last, total = l.total + excluded.total,
        due_at = excluded.due_at, first = CASE WHEN l.due_at > ${now} THEN l.first ELSE l.last + 1 END
      RETURNING *),
    removed AS (
      DELETE FROM ${events} e USING log l WHERE e.session = l.session AND NOT (${kept})),
    added AS (
      INSERT INTO ${events}
      SELECT session, last - (SELECT count(*) FROM event) + place, id, stream, data, size,
        log.total - (SELECT sum(size) FROM event) + event.total FROM log, event
      ON CONFLICT (session, number) DO UPDATE SET id = excluded.id, stream = excluded.stream, data = excluded.data,
        size = excluded.size, total = excluded.total)`;
  /** SQL that appends events, and sends each to the channel as JSON of a `FollowedEvent`. */
  const appendAndSend = `${append},
    message AS (SELECT place, json_build_object('id', id, 'stream', stream, 'data', data)::text AS text FROM event),
    ${notified("$4::text")}`;
  const after = `
    SELECT e.id, e.stream, e.data FROM ${logs} l JOIN ${events} e USING (session)
    WHERE session = $1 AND l.due_at > ${now} AND ${kept} AND (e.id = $2 OR e.data <> '' AND number >
      (SELECT number FROM ${events} WHERE session = $1 AND id = $2)) ORDER BY number`;
  const sweep = `
    WITH ended AS (
      DELETE FROM ${logs} WHERE session IN (
        SELECT session FROM ${logs} WHERE due_at <= ${now} LIMIT ${mostRemoved} FOR UPDATE SKIP LOCKED) RETURNING session),
    events AS (DELETE FROM ${events} WHERE session IN (SELECT session FROM ended)),
    messages AS (DELETE FROM ${messages} WHERE id IN (
      SELECT id FROM ${messages} WHERE due_at <= ${now} LIMIT ${mostRemoved} FOR UPDATE SKIP LOCKED)),
    listeners AS (DELETE FROM ${listeners} WHERE owner NOT IN (${held}))
    DELETE FROM ${values} WHERE key IN (
      SELECT key FROM ${values} WHERE due_at <= ${now} LIMIT ${mostRemoved} FOR UPDATE SKIP LOCKED)`;

  const batches = new EventBatches(async ({ session, ttlMs, follow, events: appended }) => {
    const rows = appended.map(({ stream, data }) => {
      const size = data.length + logLimits.overhead;
      return { id: `${++counter}.${writer}`, stream, data, size };
    });
    const args = [digestOf(session), JSON.stringify(rows), ttlMs];
    const name = `session ${session}`;
    if (follow === undefined) await writeInTurn(name, `WITH ${append} SELECT last FROM log`, ...args);
    else {
      const text = `WITH ${appendAndSend} SELECT last, (SELECT count(*) FROM sent) FROM log`;
      await writeInTurn(name, text, ...args, channelOf(follow));
    }
    return rows.map(({ id }) => id);
  });

  return {
    log: {
      append: (...event) => batches.append(...event),
      after: async (session, event) => {
        calls.assertOpen();
        // Reject most invalid ids without a statement.
        if (event.length > 60 || !eventId.test(event)) return undefined;
        const [first, ...rest] = (await run(after, digestOf(session), event)) as readonly (Row &
          FollowedEvent)[];
        if (first?.id !== event) return undefined;
        const later = rest.filter(({ stream }) => stream === first.stream);
        return { stream: first.stream, events: later.map(({ id, data }) => ({ id, data })) };
      },
      drop: async (session) => {
        const text = `WITH log AS (DELETE FROM ${logs} WHERE session = $1) DELETE FROM ${events} WHERE session = $1`;
        await runInTurn(`session ${session}`, text, digestOf(session));
      },
    },
    publish,
    subscribe: (channel, listener, lost) =>
      calls.open(() => channels.subscriptions.subscribe(channelOf(channel), listener, lost)),
    put: (key, value, ttlMs) => put(`key ${digestOf(key)}`, value, ttlMs),
    get: (key) => get(`key ${digestOf(key)}`),
    take: async (key) => {
      const text = `DELETE FROM ${values} WHERE key = $1 RETURNING value, due_at > ${now} AS live`;
      const [row] = await run(text, `key ${digestOf(key)}`);
      return row?.["live"] === true ? (row["value"] as string) : undefined;
    },
    claim: async (key, value, ttlMs) => {
      const text = `INSERT INTO ${values} AS v VALUES ($1, $2, ${now} + $3)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, due_at = excluded.due_at WHERE v.due_at <= ${now} RETURNING 1`;
      return (await run(text, `key ${digestOf(key)}`, value, ttlMs)).length === 1;
    },
    heartbeat: async (node, ttlMs) => {
      await put(`node ${digestOf(node)}`, "", ttlMs);
      await run(sweep);
    },
    alive: async (node) => (await get(`node ${digestOf(node)}`)) !== undefined,
    close: async () => {
      if (calls.isClosed) return;
      batches.flush();
      calls.close();
      await channels.close();
    },
  };
}

/** Runs work with the same name one after another. */
class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const turn = before ? before.then(work, work) : work();
    this.#last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    }
  }
}

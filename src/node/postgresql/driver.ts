/** PostgreSQL's driver, in a file of its own: only nodes that use a database load it. */

import pg from "pg";

export const { Client, Pool } = pg;

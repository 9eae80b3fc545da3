/** PostgreSQL's driver in its own module, loaded only by nodes that use a database. */

import pg from "pg";

export const { Client, Pool } = pg;

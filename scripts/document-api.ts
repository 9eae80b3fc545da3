/** Writes docs/openapi.json, the HTTP API in the neutral spelling, from the endpoint table. */

import { writeFileSync } from "node:fs";
import { openApiDocument } from "../src/node/api/openapi.js";

writeFileSync(
	new URL("../docs/openapi.json", import.meta.url),
	`${JSON.stringify(openApiDocument("neutral"), null, "\t")}\n`,
);

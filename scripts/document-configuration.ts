/** Writes docs/configuration.md: every key of a node's configuration, made of the table of settings. */

import { writeFileSync } from "node:fs";
import { configurationPage } from "./configuration-page.js";

writeFileSync(new URL("../docs/configuration.md", import.meta.url), configurationPage());

/** Writes docs/configuration.md from the table of settings, and the receivers in docs/events.md. */

import { readFileSync, writeFileSync } from "node:fs";
import { configurationPage, withReceivers } from "./configuration-page.js";

writeFileSync(new URL("../docs/configuration.md", import.meta.url), configurationPage());

const events = new URL("../docs/events.md", import.meta.url);
writeFileSync(events, withReceivers(readFileSync(events, "utf8")));

/** `node.history`: what is kept of the past, and where (ours). */

import type { DatabaseAddress } from "../postgresql/address.js";
import { SCHEMA, WRONG_SCHEMA, wrongDatabaseUrl } from "./database-url.js";
import type { Settings } from "./settings.js";

/** What is kept of the past. */
export interface HistoryConfig {
	/** Of how many final blocks the state can be read; Infinity: all; 0: only the newest. */
	readonly stateBlocks: number;
	/** Whether what happened is found by account and contract; undefined: on development chains. */
	readonly index: boolean | undefined;
	/** Where the rows of that are kept; undefined: in the data directory. */
	readonly database: DatabaseAddress | undefined;
	/** Another node writes them. */
	readonly readOnly: boolean;
}

/** @throws {ConfigError} */
export function readHistory(settings: Settings): HistoryConfig {
	const stateBlocks = readStateBlocks(settings);
	const database = readDatabase(settings);
	const readOnly = settings.get("node.history.readOnly");
	if (readOnly && !database) {
		throw settings.refuse(
			"node.history.readOnly",
			"needs node.history.database: it is for a database that another node writes",
		);
	}
	const index = readIndexSwitch(settings) ?? (database ? true : undefined);
	return { stateBlocks, index, database, readOnly };
}

function readStateBlocks(settings: Settings): number {
	const text = settings.get("node.history.state");
	if (text === "off") return 0;
	if (text === "all") return Number.POSITIVE_INFINITY;
	const blocks = /^\d{1,15}$/.test(text) ? Number(text) : 0;
	if (blocks < 1) {
		throw settings.refuse("node.history.state", `must be off, all, or a number from 1, not "${text}"`);
	}
	return blocks;
}

function readIndexSwitch(settings: Settings): boolean | undefined {
	const text = settings.get("node.history.index");
	if (text === undefined || text === "on" || text === "off")
		return text === undefined ? undefined : text === "on";
	throw settings.refuse("node.history.index", `must be on or off, not "${text}"`);
}

function readDatabase(settings: Settings): DatabaseAddress | undefined {
	const url = settings.get("node.history.database");
	const passwordFile = settings.get("node.history.passwordFile");
	const schema = settings.get("node.history.schema");
	if (url === undefined) return undefined;
	const wrongUrl = wrongDatabaseUrl(url);
	if (wrongUrl) throw settings.refuse("node.history.database", wrongUrl);
	if (!SCHEMA.test(schema)) throw settings.refuse("node.history.schema", WRONG_SCHEMA);
	return { url, passwordFile, schema };
}

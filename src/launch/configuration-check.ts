/** What a start with a configuration would meet: doubtful keys, wrong values, ports in use (protocol/command-line §7). */

import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import {
	checkMeta,
	logDirectory,
	openDataDirectory,
	readLogStart,
	readMeta,
} from "../node/chain/data-directory.js";
import { genesisId } from "../node/chain/genesis.js";
import { loadConfig, type NodeConfig } from "../node/config/config.js";
import { refuseDevelopmentDirectory } from "../node/development/directory.js";
import { nearest } from "../wallet/suggestion.js";
import { genesisGap, missingSectionHint } from "./configuration-gaps.js";
import { LISTENERS } from "./listeners.js";

export interface Finding {
	/** An error keeps a node from starting. */
	readonly level: "error" | "warning";
	/** File and line, port or directory. */
	readonly place: string;
	readonly message: string;
}

/**
 * Goes through what a start goes through, without starting.
 * @param dataDirectory looked into only if it exists
 */
export async function checkConfiguration(file: string, dataDirectory: string): Promise<Finding[]> {
	let config: NodeConfig;
	try {
		config = loadConfig(file);
	} catch (error) {
		if ((error as Error).name !== "ConfigError") throw error;
		const { message } = error as Error;
		const hint = missingSectionHint(message);
		return [errorAt(file, hint === undefined ? message : `${message}; ${hint}`)];
	}
	const gap = genesisGap(config);
	return [
		...(gap === undefined ? [] : [{ level: "warning", place: file, message: gap } as const]),
		...config.unknownKeys.map(({ path, line }) => unknownKey(config, path, line)),
		...config.warnings.map((message) => ({ level: "warning", place: file, message }) as const),
		...config.localWitness.keystores
			.slice(0, 1)
			.filter((keystore) => !existsSync(keystore))
			.map((keystore) =>
				errorAt(keystore, "the witness's key file (localwitnesskeystore) isn't there: --witness fails"),
			),
		...(await checkPorts(config)),
		...(await checkDirectory(config, dataDirectory)),
	];
}

/** The sentence on a key that no node reads, with the key that was probably meant. */
export function unknownKeyText(config: NodeConfig, path: string): string {
	const parent = path.slice(0, path.lastIndexOf(".") + 1);
	const known = config.settings
		.map((setting) => setting.path)
		.filter((key) => key.startsWith(parent))
		.map((key) => key.slice(parent.length));
	const [near] = nearest(path.slice(parent.length), known, 1);
	return `the key ${path} means nothing to a node${near ? `; did you mean ${parent}${near}?` : ""}`;
}

function unknownKey(config: NodeConfig, path: string, line: number): Finding {
	return { level: "warning", place: `${config.file}:${line}`, message: unknownKeyText(config, path) };
}

async function checkPorts(config: NodeConfig): Promise<Finding[]> {
	const users = new Map<number, string>();
	const findings: Finding[] = [];
	for (const { of, use, setting } of LISTENERS) {
		const { enabled, port } = of(config.node);
		if (!enabled || port === 0) continue;
		const other = users.get(port);
		const user = `${use} (${setting})`;
		users.set(port, user);
		if (other !== undefined) findings.push(errorAt(`port ${port}`, `is given twice: ${other}, ${user}`));
		else {
			const code = await bindFailure(port);
			if (code === "EADDRINUSE")
				findings.push(errorAt(`port ${port}`, `is in use; the ${use} needs it: ${setting} sets another`));
			else if (code) findings.push(errorAt(`port ${port}`, `can't be bound for the ${user}: ${code}`));
		}
	}
	return findings;
}

function bindFailure(port: number): Promise<string | undefined> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
		server.listen(port, () => server.close(() => resolve(undefined)));
	});
}

async function checkDirectory(config: NodeConfig, dataDirectory: string): Promise<Finding[]> {
	if (!existsSync(join(dataDirectory, config.storage.directory))) return [];
	try {
		refuseDevelopmentDirectory(dataDirectory);
		const database = await openDataDirectory(dataDirectory, config.storage.directory);
		try {
			const meta = await readMeta(database, dataDirectory);
			if (meta) checkMeta(meta, genesisId(config.genesis), dataDirectory);
			if (
				meta &&
				readLogStart(database, dataDirectory).segment > 0 &&
				!existsSync(logDirectory(dataDirectory))
			)
				return [errorAt(dataDirectory, "lacks its block log")];
		} finally {
			await database.close();
		}
	} catch (error) {
		if (!["DatabaseError", "DevelopmentMarkError"].includes((error as Error).name)) throw error;
		return [errorAt(dataDirectory, (error as Error).message)];
	}
	return [];
}

function errorAt(place: string, message: string): Finding {
	return { level: "error", place, message };
}

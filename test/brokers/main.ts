/**
 * Tells events to real brokers and databases, each started here, on loopback, with ports and folders of its own.
 *
 *     npm run tool soak:brokers -- [names…] [--kills 10] [--event-version 0] [--seed 1]
 *
 * Their programs come from their registries, once; one that can't be had is skipped with a sentence.
 */

import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { randomFrom } from "../soak/random.js";
import type { BrokerKind } from "./broker.js";
import { kafka } from "./kafka.js";
import { tellThroughKills } from "./kills.js";
import { mongodb } from "./mongodb.js";
import { nats } from "./nats.js";
import { postgresql } from "./postgresql.js";

const KINDS: readonly BrokerKind[] = [kafka, mongodb, nats, postgresql];

const print = (text: string): void => {
	process.stdout.write(`${text}\n`);
};

const { positionals: names, values } = parseArgs({
	allowPositionals: true,
	options: {
		kills: { type: "string", default: "10" },
		seed: { type: "string", default: String(Date.now() % 1_000_000) },
		"event-version": { type: "string" },
	},
});
const versions = values["event-version"] === undefined ? [0, 1] : [Number(values["event-version"])];
const random = randomFrom(Number(values.seed));

/** @throws {Error} what is wrong */
async function tryKind(kind: BrokerKind, folder: string): Promise<void> {
	const found = await kind.find();
	if (found === undefined) {
		print(`${kind.name}: skipped; install ${kind.needs}`);
		return;
	}
	// Each version has a broker of its own, and half of the kills.
	const kills = Math.ceil(Number(values.kills) / versions.length);
	for (const version of versions) {
		const own = join(folder, String(version));
		const [data, directory] = [join(own, "broker"), join(own, "node")];
		for (const each of [data, directory]) mkdirSync(each, { recursive: true });
		const broker = await kind.start(found, data);
		try {
			await kind.check?.(broker, own);
			const result = await tellThroughKills({ broker, directory, kills, version, random });
			print(`${kind.name}, version ${version}: ${result}`);
		} finally {
			await broker.stop();
		}
	}
}

const unknown = names.find((name) => !KINDS.some((kind) => kind.name === name));
if (unknown !== undefined)
	throw new Error(`${unknown} is none of ${KINDS.map(({ name }) => name).join(", ")}`);
const directory = await mkdtemp(join(tmpdir(), "coin-brokers-"));
print(`seed ${values.seed}, in ${directory}`);
for (const kind of KINDS) {
	if (names.length === 0 || names.includes(kind.name)) await tryKind(kind, join(directory, kind.name));
}
await rm(directory, { recursive: true, force: true });

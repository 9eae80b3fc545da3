/**
 * Tells events to real brokers and databases, each started here, on loopback, with ports and folders of its own.
 *
 *     npm run test:brokers -- [names…] [--kills 10] [--seed 1]
 *
 * Their programs come from their registries, once; one that can't be had is skipped with a sentence.
 */

import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BrokerKind } from "./broker.js";
import { kafka } from "./kafka.js";
import { mongodb } from "./mongodb.js";
import { nats } from "./nats.js";
import { postgresql } from "./postgresql.js";

const KINDS: readonly BrokerKind[] = [kafka, mongodb, nats, postgresql];

const print = (text: string): void => {
	process.stdout.write(`${text}\n`);
};

/** @throws {Error} what is wrong */
async function tryKind(kind: BrokerKind, folder: string): Promise<void> {
	const found = await kind.find();
	if (found === undefined) {
		print(`${kind.name}: skipped; install ${kind.needs}`);
		return;
	}
	mkdirSync(folder);
	const broker = await kind.start(found, folder);
	try {
		await broker.kill();
		await broker.restart();
		await kind.check?.(broker, folder);
		print(`${kind.name}: ready at ${broker.url} after a kill, holds ${(await broker.read()).length}`);
	} finally {
		await broker.stop();
	}
}

const { positionals: names } = parseArgs({
	allowPositionals: true,
	options: {},
});
const unknown = names.find((name) => !KINDS.some((kind) => kind.name === name));
if (unknown !== undefined)
	throw new Error(`${unknown} is none of ${KINDS.map(({ name }) => name).join(", ")}`);
const directory = await mkdtemp(join(tmpdir(), "coin-brokers-"));
for (const kind of KINDS) {
	if (names.length === 0 || names.includes(kind.name)) await tryKind(kind, join(directory, kind.name));
}
await rm(directory, { recursive: true, force: true });

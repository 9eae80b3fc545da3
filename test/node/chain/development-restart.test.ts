import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OpenChain } from "../../../src/node/chain/open-chain.js";
import {
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	defaultProducerKey,
	deriveAccounts,
} from "../../../src/node/development/accounts.js";
import type { SealMode } from "../../../src/node/development/conditions.js";
import { prepareDevelopment } from "../../../src/node/development/development.js";
import { Sealer } from "../../../src/node/production/sealer.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-dev-"));
});
afterEach(() => {
	rmSync(directory, { recursive: true, force: true });
});

async function start(dataDirectory: string, seal: SealMode, clock: () => bigint) {
	const development = prepareDevelopment({
		accounts: deriveAccounts(DEVELOPMENT_MNEMONIC, DEVELOPMENT_HD_PATH, 1, 1_000_000n),
		producerKey: defaultProducerKey(),
		seal,
		economy: "genesis",
		parameters: [],
		genesisTimestampMs: 0n,
		maintenanceMs: 21_600_000,
		solidLag: 2n,
		dialect: "neutral",
		ports: {},
	});
	const { config, schedule, producer, initialize } = development;
	schedule.follow(clock);
	const fail = (error: unknown): void => {
		throw error;
	};
	const open = await OpenChain.open({
		config,
		dataDirectory,
		clock,
		development: schedule,
		initialize,
		machine: () => {
			throw new Error("this chain runs no contracts");
		},
		onStorageFailure: fail,
	});
	const sealer = new Sealer({
		chain: open.chain,
		producer,
		conditions: schedule,
		onSealed: () => {},
		onFailure: fail,
	});
	return { open, sealer };
}

test("a development chain that sealed at once goes on at an interval, after a kill too", async () => {
	let nowMs = 1_000n;
	const clock = (): bigint => nowMs++;
	const first = await start(join(directory, "first"), "instant", clock);
	for (let i = 0; i < 5; i++) first.sealer.seal();
	const { idHex } = first.open.chain.head;
	cpSync(join(directory, "first"), join(directory, "second"), { recursive: true });
	const second = await start(join(directory, "second"), { intervalMs: 3_000 }, clock);
	expect(second.open.chain.head.idHex).toBe(idHex);
	const { block } = second.sealer.seal();
	expect(block.timestampMs - first.open.chain.head.timestampMs).toBe(3_000n);
	for (const { open } of [first, second]) await open.close();
});

test("what is to be on the disk waits for a flush that is under way, whoever asked for that", async () => {
	const { open } = await start(directory, "instant", () => 1_000n);
	await open.flushNow();
	// An edit brings its change to the disk while the history index asks for a flush, and the other way round.
	await Promise.all([open.persist(), open.flushNow(), open.persist(), open.flushNow()]);
	const edited = open.persist();
	await open.close();
	await edited;
});

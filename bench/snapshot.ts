/**
 * Creating, reading and restoring a snapshot of many small accounts, with all checks, compared with copying
 * the same bytes. The data set of each size is created once and cached, with other files next to it.
 *
 * npm run tool bench:snapshot -- [counts…]
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkSnapshot, findSnapshot, makeSnapshot, restoreInto } from "../src/launch/snapshot-work.js";
import { useFastHashing } from "../src/protocol/hash.js";
import { accountEntries } from "./large-state/account-entries.js";
import { addEntries, keptFolder } from "./large-state/data-set.js";
import { DATABASE_FOLDER, makeSenders, NETWORK, openNetwork, produceNext } from "./large-state/network.js";

const BLOCKS = 100;

interface Measured {
	readonly seconds: number;
	/** CPU time of all threads of this process. */
	readonly cpuSeconds: number;
}

async function measured(work: () => Promise<unknown> | undefined): Promise<Measured> {
	const [started, cpu] = [performance.now(), process.cpuUsage()];
	await work();
	const { user, system } = process.cpuUsage(cpu);
	const rounded = (seconds: number): number => Number(seconds.toFixed(2));
	return {
		seconds: rounded((performance.now() - started) / 1_000),
		cpuSeconds: rounded((user + system) / 1e6),
	};
}

function bytesIn(folder: string): number {
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
	return names.map((name) => statSync(join(folder, name))).reduce((sum, each) => sum + each.size, 0);
}

/** Synced to disk at the end, like a restore. */
function copy(from: string, to: string): undefined {
	for (const words of [
		["cp", "-r", from, to],
		["sync", "-f", to],
	]) {
		const { status, stderr } = spawnSync(words[0] as string, words.slice(1), { encoding: "utf8" });
		if (status !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
	}
}

await useFastHashing();
const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000_000];
for (const count of counts) {
	const dataDirectory = await keptFolder(`snapshot-${count}`, async (folder) => {
		const open = await openNetwork(folder);
		// Only irreversible blocks are in the database.
		for (let number = 0; number < BLOCKS; number++) produceNext(open);
		await open.close();
		await addEntries(folder, accountEntries(count, makeSenders(1)));
	});
	const work = `${dataDirectory}.work`;
	rmSync(work, { recursive: true, force: true });
	mkdirSync(work);
	try {
		const [target, restored] = [join(work, "snapshot"), join(work, "restored")];
		const file = join(work, "config.conf");
		writeFileSync(file, NETWORK);
		const onProgress = (): boolean => true;
		const version = "bench";
		const create = await measured(() =>
			makeSnapshot({ dataDirectory, name: DATABASE_FOLDER, target, version, onProgress }),
		);
		const snapshot = await findSnapshot(target);
		const verify = await measured(() => checkSnapshot(snapshot, onProgress));
		const restore = await measured(() =>
			restoreInto({
				...{ snapshot, dataDirectory: restored, config: { file, network: undefined }, onProgress },
				...{ onReuse: () => undefined, onRoom: () => undefined },
			}),
		);
		const copies = {
			copyOfSnapshot: await measured(() => copy(target, join(work, "copied-snapshot"))),
			copyOfData: await measured(() => copy(restored, join(work, "copied-data"))),
		};
		const megabytes = { packed: bytesIn(target) / 1e6, restored: bytesIn(restored) / 1e6 };
		process.stdout.write(
			`${JSON.stringify({ accounts: count, megabytes, create, verify, restore, ...copies })}\n`,
		);
	} finally {
		rmSync(work, { recursive: true, force: true });
	}
}

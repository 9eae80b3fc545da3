/**
 * Child process of the damage soak: works on a small chain until it is killed. After each action that writes
 * a record to the block log, it prints the log's size and the chain's state.
 */

import { readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { logDirectory } from "../../src/node/chain/data-directory.js";
import { openSmall, produce, transfer, users } from "../node/chain/small-chain.js";
import { CHAIN_LIMITS, describeChain } from "./damaged-directory.js";

const [dataDirectory, rounds] = process.argv.slice(2) as [string, string];
const open = await openSmall({ dataDirectory, flushLimits: CHAIN_LIMITS });
const log = logDirectory(dataDirectory);

async function tell(): Promise<void> {
	const segment = readdirSync(log).sort().at(-1) as string;
	const { size } = statSync(join(log, segment));
	writeSync(1, `state ${segment} ${size} ${await describeChain(open)}\n`);
}

await tell();
for (let round = 0; ; round++) {
	for (let user = 0; user < users.length; user++) {
		const to = users[(user + 1) % users.length] as Uint8Array;
		open.chain.pushTransaction(transfer(open, user, to, BigInt(round + 1)));
		await tell();
	}
	if (round === Number(rounds)) writeSync(1, "ready\n");
	produce(open);
	await tell();
}

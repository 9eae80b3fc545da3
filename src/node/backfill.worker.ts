/** The thread that replays the node's own blocks to backfill state history. */

import { setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { setAddressPrefix } from "../protocol/address.js";
import { useFastHashing } from "../protocol/hash.js";
import { ChannelClosed, channelOf, type FromReplay, type ToReplay } from "./backfill/messages.js";
import { replayHistory } from "./backfill/replay.js";
import type { ReplayThread } from "./backfill/replay-thread.js";
import { OpenChain } from "./chain/open-chain.js";
import { createContractMachine } from "./contract-runner.js";
import { loadShieldedSupport } from "./shielded-support.js";
import { installRecoverEngine } from "./signatures/engine.js";

const { port, config, directory, target, keptBlocks } = workerData as ReplayThread;
const channel = channelOf<ToReplay, FromReplay>(port);

/** Lowers the thread's priority, on systems with per-thread priorities. */
function stepBack(): void {
	try {
		setPriority(19);
	} catch {
		// Then the rests between pieces of work have to suffice.
	}
}

async function run(): Promise<void> {
	stepBack();
	setAddressPrefix(config.net.addressPrefix);
	const [shielded] = await Promise.all([
		loadShieldedSupport(config, false),
		installRecoverEngine(),
		useFastHashing(),
	]);
	const machine = createContractMachine(config, false, undefined, shielded?.proofs);
	let failure: unknown;
	const open = await OpenChain.open({
		config,
		dataDirectory: directory,
		clock: () => BigInt(Math.trunc(performance.now())),
		machine: machine.run,
		guess: (transaction) => machine.guesses.of(transaction),
		shielded,
		keptBlocks,
		onStorageFailure: (error) => {
			failure = error;
		},
	});
	try {
		await replayHistory({
			open,
			channel,
			target,
			now: () => performance.now(),
			pause: async (ms) => {
				if (failure !== undefined) throw failure;
				await sleep(ms);
			},
		});
	} finally {
		await open.close();
		await shielded?.close?.();
	}
}

run().catch((error: unknown) => {
	if (error instanceof ChannelClosed) return;
	channel.send({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
});

/** Opening the chain of a node: with what it executes contracts, checks proofs, and reads another node's state. */

import { OpenChain } from "./chain/open-chain.js";
import type { Fork } from "./fork/fork.js";
import type { NodeOptions } from "./node-core.js";
import type { NodeLog } from "./node-log.js";
import type { ShieldedSupport } from "./shielded-support.js";
import type { ContractMachine } from "./vm/contract-machine.js";

/** What a chain is opened with. */
interface ChainSupport {
	readonly machine: ContractMachine;
	readonly shielded: ShieldedSupport | undefined;
	readonly fork: Fork | undefined;
	readonly log: NodeLog;
	readonly report: (error: unknown, where: string) => void;
	readonly monotonicClock: () => number;
}

/** Opens the chain. @param fail called with the reason why the node can't go on */
export function openChain(
	{ config, dataDirectory, development }: NodeOptions,
	{ machine, shielded, fork, log, report, monotonicClock }: ChainSupport,
	fail: (error: Error) => void,
): Promise<OpenChain> {
	return OpenChain.open({
		config,
		dataDirectory,
		fork,
		clock: () => BigInt(Math.trunc(monotonicClock())),
		machine: machine.run,
		guess: (transaction) => machine.guesses.of(transaction),
		shielded,
		onUnverifiable: (error) => {
			log.error({}, error.message);
			fail(error);
		},
		development: development?.schedule,
		initialize: development?.initialize,
		stateHash: {
			onCounting: () => log.info({}, "hashing the whole state, which node.state.hash asks for"),
			onCounted: (entries) => log.info({ entries }, "the state is hashed: its hash follows it from here on"),
			onFailure: (error) => report(error, "hash of the state"),
		},
		onObserverFailure: (error) => report(error, "observer of the chain"),
		onStorageFailure: (error) =>
			fail(new Error(describeStorageFailure(error, dataDirectory), { cause: error })),
	});
}

/** What reads another node's state is loaded only for a chain that begins with one. */
export async function loadFork({ development, dataDirectory }: NodeOptions): Promise<Fork | undefined> {
	const founding = development?.options.fork;
	if (!founding) return undefined;
	const { Fork, forkRequests } = await import("./fork/fork.js");
	return new Fork(founding, forkRequests(), dataDirectory === undefined);
}

function describeStorageFailure(error: unknown, dataDirectory: string | undefined): string {
	const text = error instanceof Error ? error.message : String(error);
	const where = dataDirectory ? `the data directory ${dataDirectory}` : "memory";
	if (/no space left/i.test(text) || (error as NodeJS.ErrnoException).code === "ENOSPC") {
		return `${where} has no space left; the node stopped, and what it had answered is kept`;
	}
	return `${where} can't be written: ${text}`;
}

/** Two running nodes with the same blocks, of which one executes them with a wrong rule. */

import { setTimeout as delay } from "node:timers/promises";
import { vi } from "vitest";
import { HttpNode } from "../../../src/node/audit/http-node.js";
import { transactionInfosOf } from "../../../src/node/chain/block-store.js";
import { contractModule } from "../../../src/node/contracts/modules.js";
import { type RunningNode, startNode } from "../../../src/node/node.js";
import { Properties } from "../../../src/node/state/properties.js";
import { ContractStorage } from "../../../src/node/vm/contract-storage.js";
import type { SignedBlock } from "../../../src/protocol/block.js";
import {
	Account,
	FreezeBalanceContract,
	VoteWitnessContract,
	VoteWitnessContractVote,
} from "../../../src/protocol/messages.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";
import { produce, signed, smallConfig, transfer, users } from "../chain/small-chain.js";
import { CONTRACTS, calling, deployment, owner } from "../faults/planted.js";

const SERVERS = `node {
	http { fullNodePort = 0, solidityPort = 0, PBFTEnable = false }
	rpc { enable = false, solidityEnable = false, PBFTEnable = false }
	jsonrpc { httpFullNodeEnable = true, httpFullNodePort = 0, debug = true }
	state.hash = true
}
rate.limiter.global.ip.qps = 100000
rate.limiter.global.qps = 100000`;

/** The code that is called stores 5 here. */
export const STORED = 5;

export async function start(more = "node.history.state = all", dataDirectory?: string) {
	const lines: { readonly fields: object; readonly message: string }[] = [];
	const node = await startNode({
		config: smallConfig(CONTRACTS, `${SERVERS}\n${more}`),
		dataDirectory,
		producers: [],
		host: "127.0.0.1",
		log: { info: () => {}, warn: () => {}, error: (fields, message) => lines.push({ fields, message }) },
		clock: () => 1_700_000_000_000n,
	});
	return { node, lines };
}

export const addressesOf = ({ ports }: RunningNode) => ({
	full: `http://127.0.0.1:${ports.full}`,
	solidity: `http://127.0.0.1:${ports.solidity}`,
	jsonrpc: `http://127.0.0.1:${ports.jsonrpc}/jsonrpc`,
});

const never = new AbortController().signal;
export const limits = {
	rate: 10_000,
	timeoutMs: 10_000,
	now: () => performance.now(),
	sleep: (ms: number) => delay(Math.min(ms, 5)),
	signal: never,
};

export const httpNode = (node: RunningNode): HttpNode => new HttpNode(addressesOf(node), limits);

/** The block in which each wrong rule first matters. */
export const BLOCKS = { energy: 4n, vote: 6n, storage: 8n, order: 6n } as const;
export type PlantedRule = keyof typeof BLOCKS;

/** Makes blocks that pay, deploy, call, stake, vote and store, and some more until these are final. */
export function makeBlocks({ open }: RunningNode): SignedBlock[] {
	const { chain } = open;
	const blocks: SignedBlock[] = [];
	const add = (...transactions: readonly SignedTransaction[]): void => {
		for (const transaction of transactions) chain.pushTransaction(transaction);
		blocks.push(produce(open));
	};
	add();
	add(transfer(open, 1, users[2] as Uint8Array, 9n));
	add(transfer(open, 1, users[2] as Uint8Array, 10n), transfer(open, 2, users[1] as Uint8Array, 1n));
	add(deployment(open));
	const [info] = transactionInfosOf(chain.state, chain.head);
	const contract = info?.contract_address as Uint8Array;
	add(
		signed(
			open,
			1,
			"FreezeBalanceContract",
			FreezeBalanceContract.create({
				owner_address: users[1] as Uint8Array,
				frozen_balance: 100_000_000n,
				frozen_duration: 3n,
			}),
		),
	);
	const [first, second] = [...open.rules.genesisWitnesses];
	const vote = (address: Uint8Array | undefined, count: bigint) =>
		VoteWitnessContractVote.create({ vote_address: address as Uint8Array, vote_count: count });
	add(
		signed(
			open,
			1,
			"VoteWitnessContract",
			VoteWitnessContract.create({
				owner_address: users[1] as Uint8Array,
				votes: [vote(first?.address, 7n), vote(second?.address, 8n)],
			}),
		),
	);
	add();
	add(calling(open, contract, STORED));
	while (blocks.length < 26) add();
	return blocks;
}

/** Runs something with a rule that is wrong, until it ends. */
export function planted<T>(rule: PlantedRule, run: () => T): T {
	const votes = contractModule("VoteWitnessContract");
	if (!votes) throw new Error("there are votes");
	const right = votes.execute;
	const changesVotes = (change: (account: Account) => void) =>
		vi.spyOn(votes, "execute").mockImplementation((context, result) => {
			right.call(votes, context, result);
			const account = Account.copy(
				context.state.account.existing(context.contract["owner_address" as never]),
			);
			change(account);
			context.state.account.put(account.address, account);
		});
	const plant = {
		energy: () => {
			const get = Properties.prototype.get;
			return vi.spyOn(Properties.prototype, "get").mockImplementation(function (this: Properties, name) {
				const value = get.call(this, name);
				return name === "ENERGY_FEE" ? (value as bigint) + 1n : value;
			});
		},
		vote: () =>
			changesVotes((account) => {
				account.votes = account.votes.map((each) =>
					Object.assign(Object.create(Object.getPrototypeOf(each)), each, {
						vote_count: each.vote_count + 1n,
					}),
				);
			}),
		order: () =>
			changesVotes((account) => {
				account.votes = [...account.votes].reverse();
			}),
		storage: () => {
			const store = ContractStorage.prototype.store;
			return vi.spyOn(ContractStorage.prototype, "store").mockImplementation(function (
				this: ContractStorage,
				slot,
				value,
			) {
				store.call(this, slot, value === STORED ? STORED + 1 : value);
			});
		},
	}[rule]();
	let result: T;
	try {
		result = run();
	} catch (error) {
		plant.mockRestore();
		throw error;
	}
	if (result instanceof Promise) return result.finally(() => plant.mockRestore()) as T;
	plant.mockRestore();
	return result;
}

export { owner };

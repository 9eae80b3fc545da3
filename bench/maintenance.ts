/**
 * Cost of an ordinary block and of maintenance on a chain with many voters: 10^3 to 10^6 accounts with stakes
 * and votes, some of which change in each cycle. Both reward algorithms are active: the voters' unsettled
 * cycles began under the older one, and each vote settles its account by both.
 *
 * Prints a JSON line per count, with median CPU milliseconds per block, without signatures. Maintenance must
 * depend on changed votes, and nothing on the number of voters.
 *
 * npm run tool bench:maintenance -- [counts of voters…]
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDataDirectory } from "../src/node/chain/data-directory.js";
import { OpenChain } from "../src/node/chain/open-chain.js";
import { type NodeConfig, parseConfig } from "../src/node/config/config.js";
import { createContractMachine } from "../src/node/contract-runner.js";
import { addCycleReward, setCycleVi, setCycleVotes } from "../src/node/resources/delegation-store.js";
import { VI_SCALE } from "../src/node/resources/old-reward-vi.js";
import { producedVersion } from "../src/node/rules/fork-gates.js";
import { stores } from "../src/node/state/definition.js";
import type { StateView } from "../src/node/state/view.js";
import { toBase58Check } from "../src/protocol/address.js";
import { refBlockOf } from "../src/protocol/block.js";
import { be64, concatBytes } from "../src/protocol/bytes.js";
import type { Message } from "../src/protocol/codec/descriptor.js";
import { contractTypeByName } from "../src/protocol/contract-types.js";
import { useFastHashing } from "../src/protocol/hash.js";
import { SUN_PER_COIN } from "../src/protocol/int64.js";
import {
	Account,
	AccountFreezeV2,
	BlockHeaderRaw,
	ResourceCode,
	Transaction,
	TransactionResult,
	TransactionResultContractResult,
	TransferContract,
	Vote,
	VoteWitnessContract,
	VoteWitnessContractVote,
	Witness,
} from "../src/protocol/messages.js";
import { buildTransaction, SignedTransaction } from "../src/protocol/transaction.js";
import { sealBlock } from "../test/node/chain/sealed-block.js";
import { random } from "./chance/random.js";

/** As on a large network: 27 produce, 127 earn standby pay. */
const WITNESSES = 400;
const VOTES = 50n;
const STAKE_SUN = 100_000_000n;
const CHANGES = [0, 100, 300, 1_000, 10_000];
const PER_BLOCK = 200;
/** Blocks of each kind to take the median of, after warm-up. */
const MEASURED = 25;
const WARM_UP = 50;
/** Cycles with the same number of changes. */
const CYCLES = 5;
/** The chain starts in NOW, the cumulative algorithm in CUMULATIVE, and voters last settled in SETTLED. */
const [NOW, CUMULATIVE, SETTLED] = [100n, 60n, 50n];
const BATCH = 20_000;
const SIGNATURE = new Uint8Array(65);
/** More than a run writes: measures the blocks, not the disk. */
const flushLimits = { entries: 10_000_000, logBytes: 1 << 30 };

const counts = process.argv.slice(2).map(Number);
if (counts.length === 0) counts.push(1_000, 100_000, 1_000_000);
await useFastHashing();

const addressOf = (kind: number, index: number): Uint8Array => {
	const address = Buffer.alloc(21);
	address[0] = 0x41;
	// Evenly spread over the key space, like hashes.
	address.writeUInt32BE(Math.imul(index + 1, 0x9e3779b1) >>> 0, 1);
	address[5] = kind;
	address.writeUInt32BE(index, 17);
	return address;
};
const witnesses = Array.from({ length: WITNESSES }, (_, index) => addressOf(1, index));
const voter = (index: number): Uint8Array => addressOf(2, index);
const producer = {
	witness: witnesses[0] as Uint8Array,
	signer: witnesses[0] as Uint8Array,
	sign: () => SIGNATURE,
};
const development = { now: () => 0n, slotMs: 3000n, producers: [producer.witness], solidLag: 19n };

const config: NodeConfig = parseConfig(
	`storage { transHistory.switch = on }
	 block { maintenanceTimeInterval = 600000 }
	 genesis.block { timestamp = "0", parentHash = "00", assets = [ { accountName = "Blackhole", accountType = "AssetIssue", address = "${toBase58Check(addressOf(3, 0))}", balance = "0" } ], witnesses = [ ${witnesses
			.map((address) => `{ address = "${toBase58Check(address)}", url = "u", voteCount = 1 }`)
			.join(", ")} ] }
	 committee { allowCreationOfContracts = 1, changedDelegation = 1, allowNewReward = 1, allowBlackHoleOptimization = 1, allowTransactionFeePool = 1, unfreezeDelayDays = 14, consensusLogicOptimization = 1 }`,
);

function openChain(dataDirectory: string, initialize?: (state: StateView) => void): Promise<OpenChain> {
	return OpenChain.open({
		config,
		dataDirectory,
		clock: () => 0n,
		machine: createContractMachine(config, false).run,
		development,
		initialize,
		flushLimits,
		onStorageFailure: (error) => {
			throw error;
		},
	});
}

/** Creates a chain, and writes its voters directly into the database. */
async function prepare(directory: string, voters: number): Promise<void> {
	const open = await openChain(directory, (state) => {
		const voteCount = (BigInt(voters) * VOTES) / BigInt(WITNESSES);
		for (const address of witnesses) {
			state.account.put(address, Account.create({ address, is_witness: true }));
			state.witness.put(address, Witness.create({ address, voteCount, url: "u", isJobs: true }));
			for (let cycle = SETTLED; cycle < NOW; cycle++) {
				addCycleReward(state, cycle, address, 1_000_000n);
				setCycleVotes(state, cycle, address, voteCount);
				if (cycle >= CUMULATIVE) setCycleVi(state, cycle, address, cycle * VI_SCALE);
			}
		}
		state.properties.set("TOTAL_NET_WEIGHT", BigInt(voters) * (STAKE_SUN / SUN_PER_COIN));
		state.properties.set("CURRENT_CYCLE_NUMBER", NOW);
		state.properties.set("NEW_REWARD_ALGORITHM_EFFECTIVE_CYCLE", CUMULATIVE);
	});
	await open.close();
	const database = await openDataDirectory(directory, config.storage.directory);
	const accounts = Uint8Array.of(stores.account.index);
	const delegation = Uint8Array.of(stores.delegation.index);
	for (let start = 0; start < voters; start += BATCH) {
		const changes = Array.from({ length: Math.min(BATCH, voters - start) }, (_, i) => {
			const address = voter(start + i);
			return [
				{ key: concatBytes(accounts, address), value: Account.encode(voterAccount(address, start + i)) },
				{ key: concatBytes(delegation, address), value: be64(SETTLED) },
			];
		}).flat();
		await database.write(changes, false);
	}
	await database.close();
}

function voterAccount(address: Uint8Array, index: number): Account {
	return Account.create({
		address,
		balance: 1_000_000_000_000n,
		frozenV2: [AccountFreezeV2.create({ type: ResourceCode.BANDWIDTH, amount: STAKE_SUN })],
		votes: [Vote.create({ vote_address: witnesses[index % WITNESSES] as Uint8Array, vote_count: VOTES })],
	});
}

class Bench {
	private nonce = 0n;
	private readonly pick = random(11);

	constructor(
		private readonly open: OpenChain,
		private readonly voters: number,
	) {}

	private transaction(name: string, contract: Message): SignedTransaction {
		const type = contractTypeByName(name);
		if (!type) throw new Error(`no type ${name}`);
		const { head } = this.open.chain;
		const unsigned = buildTransaction(type, contract, {
			...refBlockOf(head.id),
			expirationMs: head.timestampMs + 60_000n,
			timestampMs: this.nonce++,
		});
		const message = Transaction.copy(unsigned.message);
		message.signature = [SIGNATURE];
		message.ret = [TransactionResult.create({ contractRet: TransactionResultContractResult.SUCCESS })];
		return new SignedTransaction(message);
	}

	transfer(from: number, to: number): SignedTransaction {
		const [owner_address, to_address] = [voter(from), voter(to)];
		const contract = TransferContract.create({ owner_address, to_address, amount: 1n });
		return this.transaction("TransferContract", contract);
	}

	vote(by: number, witness: number): SignedTransaction {
		const vote = { vote_address: witnesses[witness] as Uint8Array, vote_count: VOTES };
		const contract = VoteWitnessContract.create({
			owner_address: voter(by),
			votes: [VoteWitnessContractVote.create(vote)],
		});
		return this.transaction("VoteWitnessContract", contract);
	}

	/** Imports a block. @returns CPU milliseconds */
	block(transactions: readonly SignedTransaction[], endsCycle = false): number {
		const { chain } = this.open;
		const { properties } = chain.state;
		const due = properties.get("NEXT_MAINTENANCE_TIME");
		const next = chain.head.timestampMs + 3000n;
		if (!endsCycle && due <= next) throw new Error("an ordinary block would end the cycle");
		const raw = BlockHeaderRaw.create({
			number: properties.headNumber + 1n,
			parentHash: properties.headId,
			timestamp: endsCycle && due > next ? due : next,
			version: producedVersion(this.open.rules),
			witness_address: producer.witness,
		});
		const block = sealBlock(raw, transactions, producer);
		const before = process.cpuUsage();
		chain.push(block, "restored");
		const { user, system } = process.cpuUsage(before);
		return (user + system) / 1000;
	}

	/** Median times of empty blocks, and of blocks with transfers between random accounts. */
	ordinary(): { readonly emptyMs: number; readonly transfersMs: number } {
		const pick = random(7);
		const empty: number[] = [];
		const times: number[] = [];
		for (let i = 0; i < WARM_UP + MEASURED; i++) {
			const transfers = Array.from({ length: PER_BLOCK }, () => {
				const from = pick(this.voters);
				return this.transfer(from, (from + 1 + pick(this.voters - 1)) % this.voters);
			});
			times.push(this.block(transfers));
			empty.push(this.block([]));
		}
		this.block([], true);
		return { emptyMs: median(empty.slice(-MEASURED)), transfersMs: median(times.slice(-MEASURED)) };
	}

	/** A cycle in which some voters change their votes: its last block, and the median of blocks with votes. */
	cycle(changes: number): { readonly maintenanceMs: number; readonly votesMs: number } {
		const times: number[] = [];
		const changed = new Set<number>();
		while (changed.size < changes) changed.add(this.pick(this.voters));
		const list = [...changed];
		for (let start = 0; start < list.length; start += PER_BLOCK) {
			const votes = list.slice(start, start + PER_BLOCK).map((by) => this.vote(by, this.pick(WITNESSES)));
			times.push(this.block(votes));
		}
		return { maintenanceMs: this.block([], true), votesMs: times.length === 0 ? 0 : median(times) };
	}
}

function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[sorted.length >> 1] as number;
}

const round = (value: number): number => Math.round(value * 100) / 100;

for (const voters of counts) {
	const directory = mkdtempSync(join(tmpdir(), "coin-bench-"));
	try {
		await prepare(directory, voters);
		const open = await openChain(directory);
		const bench = new Bench(open, voters);
		bench.block([], true);
		const { emptyMs, transfersMs } = bench.ordinary();
		const row: Record<string, number> = { voters, emptyMs: round(emptyMs), transfersMs: round(transfersMs) };
		// Warm-up.
		bench.cycle(Math.min(voters, 1_000));
		for (const changes of CHANGES.filter((count) => count <= voters)) {
			const cycles = Array.from({ length: CYCLES }, () => bench.cycle(changes));
			row[`maintenanceMs of ${changes}`] = round(median(cycles.map(({ maintenanceMs }) => maintenanceMs)));
			if (changes >= PER_BLOCK) {
				row[`votesBlockMs of ${changes}`] = round(median(cycles.map(({ votesMs }) => votesMs)));
			}
		}
		process.stdout.write(`${JSON.stringify(row)}\n`);
		await open.close();
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

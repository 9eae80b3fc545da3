/**
 * The slowest blocks that a producer can fill within its own limits, imported by another node: ours packs for
 * 750 ms (half of half a slot, `node.blockProducedTimeOut` 50), up to 2 MB, and no call longer than the
 * chain's CPU time (parameter 13).
 *
 * npm run tool bench:block -- [--limit ms] [part of a block's name]
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { importBlocks } from "../src/node/chain/importer.js";
import { OpenChain } from "../src/node/chain/open-chain.js";
import { type NodeConfig, parseConfig } from "../src/node/config/config.js";
import { createContractMachine } from "../src/node/contract-runner.js";
import { producerWithKey } from "../src/node/production/slot-producer.js";
import { installRecoverEngine } from "../src/node/signatures/engine.js";
import { SignaturePool, workerScript } from "../src/node/signatures/pool.js";
import { loadCurve } from "../src/node/vm/precompiles/bn128.js";
import { addressFromHash, toBase58Check } from "../src/protocol/address.js";
import { refBlockOf } from "../src/protocol/block.js";
import { concatBytes } from "../src/protocol/bytes.js";
import { contractTypeByName } from "../src/protocol/contract-types.js";
import { keccak256, sha256, useFastHashing } from "../src/protocol/hash.js";
import {
	AccountPermissionUpdateContract,
	CreateSmartContract,
	Key,
	Permission,
	SmartContract,
	Transaction,
	TransferContract,
	TriggerSmartContract,
} from "../src/protocol/messages.js";
import { addressOfPrivateKey, sign } from "../src/protocol/signature.js";
import { buildTransaction, SignedTransaction } from "../src/protocol/transaction.js";
import { creationOf } from "../test/node/vm/assembler.js";
import { callShapes } from "./energy/calls.js";
import { programOf } from "./energy/host.js";
import { operationShapes } from "./energy/operations.js";
import { precompileShapes } from "./energy/precompiles.js";
import { stateShapes } from "./energy/state.js";

/** Time limit of a producer for packing. */
const PACKING_MS = 750;
const SENDERS = 2_000;
const CALL_ENERGY = 400_000n;
const ENERGY_FEE = 100n;
/** The most keys of a permission. */
const SIGNERS = 5;

/** Shapes of bench:energy that are cheap in energy and slow. */
const PROGRAMS = [
	"CALL, other accounts that aren't there",
	"BALANCE, others that aren't there",
	"SUICIDE, again and again",
	"CALL, output far beyond memory",
	"batchvalidatesign, 16 without a point",
	"bn128Add, two points",
	"modexp, 8 ^ 32 % 8 bytes",
	"EXP, a wide base, all bits of 17 bytes",
];

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { limit: { type: "string", default: "1500" } },
});
const limitMs = Number(values.limit);

const script = workerScript();
if (!script) throw new Error("run this from the bundle: npm run tool bench:block");

const keyOf = (index: number): Uint8Array => sha256(Buffer.from(`worst block ${index}`));
const keys = Array.from({ length: SENDERS }, (_, i) => keyOf(i));
const senders = keys.map(addressOfPrivateKey);
const sharedKeys = Array.from({ length: SIGNERS }, (_, i) => keyOf(100_000 + i));

const producer = producerWithKey(keyOf(-1));
const development = { now: () => 0n, slotMs: 3000n, producers: [producer.witness], solidLag: 19n };

const base = parseConfig(
	`storage { transHistory.switch = on }
	 enery.limit.block.num = 0
	 genesis.block { timestamp = "0", parentHash = "00", assets = [], witnesses = [ { address = "${toBase58Check(producer.witness)}", url = "u", voteCount = 1 } ] }
	 committee { allowCreationOfContracts = 1, allowMultiSign = 1, allowSameTokenName = 1, allowTvmTransferTrc10 = 1, allowTvmConstantinople = 1, allowTvmSolidity059 = 1, allowTvmIstanbul = 1, allowTvmLondon = 1, allowTvmFreeze = 1, changedDelegation = 1, allowTvmVote = 1, allowTvmShangHai = 1, allowTvmCancun = 1, allowEnergyAdjustment = 1, allowHigherLimitForMaxCpuTimeOfOneTx = 1, allowBlackHoleOptimization = 1, unfreezeDelayDays = 14 }`,
);
const config: NodeConfig = {
	...base,
	genesis: {
		...base.genesis,
		assets: [
			...senders.map((address, i) => ({
				accountName: `a${i}`,
				address,
				balance: 1_000_000_000_000n,
			})),
			{
				accountName: "Blackhole",
				address: addressOfPrivateKey(keyOf(-2)),
				balance: 0n,
			},
		],
	},
};

function openChain(dataDirectory: string | undefined): Promise<OpenChain> {
	return OpenChain.open({
		config,
		dataDirectory,
		clock: () => 0n,
		machine: createContractMachine(config, true).run,
		development,
		onStorageFailure: (error) => {
			throw error;
		},
	});
}

let nonce = 0n;

type Build = Parameters<typeof buildTransaction>[1];

function transaction(
	{ chain }: OpenChain,
	name: string,
	contract: Build,
	signers: readonly Uint8Array[],
	feeLimitSun = 0n,
): SignedTransaction {
	const type = contractTypeByName(name);
	if (!type) throw new Error(`there is no type ${name}`);
	const { head } = chain;
	const unsigned = buildTransaction(type, contract, {
		...refBlockOf(head.id),
		expirationMs: head.timestampMs + 60_000n,
		timestampMs: nonce++,
		feeLimitSun,
	});
	const message = Transaction.copy(unsigned.message);
	message.signature = signers.map((key) => sign(unsigned.id, key));
	return new SignedTransaction(message);
}

/** A producing node with deployed contracts, and an account with five keys. */
class Producing {
	readonly contracts: Uint8Array[] = [];
	readonly blocks: Uint8Array[] = [];

	private constructor(readonly open: OpenChain) {}

	static async start(): Promise<Producing> {
		const self = new Producing(await openChain(undefined));
		self.seal(() => false);
		const shapes = [...operationShapes, ...callShapes, ...stateShapes, ...precompileShapes];
		for (const name of PROGRAMS) {
			const shape = shapes.find((each) => each.name === name);
			if (!shape) throw new Error(`there is no shape ${name}`);
			self.deploy(creationOf(programOf(shape)));
			self.seal(() => false);
		}
		self.shareAccount();
		self.seal(() => false);
		// The new permission must be in effect before the transactions that use it are pushed.
		self.seal(() => false);
		return self;
	}

	push(transaction: SignedTransaction): void {
		this.open.chain.pushTransaction(transaction);
	}

	seal(expired: () => boolean): { readonly bytes: Uint8Array; readonly transactions: number } {
		const { chain } = this.open;
		const { block } = chain.produce(producer, chain.head.timestampMs + 3000n, expired);
		this.blocks.push(block.bytes);
		return { bytes: block.bytes, transactions: block.transactions.length };
	}

	private deploy(bytecode: Uint8Array): void {
		const owner = senders[0] as Uint8Array;
		const made = transaction(
			this.open,
			"CreateSmartContract",
			CreateSmartContract.create({
				owner_address: owner,
				new_contract: SmartContract.create({
					origin_address: owner,
					bytecode,
					consume_user_resource_percent: 100n,
					origin_energy_limit: 1n,
				}),
			}),
			[keys[0] as Uint8Array],
			1_000_000_000n,
		);
		this.push(made);
		this.contracts.push(addressFromHash(keccak256(concatBytes(made.id, owner))));
	}

	private shareAccount(): void {
		const owner = senders[1] as Uint8Array;
		const shared = (type: number, name: string, operations?: Uint8Array): Permission =>
			Permission.create({
				type,
				permission_name: name,
				threshold: BigInt(SIGNERS),
				keys: sharedKeys.map((key) => Key.create({ address: addressOfPrivateKey(key), weight: 1n })),
				...(operations ? { operations } : {}),
			});
		const operations = Buffer.alloc(32);
		operations[0] = 2;
		this.push(
			transaction(
				this.open,
				"AccountPermissionUpdateContract",
				AccountPermissionUpdateContract.create({
					owner_address: owner,
					owner: shared(0, "owner"),
					actives: [shared(2, "active", operations)],
				}),
				[keys[1] as Uint8Array],
			),
		);
	}

	call(index: number): void {
		const sender = 10 + (index % (SENDERS - 10));
		const trigger = TriggerSmartContract.create({
			owner_address: senders[sender] as Uint8Array,
			contract_address: this.contracts[index % this.contracts.length] as Uint8Array,
		});
		const fee = CALL_ENERGY * ENERGY_FEE;
		this.push(transaction(this.open, "TriggerSmartContract", trigger, [keys[sender] as Uint8Array], fee));
	}

	transfer(index: number): void {
		const sender = 10 + (index % (SENDERS - 10));
		this.send(sender, [keys[sender] as Uint8Array], index);
	}

	sharedTransfer(index: number): void {
		this.send(1, sharedKeys, index);
	}

	private send(sender: number, signers: readonly Uint8Array[], index: number): void {
		const contract = TransferContract.create({
			owner_address: senders[sender] as Uint8Array,
			to_address: senders[2 + ((index * 7) % (SENDERS - 2))] as Uint8Array,
			amount: 1n,
		});
		if (senders[2 + ((index * 7) % (SENDERS - 2))] === senders[sender]) return;
		this.push(transaction(this.open, "TransferContract", contract, signers));
	}
}

function times(count: number, body: (index: number) => void): void {
	for (let i = 0; i < count; i++) body(i);
}

const BLOCKS: Readonly<Record<string, (node: Producing) => void>> = {
	"calls that take long for their energy": (node) => times(120, (i) => node.call(i)),
	transfers: (node) => times(10_500, (i) => node.transfer(i)),
	"transfers with five signatures": (node) => times(4_300, (i) => node.sharedTransfer(i)),
	"calls, then transfers with five signatures": (node) => {
		times(12, (i) => node.call(i));
		times(4_300, (i) => node.sharedTransfer(i));
	},
};

async function validate(
	blocks: readonly Uint8Array[],
	last: Uint8Array,
): Promise<{ ms: number; cpuMs: number }> {
	const directory = mkdtempSync(join(tmpdir(), "coin-bench-"));
	const pool = await SignaturePool.start(script as URL, base.node.validateSignThreads);
	try {
		const open = await openChain(directory);
		await importBlocks({ open, pool }, blocks);
		const started = performance.now();
		const cpu = process.cpuUsage();
		await importBlocks({ open, pool }, [last]);
		const ms = performance.now() - started;
		const { user, system } = process.cpuUsage(cpu);
		await open.close();
		return { ms, cpuMs: (user + system) / 1000 };
	} finally {
		await pool.close();
		rmSync(directory, { recursive: true, force: true });
	}
}

installRecoverEngine();
await useFastHashing();
await loadCurve();
process.stdout.write(
	"| block | transactions | KB | packed in ms | validated in ms | CPU ms, all threads |\n|---|---|---|---|---|---|\n",
);
for (const [name, fill] of Object.entries(BLOCKS)) {
	if (!name.includes(positionals[0] ?? "")) continue;
	const node = await Producing.start();
	const before = [...node.blocks];
	fill(node);
	const started = performance.now();
	const { bytes, transactions } = node.seal(() => performance.now() - started > PACKING_MS);
	const packed = performance.now() - started;
	const { ms, cpuMs } = await validate(before, bytes);
	await node.open.close();
	const late = ms > limitMs;
	process.stdout.write(
		`| ${name} | ${transactions} | ${(bytes.length / 1000).toFixed(0)} | ${packed.toFixed(0)} | ${ms.toFixed(0)}${late ? " TOO LONG" : ""} | ${cpuMs.toFixed(0)} |\n`,
	);
	if (late) process.exitCode = 1;
}

/**
 * How the import rate changes with the number of accounts: transfers between accounts chosen at random among 10^3 to
 * 10^6, imported into an empty node on disk, every signature checked.
 *
 * npm run bench:accounts -- [counts…]
 */

import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importBlocks } from "../src/node/chain/importer.js";
import { OpenChain } from "../src/node/chain/open-chain.js";
import { type NodeConfig, parseConfig } from "../src/node/config/config.js";
import { createContractMachine } from "../src/node/contract-runner.js";
import { producerWithKey } from "../src/node/production/witness-keys.js";
import { SignaturePool } from "../src/node/signatures/pool.js";
import { workerScript } from "../src/node/signatures/worker-script.js";
import { addressFromPublicKey, toBase58Check } from "../src/protocol/address.js";
import { refBlockOf } from "../src/protocol/block.js";
import { contractTypeByName } from "../src/protocol/contract-types.js";
import { sha256, useFastHashing } from "../src/protocol/hash.js";
import { Transaction, TransferContract } from "../src/protocol/messages.js";
import { buildTransaction, SignedTransaction } from "../src/protocol/transaction.js";
import { random } from "./chance/random.js";

const BLOCKS = 60;
const PER_BLOCK = 200;
const counts = process.argv.slice(2).map(Number);
if (counts.length === 0) counts.push(1_000, 10_000, 100_000, 1_000_000);

interface Secp256k1 {
	publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
	ecdsaSign(hash: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
}
const secp256k1 = createRequire(import.meta.url)("secp256k1") as Secp256k1;
const script = workerScript();
if (!script) throw new Error("run this from the bundle: npm run bench:accounts");
await useFastHashing();

const keyOf = (index: number): Uint8Array => sha256(Buffer.from(`bench account ${index}`));
const plainAddress = (index: number): Uint8Array => {
	const address = Buffer.alloc(21);
	address[0] = 0x41;
	address.set(sha256(Buffer.from(`bench address ${index}`)).subarray(0, 20), 1);
	return address;
};

const producer = producerWithKey(keyOf(-1));
const development = { slotMs: 3000n, producers: [producer.witness], solidLag: 19n };

/** The accounts that send have keys; the others only receive. */
function makeConfig(count: number, senders: readonly Uint8Array[]): NodeConfig {
	const base = parseConfig(
		`storage { transHistory.switch = on }
		 genesis.block { timestamp = "0", parentHash = "00", assets = [], witnesses = [ { address = "${toBase58Check(producer.witness)}", url = "u", voteCount = 1 } ] }
		 committee { allowCreationOfContracts = 1, allowMultiSign = 1, changedDelegation = 1, allowBlackHoleOptimization = 1, unfreezeDelayDays = 14 }`,
	);
	const addresses = [...senders];
	for (let index = senders.length; index < count; index++) addresses.push(plainAddress(index));
	const assets = addresses.map((address, index) => ({
		accountName: `a${index}`,
		address,
		balance: 1_000_000_000_000n,
	}));
	const blackHole = {
		accountName: "Blackhole",
		accountType: "AssetIssue" as const,
		address: plainAddress(-1),
		balance: 0n,
	};
	return { ...base, genesis: { ...base.genesis, assets: [...assets, blackHole] } };
}

async function openChain(config: NodeConfig, dataDirectory: string | undefined): Promise<OpenChain> {
	return OpenChain.open({
		config,
		dataDirectory,
		clock: () => 0n,
		machine: createContractMachine(config, false).run,
		development,
		onStorageFailure: (error) => {
			throw error;
		},
	});
}

/** Blocks of transfers, made by a node in memory. */
async function makeBlocks(config: NodeConfig, senderKeys: readonly Uint8Array[]): Promise<Uint8Array[]> {
	const open = await openChain(config, undefined);
	const { chain } = open;
	const pick = random(7);
	const type = contractTypeByName("TransferContract");
	if (!type) throw new Error("no transfer type");
	const { assets } = config.genesis;
	const blocks: Uint8Array[] = [];
	let nonce = 0n;
	for (let number = 1; number <= BLOCKS; number++) {
		for (let i = 0; number > 1 && i < PER_BLOCK; i++) {
			const sender = pick(senderKeys.length);
			let receiver = pick(assets.length);
			if (receiver === sender) receiver = (receiver + 1) % assets.length;
			const head = chain.head;
			const unsigned = buildTransaction(
				type,
				TransferContract.create({
					owner_address: (assets[sender] as { address: Uint8Array }).address,
					to_address: (assets[receiver] as { address: Uint8Array }).address,
					amount: 1n,
				}),
				{
					...refBlockOf(head.id),
					expirationMs: head.timestampMs + 60_000n,
					timestampMs: nonce++,
				},
			);
			const { signature, recid } = secp256k1.ecdsaSign(unsigned.id, senderKeys[sender] as Uint8Array);
			const message = Transaction.copy(unsigned.message);
			message.signature = [Buffer.concat([signature, Buffer.from([recid + 27])])];
			chain.pushTransaction(new SignedTransaction(message));
		}
		blocks.push(chain.produce(producer, BigInt(number) * 3000n, () => false).block.bytes);
	}
	await open.close();
	return blocks;
}

for (const count of counts) {
	const senderCount = Math.min(count, BLOCKS * PER_BLOCK);
	const senderKeys = Array.from({ length: senderCount }, (_, index) => keyOf(index));
	const senders = senderKeys.map((key) => addressFromPublicKey(secp256k1.publicKeyCreate(key, false)));
	const config = makeConfig(count, senders);
	const blocks = await makeBlocks(config, senderKeys);
	const directory = mkdtempSync(join(tmpdir(), "coin-bench-"));
	const pool = await SignaturePool.start(script, 1);
	try {
		// The genesis state of a million accounts is written and read back from the disk before the clock starts.
		await (await openChain(config, directory)).close();
		const open = await openChain(config, directory);
		const started = performance.now();
		const done = await importBlocks({ open, pool }, blocks);
		await open.close();
		const seconds = (performance.now() - started) / 1000;
		process.stdout.write(
			`${JSON.stringify({ accounts: count, transfers: done?.transactions, perSecond: Math.round((done?.transactions ?? 0) / seconds) })}\n`,
		);
	} finally {
		await pool.close();
		rmSync(directory, { recursive: true, force: true });
	}
}

/** The chain of the day soak: its producers, payers and clock. */

import { type NodeConfig, parseConfig } from "../../src/node/config/config.js";
import { producerWithKey } from "../../src/node/production/slot-producer.js";
import { toBase58Check } from "../../src/protocol/address.js";
import { refBlockOf } from "../../src/protocol/block.js";
import { contractTypeByName } from "../../src/protocol/contract-types.js";
import { Transaction, TransferContract } from "../../src/protocol/messages.js";
import { addressOfPrivateKey, sign } from "../../src/protocol/signature.js";
import { buildTransaction, SignedTransaction } from "../../src/protocol/transaction.js";
import { between, type Random } from "./random.js";

const WITNESSES = 27;
const PAYERS = 100;
/** So few that all have been paid after some thousand payments. */
const RECEIVERS = 300;
const HOUR_MS = 3_600_000n;
export const DAY_MS = 24 * 3_600_000;

const keyOf = (n: number): Uint8Array => {
	const key = Buffer.alloc(32);
	key.writeUInt32BE(n, 28);
	return key;
};

const witnessKeys = Array.from({ length: WITNESSES }, (_, i) => keyOf(i + 1));
export const producers = witnessKeys.map((key) => producerWithKey(key));
const payerKeys = Array.from({ length: PAYERS }, (_, i) => keyOf(5_000 + i));
export const payers = payerKeys.map((key) => addressOfPrivateKey(key));

/** Ports of a node, all on loopback. */
export interface Ports {
	readonly peer: number;
	readonly http: number;
	readonly jsonrpc: number;
	readonly grpc: number;
}

/** Options shared by the processes of a run. */
export interface DayOptions {
	readonly genesisMs: number;
	/** Wall clock at the start. */
	readonly startMs: number;
	/** Chain seconds per wall clock second. */
	readonly speed: number;
	/** Length of the chain's day, after which its clock stops: it must not pass the wall clock. */
	readonly chainMs: number;
	readonly directory: string;
	readonly host: string;
	readonly ports: Ports;
	/** The peer to dial; undefined for the producer. */
	readonly source: { readonly host: string; readonly port: number } | undefined;
}

/** Time of the chain's clock. */
export function chainTimeMs({ genesisMs, startMs, speed, chainMs }: DayOptions): number {
	return Math.trunc(genesisMs + Math.min((Date.now() - startMs) * speed, chainMs));
}

export function dayConfig({ genesisMs, ports, source }: DayOptions): NodeConfig {
	const asset = (name: string, address: Uint8Array, balance: bigint): string =>
		`{ accountName = "${name}", accountType = "Normal", address = "${toBase58Check(address)}", balance = "${balance}" }`;
	return parseConfig(`
		net.type = mainnet
		storage { db.directory = "database", transHistory.switch = "on" }
		node.discovery = { enable = false, persist = false }
		node {
			listen.port = ${ports.peer}
			p2p.version = 4243
			active = [${source ? `"${source.host}:${source.port}"` : ""}], passive = []
			http { fullNodePort = ${ports.http}, solidityEnable = false, PBFTEnable = false }
			rpc { port = ${ports.grpc}, solidityEnable = false, PBFTEnable = false, minEffectiveConnection = 0 }
			jsonrpc { httpFullNodeEnable = true, httpFullNodePort = ${ports.jsonrpc} }
		}
		seed.node.ip.list = []
		block { needSyncCheck = false, maintenanceTimeInterval = 21600000 }
		genesis.block {
			timestamp = "${genesisMs}"
			parentHash = "${"0".repeat(64)}"
			assets = [
				${asset("Blackhole", addressOfPrivateKey(keyOf(9999)), -(2n ** 63n))}
				${payers.map((address, i) => asset(`Payer${i}`, address, 10n ** 14n)).join("\n")}
			]
			witnesses = [
				${producers.map(({ witness }, i) => `{ address = "${toBase58Check(witness)}", url = "http://w${i}.example", voteCount = ${1000 - i} }`).join("\n")}
			]
		}
		committee { allowCreationOfContracts = 1, allowMultiSign = 1, allowSameTokenName = 1, allowDelegateResource = 1 }
	`);
}

export function receiver(random: Random): Uint8Array {
	const address = Buffer.alloc(21, 0x77);
	address[0] = 0x41;
	address.writeUInt32BE(between(random, 1, RECEIVERS), 17);
	return address;
}

/** A payment that references a block. */
export function payment(random: Random, blockId: Uint8Array, headMs: number): SignedTransaction {
	const key = payerKeys[between(random, 0, PAYERS - 1)] as Uint8Array;
	const contract = contractTypeByName("TransferContract");
	if (!contract) throw new Error("there are no transfers");
	const parameter = TransferContract.create({
		owner_address: addressOfPrivateKey(key),
		to_address: receiver(random),
		amount: 1n,
	});
	const built = buildTransaction(contract, parameter, {
		...refBlockOf(blockId),
		expirationMs: BigInt(headMs) + HOUR_MS,
		// Isn't validated; makes equal payments distinct.
		timestampMs: BigInt(Math.floor(random() * 2 ** 52)),
	});
	return new SignedTransaction(Transaction.create({ ...built.message, signature: [sign(built.id, key)] }));
}

/** The node's own chain in a simulation: in memory, with real signatures, for networks of few nodes. */

import { OpenChain } from "../../src/node/chain/open-chain.js";
import type { Producer } from "../../src/node/chain/packing.js";
import { type NodeConfig, parseConfig } from "../../src/node/config/config.js";
import { scheduledWitness, slotOf, slotTimeMs } from "../../src/node/consensus/slots.js";
import { NodeChain } from "../../src/node/network/node-chain.js";
import {
	producerOf,
	producerWithKey,
	producerWithPostQuantumKey,
} from "../../src/node/production/slot-producer.js";
import { toBase58Check } from "../../src/protocol/address.js";
import type { SignedBlock } from "../../src/protocol/block.js";
import { refBlockOf } from "../../src/protocol/block.js";
import { contractTypeByName } from "../../src/protocol/contract-types.js";
import { PQAuthSig, Transaction, TransferContract } from "../../src/protocol/messages.js";
import { type PostQuantumKeys, postQuantumAlgorithm } from "../../src/protocol/post-quantum/algorithms.js";
import { transactionFieldsOf } from "../../src/protocol/post-quantum/fields.js";
import {
	addressOfPostQuantumKey,
	type PostQuantumScheme,
	postQuantumSchemes,
} from "../../src/protocol/post-quantum/schemes.js";
import { addressOfPrivateKey, sign } from "../../src/protocol/signature.js";
import { buildTransaction, SignedTransaction } from "../../src/protocol/transaction.js";
import type { SimulatedHost } from "./host.js";
import type { Randomness } from "./randomness.js";
import type { ProducingChain } from "./simulated-node.js";

const USERS = 200;
const START_BALANCE = 1_000_000_000_000n;
/** How early a slot is tried, before the clock reaches it. */
const LEAD_MS = 50n;

export interface RealNetwork {
	readonly config: NodeConfig;
	readonly producers: readonly Producer[];
	readonly users: readonly User[];
}

/** An account with coins. */
interface User {
	readonly address: Uint8Array;
	/** Adds the user's signature. */
	readonly signed: (built: SignedTransaction) => SignedTransaction;
}

const keyOf = (n: number): Uint8Array => {
	const key = Buffer.alloc(32);
	key.writeUInt32BE(n, 28);
	return key;
};

function userWithKey(key: Uint8Array): User {
	return {
		address: addressOfPrivateKey(key),
		signed: ({ id, message }) =>
			new SignedTransaction(Transaction.create({ ...message, signature: [sign(id, key)] })),
	};
}

/** Makes post-quantum signatures as reproducible as those of secp256k1. */
const sameBytes = (length: number): Uint8Array => new Uint8Array(length).fill(7);

/** Keys by scheme and number, cached: generating them is slow, and all networks use the same. */
const postQuantumKeys = new Map<string, PostQuantumKeys>();

function postQuantumKeyOf(scheme: PostQuantumScheme, n: number): PostQuantumKeys {
	const name = `${scheme.name} ${n}`;
	const known = postQuantumKeys.get(name);
	if (known) return known;
	const seed = Buffer.alloc(scheme.seedLength);
	seed.writeUInt32BE(n, 0);
	const keys = postQuantumAlgorithm(scheme).keysOfSeed(seed);
	postQuantumKeys.set(name, keys);
	return keys;
}

function userWithPostQuantumKey(scheme: PostQuantumScheme, n: number): User {
	const { publicKey, privateKey } = postQuantumKeyOf(scheme, n);
	return {
		address: addressOfPostQuantumKey(publicKey),
		signed: ({ id, message }) => {
			const signature = postQuantumAlgorithm(scheme).sign(id, privateKey, sameBytes);
			const copy = Transaction.copy(message);
			copy.$unknown = transactionFieldsOf([
				PQAuthSig.create({ scheme: scheme.id, public_key: publicKey, signature }),
			]);
			return new SignedTransaction(copy);
		},
	};
}

/** A key of FN-DSA takes a second to make: producers beyond these have the other scheme in its place. */
const MAX_MIXED_PRODUCERS = 7;
const cheapest = postQuantumSchemes.at(-1) as PostQuantumScheme;

/** Producers and users with all three kinds of keys, for Nile's rules. The library must be loaded. */
function mixedKeys(witnessCount: number): Pick<RealNetwork, "producers" | "users"> {
	const kinds = [undefined, ...postQuantumSchemes];
	const producers = Array.from({ length: witnessCount }, (_, i) => {
		const kind = kinds[i % kinds.length];
		const scheme = kind && i >= MAX_MIXED_PRODUCERS ? cheapest : kind;
		if (!scheme) return producerWithKey(keyOf(i + 1));
		return producerWithPostQuantumKey(scheme, postQuantumKeyOf(scheme, i + 1), { random: sameBytes });
	});
	const users = Array.from({ length: 9 }, (_, i) => {
		const scheme = kinds[i % kinds.length];
		return scheme ? userWithPostQuantumKey(scheme, i + 1_001) : userWithKey(keyOf(i + 1_001));
	});
	return { producers, users };
}

/**
 * @param genesisMs a multiple of the slot length
 * @param votes whether witnesses vote on blocks
 * @param isNile whether to use Nile's rules, and keys of all kinds
 */
export function realNetwork(
	witnessCount: number,
	genesisMs: bigint,
	votes: boolean,
	isNile = false,
): RealNetwork {
	const { producers, users } = isNile
		? mixedKeys(witnessCount)
		: {
				producers: Array.from({ length: witnessCount }, (_, i) => producerWithKey(keyOf(i + 1))),
				users: Array.from({ length: USERS }, (_, i) => userWithKey(keyOf(i + 1_001))),
			};
	const asset = (name: string, address: Uint8Array, balance: bigint): string =>
		`{ accountName = "${name}", accountType = "Normal", address = "${toBase58Check(address)}", balance = "${balance}" }`;
	const config = parseConfig(`
		storage { db.directory = "database", transHistory.switch = "on" }
		genesis.block {
			timestamp = "${genesisMs}"
			parentHash = "${"0".repeat(64)}"
			assets = [
				${asset("Blackhole", addressOfPrivateKey(keyOf(999)), -(2n ** 63n))}
				${users.map(({ address }, i) => asset(`User${i}`, address, START_BALANCE)).join("\n")}
			]
			witnesses = [
				${producers.map(({ witness }, i) => `{ address = "${toBase58Check(witness)}", url = "http://w${i}.example", voteCount = ${100 - i} }`).join("\n")}
			]
		}
		block { maintenanceTimeInterval = 120000 }
		committee { allowPBFT = ${votes ? 1 : 0}, allowFnDsa512 = 1, allowMlDsa44 = 1 }
		node.network = ${isNile ? "nile" : "main"}
	`);
	return { config, producers, users };
}

export class RealChain extends NodeChain implements ProducingChain {
	private constructor(
		private readonly open: OpenChain,
		private readonly own: readonly Producer[],
		onFault: (error: unknown, where: string) => void,
	) {
		super({ open, pool: undefined, report: onFault });
	}

	/** @param own witnesses whose blocks are produced here */
	static async start(
		network: RealNetwork,
		host: SimulatedHost,
		own: readonly Producer[],
		onFault: (error: unknown, where: string) => void,
	): Promise<RealChain> {
		const open = await OpenChain.open({
			config: network.config,
			dataDirectory: undefined,
			clock: () => BigInt(host.clockMs),
			machine: () => {
				throw new Error("this chain runs no contracts");
			},
			onStorageFailure: (error) => onFault(error, "storage"),
		});
		return new RealChain(open, own, onFault);
	}

	get headTimestampMs(): bigint {
		return this.open.chain.state.properties.headTimestampMs;
	}

	produceFor(timestampMs: bigint): SignedBlock | undefined {
		const { chain } = this.open;
		const slot = slotOf(chain.state, timestampMs + LEAD_MS);
		if (slot <= 0n) return undefined;
		const producer = producerOf(this.own, scheduledWitness(chain.state, slot));
		return producer && chain.produce(producer, slotTimeMs(chain.state, slot), () => false).block;
	}

	/** A payment between two users. */
	transfer(random: Randomness, { users }: RealNetwork): SignedTransaction {
		const { headId, headTimestampMs } = this.open.chain.state.properties;
		const from = random.pick(users);
		const contract = contractTypeByName("TransferContract");
		if (!contract) throw new Error("no transfers");
		const parameter = TransferContract.create({
			owner_address: from.address,
			to_address: random.pick(users.filter((user) => user !== from)).address,
			amount: BigInt(random.between(1, 1_000_000)),
		});
		const built = buildTransaction(contract, parameter, {
			...refBlockOf(headId),
			expirationMs: headTimestampMs + 60_000n,
			timestampMs: headTimestampMs,
		});
		return from.signed(built);
	}
}

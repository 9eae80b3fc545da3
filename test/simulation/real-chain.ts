/** The node's own chain in a simulation: in memory, with real signatures, for networks of a few nodes. */

import type { Producer } from "../../src/node/chain/chain.js";
import { OpenChain } from "../../src/node/chain/open-chain.js";
import { type NodeConfig, parseConfig } from "../../src/node/config/config.js";
import { scheduledWitness, slotOf, slotTimeMs } from "../../src/node/consensus/slots.js";
import { NodeChain } from "../../src/node/network/node-chain.js";
import { producerOf, producerWithKey } from "../../src/node/production/witness-keys.js";
import { toBase58Check } from "../../src/protocol/address.js";
import type { SignedBlock } from "../../src/protocol/block.js";
import { refBlockOf } from "../../src/protocol/block.js";
import { contractTypeByName } from "../../src/protocol/contract-types.js";
import { Transaction, TransferContract } from "../../src/protocol/messages.js";
import { addressOfPrivateKey, sign } from "../../src/protocol/signature.js";
import { buildTransaction, SignedTransaction } from "../../src/protocol/transaction.js";
import type { SimulatedHost } from "./host.js";
import type { Randomness } from "./randomness.js";
import type { ProducingChain } from "./simulated-node.js";

const USERS = 200;
const START_BALANCE = 1_000_000_000_000n;
/** A slot is tried this much before the clock reaches it. */
const LEAD_MS = 50n;

export interface RealNetwork {
	readonly config: NodeConfig;
	readonly producers: readonly Producer[];
	readonly userKeys: readonly Uint8Array[];
}

const keyOf = (n: number): Uint8Array => {
	const key = Buffer.alloc(32);
	key.writeUInt32BE(n, 28);
	return key;
};

/**
 * @param genesisMs a multiple of the slot length
 * @param votes whether witnesses vote on blocks
 */
export function realNetwork(witnessCount: number, genesisMs: bigint, votes: boolean): RealNetwork {
	const producers = Array.from({ length: witnessCount }, (_, i) => producerWithKey(keyOf(i + 1)));
	const userKeys = Array.from({ length: USERS }, (_, i) => keyOf(i + 1_001));
	const asset = (name: string, address: Uint8Array, balance: bigint): string =>
		`{ accountName = "${name}", accountType = "Normal", address = "${toBase58Check(address)}", balance = "${balance}" }`;
	const config = parseConfig(`
		storage { db.directory = "database", transHistory.switch = "on" }
		genesis.block {
			timestamp = "${genesisMs}"
			parentHash = "${"0".repeat(64)}"
			assets = [
				${asset("Blackhole", addressOfPrivateKey(keyOf(999)), -(2n ** 63n))}
				${userKeys.map((key, i) => asset(`User${i}`, addressOfPrivateKey(key), START_BALANCE)).join("\n")}
			]
			witnesses = [
				${producers.map(({ witness }, i) => `{ address = "${toBase58Check(witness)}", url = "http://w${i}.example", voteCount = ${100 - i} }`).join("\n")}
			]
		}
		block { maintenanceTimeInterval = 120000 }
		committee { allowPBFT = ${votes ? 1 : 0} }
	`);
	return { config, producers, userKeys };
}

export class RealChain extends NodeChain implements ProducingChain {
	private constructor(
		private readonly open: OpenChain,
		private readonly own: readonly Producer[],
		onFault: (error: unknown, where: string) => void,
	) {
		super({ open, pool: undefined, report: onFault });
	}

	/** @param own witnesses for which blocks are made here */
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

	produceFor(timestampMs: bigint): SignedBlock | undefined {
		const { chain } = this.open;
		const slot = slotOf(chain.state, timestampMs + LEAD_MS);
		if (slot <= 0n) return undefined;
		const producer = producerOf(this.own, scheduledWitness(chain.state, slot));
		return producer && chain.produce(producer, slotTimeMs(chain.state, slot), () => false).block;
	}

	/** A payment of one user to another. */
	transfer(random: Randomness, { userKeys }: RealNetwork): SignedTransaction {
		const { headId, headTimestampMs } = this.open.chain.state.properties;
		const from = random.pick(userKeys);
		const contract = contractTypeByName("TransferContract");
		if (!contract) throw new Error("no transfers");
		const parameter = TransferContract.create({
			owner_address: addressOfPrivateKey(from),
			to_address: addressOfPrivateKey(random.pick(userKeys.filter((key) => key !== from))),
			amount: BigInt(random.between(1, 1_000_000)),
		});
		const built = buildTransaction(contract, parameter, {
			...refBlockOf(headId),
			expirationMs: headTimestampMs + 60_000n,
			timestampMs: headTimestampMs,
		});
		return new SignedTransaction(Transaction.create({ ...built.message, signature: [sign(built.id, from)] }));
	}
}

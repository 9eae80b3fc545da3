/** The network of benches with large states: 27 witnesses, and senders with known keys. */

import { OpenChain } from "../../src/node/chain/open-chain.js";
import { type NodeConfig, parseConfig } from "../../src/node/config/config.js";
import { scheduledWitness, slotTimeMs } from "../../src/node/consensus/slots.js";
import { createContractMachine } from "../../src/node/contract-runner.js";
import { producerOf, producerWithKey } from "../../src/node/production/slot-producer.js";
import { toBase58Check } from "../../src/protocol/address.js";
import { refBlockOf } from "../../src/protocol/block.js";
import type { Message } from "../../src/protocol/codec/descriptor.js";
import { contractTypeByName } from "../../src/protocol/contract-types.js";
import { sha256 } from "../../src/protocol/hash.js";
import {
	Account,
	AccountAccountResource,
	Key,
	Permission,
	Transaction,
} from "../../src/protocol/messages.js";
import { addressOfPrivateKey, sign } from "../../src/protocol/signature.js";
import { buildTransaction, SignedTransaction } from "../../src/protocol/transaction.js";

const WITNESSES = 27;

const keyOf = (name: string): Uint8Array => sha256(Buffer.from(`bench ${name}`));

/** An account that signs. */
export interface Sender {
	readonly key: Uint8Array;
	readonly address: Uint8Array;
}

export function makeSenders(count: number): readonly Sender[] {
	return Array.from({ length: count }, (_, index) => {
		const key = keyOf(`account ${index}`);
		return { key, address: addressOfPrivateKey(key) };
	});
}

const producers = Array.from({ length: WITNESSES }, (_, index) => producerWithKey(keyOf(`witness ${index}`)));

/** Parameters enabled on mainnet. */
const TODAY = [
	"allowCreationOfContracts",
	"allowMultiSign",
	"allowDelegateResource",
	"allowSameTokenName",
	"allowTvmTransferOrc10",
	"allowTvmConstantinople",
	"allowTvmSolidity059",
	"allowTransactionFeePool",
	"allowBlackHoleOptimization",
	"allowNewResourceModel",
	"allowTvmIstanbul",
	"changedDelegation",
	"allowTvmFreeze",
	"allowTvmVote",
	"allowTvmLondon",
	"allowTvmCompatibleEvm",
	"allowHigherLimitForMaxCpuTimeOfOneTx",
	"allowNewRewardAlgorithm",
	"allowOptimizedReturnValueOfChainId",
	"allowAccountAssetOptimization",
	"allowAssetOptimization",
	"allowNewReward",
	"allowDelegateOptimization",
	"allowDynamicEnergy",
	"allowTvmShangHai",
	"allowOldRewardOpt",
	"allowEnergyAdjustment",
	"allowStrictMath",
	"consensusLogicOptimization",
	"allowTvmCancun",
];

/** Text of the configuration file. */
export const NETWORK = `storage { transHistory.switch = on }
	 enery.limit.block.num = 0
	 genesis.block { timestamp = "0", parentHash = "00", assets = [
		{ accountName = "Blackhole", accountType = "AssetIssue", address = "${toBase58Check(addressOfPrivateKey(keyOf("black hole")))}", balance = "0" },
		{ accountName = "First", accountType = "Normal", address = "${toBase58Check(addressOfPrivateKey(keyOf("account 0")))}", balance = "1000000000000" } ],
	 witnesses = [ ${producers
			.map(({ witness }) => `{ address = "${toBase58Check(witness)}", url = "u", voteCount = 1 }`)
			.join(", ")} ] }
	 committee { ${TODAY.join(" = 1, ")} = 1, unfreezeDelayDays = 14, dynamicEnergyThreshold = 5000000000, dynamicEnergyIncreaseFactor = 2000,
		dynamicEnergyMaxFactor = 34000 }`;

const config: NodeConfig = parseConfig(NETWORK);

/** Folder of the database in a data directory. */
export const DATABASE_FOLDER = config.storage.directory;

export function openNetwork(dataDirectory: string): Promise<OpenChain> {
	const machine = createContractMachine(config, false);
	return OpenChain.open({
		config,
		dataDirectory,
		clock: () => 0n,
		machine: machine.run,
		guess: (transaction) => machine.guesses.of(transaction),
		onStorageFailure: (error) => {
			throw error;
		},
	});
}

/** Produces the next slot's block from pending transactions. @returns its bytes */
export function produceNext({ chain }: OpenChain): Uint8Array {
	const producer = producerOf(producers, scheduledWitness(chain.state, 1n));
	if (!producer) throw new Error("a witness has no key");
	return chain.produce(producer, slotTimeMs(chain.state, 1n), () => false).block.bytes;
}

let nonce = 0n;

interface SigningOptions {
	readonly feeLimitSun?: bigint;
	/** Permission to name; none by default. */
	readonly permissionId?: number;
	/** Additional signers. */
	readonly others?: readonly Sender[];
}

/** A signed transaction that references the head. */
export function signedBy(
	{ key }: Sender,
	{ chain: { head } }: OpenChain,
	name: string,
	contract: Message,
	{ feeLimitSun = 0n, permissionId = 0, others = [] }: SigningOptions = {},
): SignedTransaction {
	const type = contractTypeByName(name);
	if (!type) throw new Error(`there is no type ${name}`);
	const unsigned = buildTransaction(type, contract, {
		...refBlockOf(head.id),
		expirationMs: head.timestampMs + 60_000n,
		timestampMs: nonce++,
		feeLimitSun,
		permissionId,
	});
	const message = Transaction.copy(unsigned.message);
	message.signature = [key, ...others.map((other) => other.key)].map((each) => sign(unsigned.id, each));
	return new SignedTransaction(message);
}

/** Operations that an active permission allows. */
export const OPERATIONS = Buffer.from("7fff1fc0033ec30f".padEnd(64, "0"), "hex");

/**
 * A record of an account with coins and usage that never changed its permissions.
 * @param more additional fields
 */
export function plainAccount(address: Uint8Array, more: Partial<Account> = {}): Uint8Array {
	const keys = [Key.create({ address, weight: 1n })];
	return Account.encode(
		Account.create({
			address,
			balance: 1_000_000_000_000n,
			create_time: 1_600_000_000_000n,
			account_resource: AccountAccountResource.create({ energy_window_size: 28_800n }),
			owner_permission: Permission.create({ permission_name: "owner", threshold: 1n, keys }),
			active_permission: [
				Permission.create({
					type: 2,
					id: 2,
					permission_name: "active",
					threshold: 1n,
					operations: OPERATIONS,
					keys,
				}),
			],
			...more,
		}),
	);
}

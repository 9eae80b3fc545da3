/** A chain of five witnesses whose keys the test holds: blocks at any slot, branches, transfers. */

import type { ChainOptions } from "../../../src/node/chain/chain-options.js";
import { OpenChain } from "../../../src/node/chain/open-chain.js";
import { type NodeConfig, parseConfig } from "../../../src/node/config/config.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { producerOf, producerWithKey } from "../../../src/node/production/slot-producer.js";
import { toBase58Check } from "../../../src/protocol/address.js";
import type { SignedBlock } from "../../../src/protocol/block.js";
import { refBlockOf } from "../../../src/protocol/block.js";
import { equalBytes } from "../../../src/protocol/bytes.js";
import type { Message } from "../../../src/protocol/codec/descriptor.js";
import { contractTypeByName } from "../../../src/protocol/contract-types.js";
import {
	AccountPermissionUpdateContract,
	BlockHeaderRaw,
	Key,
	Permission,
	PermissionPermissionType,
	Transaction,
	TransferContract,
} from "../../../src/protocol/messages.js";
import { addressOfPrivateKey, sign } from "../../../src/protocol/signature.js";
import { buildTransaction, SignedTransaction } from "../../../src/protocol/transaction.js";
import { sealBlock } from "./sealed-block.js";

/** Past the time from which block versions are voted on. */
const GENESIS_MS = 1_700_000_001_000n - (1_700_000_001_000n % 3000n);

const keyOf = (n: number): Uint8Array => {
	const key = Buffer.alloc(32);
	key.writeUInt32BE(n, 28);
	return key;
};

const witnessKeys = [1, 2, 3, 4, 5].map(keyOf);
const userKeys = [101, 102, 103].map(keyOf);
const producers = witnessKeys.map((key) => producerWithKey(key));

/** Funded accounts. */
export const users = userKeys.map((key) => addressOfPrivateKey(key));
const START_BALANCE = 1_000_000_000_000n;

const asset = (name: string, address: Uint8Array, balance: bigint): string =>
	`{ accountName = "${name}", accountType = "Normal", address = "${toBase58Check(address)}", balance = "${balance}" }`;

const configs = new Map<string, NodeConfig>();

/**
 * Many tests ask for the same, which is read once.
 * @param committee further keys of that section, as HOCON
 * @param more further keys of the file
 */
export function smallConfig(committee = "", more = ""): NodeConfig {
	const name = JSON.stringify([committee, more]);
	const config = configs.get(name) ?? readSmallConfig(committee, more);
	configs.set(name, config);
	return config;
}

function readSmallConfig(committee: string, more: string): NodeConfig {
	return parseConfig(`
		${more}
		storage { db.directory = "database", transHistory.switch = "on", balance.history.lookup = true }
		genesis.block {
			timestamp = "${GENESIS_MS}"
			parentHash = "${"0".repeat(64)}"
			assets = [
				${asset("Blackhole", addressOfPrivateKey(keyOf(999)), -(2n ** 63n))}
				${users.map((address, i) => asset(`User${i}`, address, START_BALANCE)).join("\n")}
			]
			witnesses = [
				${producers.map(({ witness }, i) => `{ address = "${toBase58Check(witness)}", url = "http://w${i}.example", voteCount = ${100 - i} }`).join("\n")}
			]
		}
		block { maintenanceTimeInterval = 600000 }
		committee { allowCreationOfContracts = 1, ${committee} }
	`);
}

/** Opens the chain, in memory or in a directory. */
export async function openSmall(
	options: Partial<ChainOptions> & { readonly config?: NodeConfig } = {},
): Promise<OpenChain> {
	return OpenChain.open({
		config: smallConfig(),
		dataDirectory: undefined,
		clock: () => 0n,
		machine: () => {
			throw new Error("this chain runs no contracts");
		},
		onStorageFailure: (error) => {
			throw error;
		},
		...options,
	});
}

/** Produces the block of the k-th slot after the head. */
export function produce({ chain }: OpenChain, k = 1n, expired: () => boolean = () => false): SignedBlock {
	const witness = scheduledWitness(chain.state, k);
	const producer = producerOf(producers, witness);
	if (!producer) throw new Error("the slot's witness is none of ours");
	return chain.produce(producer, slotTimeMs(chain.state, k), expired).block;
}

/** A block on another, signed with a key, for a witness and slot time of the caller's choice. */
export function forge(
	parent: SignedBlock,
	timestampMs: bigint,
	{ key = keyOf(777), witness = addressOfPrivateKey(key), transactions = [] }: Forgery = {},
): SignedBlock {
	const raw = BlockHeaderRaw.create({
		number: parent.number + 1n,
		parentHash: parent.id,
		timestamp: timestampMs,
		version: parent.raw.version,
		witness_address: witness,
	});
	return sealBlock(raw, transactions, producerWithKey(key, witness));
}

export interface Forgery {
	/** Private key that signs; one of no witness if absent. */
	readonly key?: Uint8Array;
	readonly witness?: Uint8Array;
	readonly transactions?: readonly SignedTransaction[];
}

/** The private key of a witness. */
export function keyOfWitness(address: Uint8Array): Uint8Array {
	const key = witnessKeys.find((candidate) => equalBytes(addressOfPrivateKey(candidate), address));
	if (!key) throw new Error("not a witness of this chain");
	return key;
}

export const keyOfUser = (user: number): Uint8Array => userKeys[user] as Uint8Array;

/** Produces several blocks and gives them. */
export function produceMany(open: OpenChain, count: number, k = 1n): SignedBlock[] {
	return Array.from({ length: count }, () => produce(open, k));
}

/** Signs a contract of one user's, referring to the head. @param key signs instead of the user's */
export function signed(
	open: OpenChain,
	user: number,
	type: string,
	parameter: Message,
	{
		key = keyOfUser(user),
		...more
	}: { readonly feeLimitSun?: bigint; readonly permissionId?: number; readonly key?: Uint8Array } = {},
): SignedTransaction {
	const { headId, headTimestampMs } = open.chain.state.properties;
	const contract = contractTypeByName(type);
	if (!contract) throw new Error(`no contract type ${type}`);
	const built = buildTransaction(contract, parameter, {
		...refBlockOf(headId),
		expirationMs: headTimestampMs + 3_600_000n,
		timestampMs: headTimestampMs,
		...more,
	});
	const signature = [sign(built.id, key)];
	return new SignedTransaction(Transaction.create({ ...built.message, signature }));
}

/** A signed transfer between users; equal arguments on one head give the same transaction. */
export function transfer(open: OpenChain, from: number, to: Uint8Array, amount: bigint): SignedTransaction {
	return signed(
		open,
		from,
		"TransferContract",
		TransferContract.create({ owner_address: users[from] as Uint8Array, to_address: to, amount }),
	);
}

/** Gives an account to other keys. @param witness address of the key that signs blocks; absent: the account is no witness's */
export function permissionUpdate(account: Uint8Array, owner: Uint8Array, witness?: Uint8Array): Message {
	const of = (id: number, type: number, address: Uint8Array): Permission =>
		Permission.create({
			id,
			type,
			permission_name: "p",
			threshold: 1n,
			keys: [Key.create({ address, weight: 1n })],
		});
	const active = of(2, PermissionPermissionType.Active, owner);
	active.operations = Buffer.concat([Buffer.from("7fff1fc0033e", "hex"), Buffer.alloc(26)]);
	return AccountPermissionUpdateContract.create({
		owner_address: account,
		owner: of(0, PermissionPermissionType.Owner, owner),
		...(witness ? { witness: of(1, PermissionPermissionType.Witness, witness) } : {}),
		actives: [active],
	});
}

/** Sun of an account at the head; 0 if there is none. */
export function balance(open: OpenChain, address: Uint8Array): bigint {
	return open.chain.state.account.get(address)?.balance ?? 0n;
}

/**
 * A chain in memory with a handful of accounts whose keys the test plays: what random sequences of transactions run
 * on. Signatures are named, not computed: a transaction carries the addresses that signed it.
 */

import type { CommittedBlock } from "../../../src/node/chain/observers.js";
import { OpenChain } from "../../../src/node/chain/open-chain.js";
import type { Producer } from "../../../src/node/chain/packing.js";
import { type CommitteeKey, type NodeConfig, parseConfig } from "../../../src/node/config/config.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { ChainError } from "../../../src/node/rules/errors.js";
import { loadShieldedSupport } from "../../../src/node/shielded-support.js";
import type { PropertyOf } from "../../../src/node/state/property-table.js";
import type { StateView } from "../../../src/node/state/view.js";
import { refBlockOf, SignedBlock } from "../../../src/protocol/block.js";
import { equalBytes } from "../../../src/protocol/bytes.js";
import type { Message } from "../../../src/protocol/codec/descriptor.js";
import { contractTypeByName, contractTypes } from "../../../src/protocol/contract-types.js";
import { MIN_INT64 } from "../../../src/protocol/int64.js";
import {
	Account,
	AccountType,
	SmartContract,
	Transaction,
	type TransactionInfo,
} from "../../../src/protocol/messages.js";
import { permissionById, witnessSigningAddress } from "../../../src/protocol/permission.js";
import { buildTransaction, SignedTransaction } from "../../../src/protocol/transaction.js";

/** Witnesses of the genesis block. */
const GENESIS_WITNESSES = 5;
/** Accounts with coins at genesis, the witnesses among them. */
const GENESIS_ACCOUNTS = 10;
/** All addresses that transactions name; the last ones don't exist at first. */
const ADDRESSES = 14;
const GENESIS_BALANCE = 20_000_000_000_000n;
/** After the time of the upgrades that wait for one, at a whole slot. */
const GENESIS_MS = 1_700_000_000_000n - (1_700_000_000_000n % 3000n);
export const CYCLE_MS = 120_000;
const SIGNATURE_LENGTH = 65;
const LIFETIME_MS = 60_000n;

const numbered = (i: number): Uint8Array => {
	const bytes = Buffer.alloc(21);
	bytes[0] = 0x41;
	bytes[1] = 0x50 + i;
	bytes[20] = i;
	return bytes;
};

/** The addresses that transactions of a test name, by index. */
export const addresses: readonly Uint8Array[] = Array.from({ length: ADDRESSES }, (_, i) => numbered(i));
/** A contract that is there from the start, deployed by the first account. */
export const contractAddress = numbered(100);
const blackHole = numbered(101);

/** Those can't draw rewards. */
export function isGenesisWitness(address: Uint8Array): boolean {
	return addresses.slice(0, GENESIS_WITNESSES).some((each) => equalBytes(each, address));
}

/** Short name of an address in the account of what happened. */
export function nameOf(address: Uint8Array): string {
	const index = addresses.findIndex((each) => equalBytes(each, address));
	return index < 0 ? Buffer.from(address).toString("hex") : `#${index}`;
}

/** The rules with which a chain starts. */
export interface StartingRules {
	/** Chain parameters as the configuration sets them. */
	readonly committee: Readonly<Partial<Record<CommitteeKey, bigint>>>;
	/** Those that only proposals can set, as if they had. */
	readonly voted: Readonly<Partial<Record<PropertyOf<"long">, bigint>>>;
}

// Blocks of side branches carry no signature here: release 4.8.2 would look at it again when the chain moves
// to one. Releases since 4.8.1 refuse trades on exchange pairs.
const base = parseConfig(
	`storage { }\n node { release = "4.8.0", shielded.allowUnverified = true }\n genesis.block { timestamp = "0", parentHash = "00", assets = [], witnesses = [] }`,
);

function configOf({ committee }: StartingRules): NodeConfig {
	const assets = addresses.slice(0, GENESIS_ACCOUNTS).map((address, i) => ({
		accountName: `account${i}`,
		address,
		balance: GENESIS_BALANCE,
	}));
	const hole = {
		accountName: "Blackhole",
		address: blackHole,
		balance: MIN_INT64,
	};
	const witnesses = addresses
		.slice(0, GENESIS_WITNESSES)
		.map((address, i) => ({ address, url: `w${i}`, voteCount: BigInt(100 - i) }));
	return {
		...base,
		committee: { ...base.committee, ...committee },
		block: {
			...base.block,
			energyLimitBlockNumber: 0,
			maintenanceTimeIntervalMs: CYCLE_MS,
			proposalExpireTimeMs: CYCLE_MS,
		},
		genesis: { ...base.genesis, timestampMs: GENESIS_MS, assets: [...assets, hole], witnesses },
	};
}

/** What became of a transaction that was sent. */
export type SendOutcome =
	| { readonly kind: "accepted"; readonly info: TransactionInfo; readonly transaction: SignedTransaction }
	| { readonly kind: "refused"; readonly error: ChainError };

export interface SendOptions {
	/** The permission under which the owner signs. */
	readonly permissionId?: number;
	/** Whose signatures it carries; by default those of the permission. */
	readonly signers?: readonly Uint8Array[];
	readonly memo?: Uint8Array;
}

export class SmallChain {
	private nonce = 0n;
	/** Signers of every transaction that was sent, by id. */
	private readonly signersById: Map<string, readonly Uint8Array[]>;

	private constructor(
		readonly open: OpenChain,
		private readonly rules: StartingRules,
		signersById?: Map<string, readonly Uint8Array[]>,
	) {
		this.signersById = signersById ?? new Map();
	}

	/** A chain with some rules on, its head a few blocks after genesis, when all block versions have passed. */
	static async open(rules: StartingRules): Promise<SmallChain> {
		const chain = await SmallChain.openAtGenesis(rules);
		// A transaction right after the last witness has shown its version would close the lower gates for good.
		for (let i = 0; i < 2 * GENESIS_WITNESSES; i++) chain.produce();
		return chain;
	}

	private static async openAtGenesis(
		rules: StartingRules,
		signersById?: Map<string, readonly Uint8Array[]>,
	): Promise<SmallChain> {
		const config = configOf(rules);
		const open = await OpenChain.open({
			config,
			shielded: await loadShieldedSupport(config, false),
			dataDirectory: undefined,
			clock: () => 0n,
			machine: () => {
				throw new Error("no sequence runs contracts");
			},
			initialize: (state) => initialize(state, rules),
			onStorageFailure: (error) => {
				throw error;
			},
		});
		return new SmallChain(open, rules, signersById);
	}

	/** Another chain of the same genesis, which knows who signed this one's transactions. */
	twin(): Promise<SmallChain> {
		return SmallChain.openAtGenesis(this.rules, this.signersById);
	}

	get state(): StateView {
		return this.open.chain.state;
	}

	get headNumber(): bigint {
		return this.open.chain.head.number;
	}

	/** Addresses whose accounts the state may hold, those outside of transactions included. */
	get holders(): readonly Uint8Array[] {
		return [...addresses, contractAddress, blackHole];
	}

	/** Sends a transaction with one contract to the pool, signed as its permission asks for. */
	send(type: string, contract: Message, options: SendOptions = {}): SendOutcome {
		const transaction = this.build(type, contract, options);
		try {
			const info = this.open.chain.pushTransaction(transaction);
			if (!info) throw new Error(`${type} was left out of the pool`);
			return { kind: "accepted", info, transaction };
		} catch (error) {
			if (!(error instanceof ChainError)) throw error;
			return { kind: "refused", error };
		}
	}

	private build(type: string, contract: Message, { permissionId = 0, signers, memo }: SendOptions) {
		const row = contractTypeByName(type);
		if (!row) throw new Error(`no type ${type}`);
		const { head } = this.open.chain;
		const unsigned = buildTransaction(row, contract, {
			...refBlockOf(head.id),
			expirationMs: head.timestampMs + LIFETIME_MS,
			timestampMs: this.nonce++,
			permissionId,
			...(memo ? { data: memo } : {}),
		});
		const signing = signers ?? this.signersOf(unsigned.owner, permissionId);
		const message = Transaction.copy(unsigned.message);
		message.signature = signing.map((signer) => Buffer.alloc(SIGNATURE_LENGTH, signer));
		const transaction = new SignedTransaction(message);
		transaction.signers = signing;
		this.signersById.set(transaction.idHex, signing);
		return transaction;
	}

	/** The first keys of a permission that reach its threshold. */
	private signersOf(owner: Uint8Array, permissionId: number): readonly Uint8Array[] {
		const { state } = this;
		const account = state.account.get(owner);
		const operations = state.properties.get("ACTIVE_DEFAULT_OPERATIONS");
		const permission = permissionById(account, owner, permissionId, operations);
		const signers: Uint8Array[] = [];
		let weight = 0n;
		for (const key of permission?.keys ?? []) {
			if (weight >= (permission?.threshold ?? 0n)) break;
			signers.push(key.address);
			weight += key.weight;
		}
		return signers;
	}

	/** Packs the pool into a block of the witness whose turn it is. @param skipped slots that stay empty before it */
	produce(skipped = 0): CommittedBlock {
		const { chain } = this.open;
		const slot = BigInt(skipped + 1);
		const witness = scheduledWitness(this.state, slot);
		const account = chain.state.account;
		const producer: Producer = {
			witness,
			// Asked for after the pool's changes are gone, as a key that they change does not count yet.
			get signer() {
				return witnessSigningAddress(account.existing(witness));
			},
			sign: () => new Uint8Array(SIGNATURE_LENGTH),
		};
		return chain.produce(producer, slotTimeMs(this.state, slot), () => false);
	}

	/** Offers a block of a twin, from its bytes. */
	follow(bytes: Uint8Array): void {
		const block = SignedBlock.decode(bytes);
		for (const transaction of block.transactions) {
			transaction.signers = this.signersById.get(transaction.idHex);
		}
		this.open.chain.push(block, "recording");
	}

	/** Executes again what came back from undone blocks. */
	executeWaiting(): void {
		while (this.open.chain.executeWaiting(Number.POSITIVE_INFINITY));
	}
}

function initialize(state: StateView, { voted }: StartingRules): void {
	for (const [name, value] of Object.entries(voted)) {
		state.properties.set(name as PropertyOf<"long">, value);
	}
	for (const { id } of contractTypes) state.properties.allowContractType(id);
	state.contract.put(
		contractAddress,
		SmartContract.create({ origin_address: addresses[0] as Uint8Array, contract_address: contractAddress }),
	);
	state.account.put(
		contractAddress,
		Account.create({ address: contractAddress, type: AccountType.Contract, balance: 1_000_000n }),
	);
}

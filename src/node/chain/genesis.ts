/** The genesis block and the state before block 1 (protocol/blocks §2). */

import type { SignedBlock } from "../../protocol/block.js";
import { be64, utf8 } from "../../protocol/bytes.js";
import { typesGrantedBy } from "../../protocol/contract-types.js";
import {
	Account,
	AccountType,
	BlockBalanceTrace,
	BlockBalanceTraceBlockIdentifier,
	Key,
	Permission,
	TransactionBalanceTrace,
	TransactionBalanceTraceOperation,
	Witness,
} from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { GenesisConfig } from "../config/config.js";
import { genesisBlock } from "../config/genesis-config.js";
import { MAX_ACTIVE_WITNESSES } from "../consensus/maintenance.js";
import { witnessesByVotes } from "../consensus/schedule.js";
import { setActiveWitnesses } from "../consensus/slots.js";
import type { StateView } from "../state/view.js";
import { accountTrace, accountTraceKey } from "./balance-history.js";
import { putRecentBlock } from "./transaction-checks.js";

/** Number of the committee parameter ALLOW_TVM_CONSTANTINOPLE. */
const CONSTANTINOPLE_PARAMETER = 26;
const BLACK_HOLE_NAME = "Blackhole";

/** The account that receives fees while burning is off: the last with that name; empty if the configuration has none. */
export function blackHoleAddress(genesis: Pick<GenesisConfig, "assets">): Uint8Array {
	return (
		genesis.assets.findLast((asset) => asset.accountName === BLACK_HOLE_NAME)?.address ?? new Uint8Array(0)
	);
}

/** Writes the whole state before block 1 into an empty base. */
export function writeGenesis(state: StateView, genesis: GenesisConfig): void {
	const { properties } = state;
	const block = genesisBlock(genesis);
	properties.writeMissing();
	state.block.put(block.id, block.bytes);
	state.blockIndex.put(be64(0n), block.id);
	properties.set("latest_block_header_number", 0n);
	properties.set("latest_block_header_hash", block.id);
	properties.set("latest_block_header_timestamp", genesis.timestampMs);
	writeAccounts(state, genesis);
	writeWitnesses(state, genesis);
	putRecentBlock(state, block.id);
	writeBalanceHistory(state, genesis, block);
}

function writeAccounts(state: StateView, genesis: GenesisConfig): void {
	for (const asset of genesis.assets) {
		const name = utf8(asset.accountName);
		state.account.put(
			asset.address,
			Account.create({
				account_name: name,
				address: asset.address,
				type: AccountType.Normal,
				balance: asset.balance,
			}),
		);
		state.accountIdIndex.put(new Uint8Array(0), asset.address);
		state.accountIndex.put(name, asset.address);
	}
}

function writeWitnesses(state: StateView, genesis: GenesisConfig): void {
	for (const { address, url, voteCount } of genesis.witnesses) {
		const existing = state.account.get(address);
		const account = existing
			? Account.copy(existing)
			: Account.create({ address, type: AccountType.AssetIssue });
		account.is_witness = true;
		state.account.put(address, account);
		state.witness.put(address, Witness.create({ address, voteCount, url, isJobs: true }));
	}
}

function writeBalanceHistory(state: StateView, genesis: GenesisConfig, block: SignedBlock): void {
	const traces = genesis.assets.map((asset, index) =>
		TransactionBalanceTrace.create({
			transaction_identifier: (block.transactions[index] as SignedTransaction).id,
			operation: [TransactionBalanceTraceOperation.create({ address: asset.address, amount: asset.balance })],
			type: "TransferContract",
			status: "SUCCESS",
		}),
	);
	state.balanceTrace.put(
		be64(0n),
		BlockBalanceTrace.create({
			block_identifier: BlockBalanceTraceBlockIdentifier.create({ hash: block.id, number: 0n }),
			timestamp: genesis.timestampMs,
			transaction_balance_trace: traces,
		}),
	);
	for (const asset of genesis.assets) {
		state.accountTrace.put(accountTraceKey(asset.address, 0n), accountTrace(asset.balance));
	}
}

interface StartSettings {
	readonly blackHole: Uint8Array;
	/** `committee.allowTvmConstantinople` of this run's configuration. */
	readonly allowTvmConstantinople: bigint;
	/** `storage.needToUpdateAsset`. */
	readonly needToUpdateAsset: boolean;
	/**
	 * Whether the release records that account-id keys are lower-cased the same way on every machine (protocol/releases §2).
	 */
	readonly movesAccountIds: boolean;
}

/**
 * What every start does to the base: initialize missing properties, run one-time migrations (protocol/blocks
 * §2.3, steps 1 and 6 to 9).
 */
export function prepareBase(state: StateView, settings: StartSettings): void {
	const { properties } = state;
	properties.writeMissing();
	if (settings.needToUpdateAsset) properties.set("TOKEN_UPDATE_DONE", 1n);
	if (settings.movesAccountIds) properties.set("TURKISH_KEY_MIGRATION_DONE", 1n);
	for (const flag of [
		"ABI_MOVE_DONE",
		"ENERGY_PRICE_HISTORY_DONE",
		"BANDWIDTH_PRICE_HISTORY_DONE",
	] as const) {
		properties.set(flag, 1n);
	}
	if (properties.get("SET_BLACKHOLE_ACCOUNT_PERMISSION") === 0n) lockBlackHole(state, settings.blackHole);
	if (settings.allowTvmConstantinople !== 0n) {
		properties.set("ALLOW_TVM_CONSTANTINOPLE", settings.allowTvmConstantinople);
		for (const id of typesGrantedBy(CONSTANTINOPLE_PARAMETER)) properties.allowContractType(id);
	}
	if (properties.headNumber === 0n) {
		const active = witnessesByVotes(state).slice(0, MAX_ACTIVE_WITNESSES);
		setActiveWitnesses(
			state,
			active.map((witness) => witness.address),
		);
	}
}

/** No one holds the key of the black hole: its owner permission names the zero address. */
function lockBlackHole(state: StateView, address: Uint8Array): void {
	const stored = state.account.get(address);
	if (stored) {
		const account = Account.copy(stored);
		const zeroAddress = Buffer.alloc(21);
		zeroAddress[0] = address[0] ?? 0;
		account.owner_permission = Permission.create({
			permission_name: "owner",
			threshold: 1n,
			keys: [Key.create({ address: zeroAddress, weight: 1n })],
		});
		account.active_permission = [];
		state.account.put(address, account);
	}
	state.properties.set("SET_BLACKHOLE_ACCOUNT_PERMISSION", 1n);
}

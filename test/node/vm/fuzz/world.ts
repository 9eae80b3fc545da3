/** The state in which random programs run: a few accounts and contracts, and any set of rules. */

import { createMemoryDatabase } from "../../../../src/node/state/database.js";
import { StateDatabase } from "../../../../src/node/state/state-database.js";
import { createView, type StateView } from "../../../../src/node/state/view.js";
import type { Gates } from "../../../../src/node/vm/gates.js";
import { fromHex, utf8 } from "../../../../src/protocol/bytes.js";
import {
	Account,
	AccountType,
	AssetIssueContract,
	ContractState,
	SmartContract,
	Witness,
} from "../../../../src/protocol/messages.js";
import { latestGates } from "../machine-fixture.js";
import type { Chance } from "./chance.js";

const account = (byte: string): Uint8Array => fromHex(`41${byte.repeat(20)}`);

export const TOKEN = 1_000_001n;
export const SENDER = account("22");
export const BLACK_HOLE = account("ff");
export const WITNESSES = [account("a1"), account("a2")];
/** Contracts that call each other. */
export const CONTRACTS = ["33", "34", "35", "36"].map(account);
/** The last 20 bytes of everything that programs may mean. */
export const TARGETS: readonly Uint8Array[] = [
	...CONTRACTS,
	...WITNESSES,
	SENDER,
	BLACK_HOLE,
	account("77"),
	account("78"),
];

type Property = Parameters<StateView["properties"]["set"]>[0];

/** Which stored parameter stands behind a gate, for rules that read it by themselves. */
const PROPERTIES: Partial<Record<keyof Gates, Property>> = {
	tokens: "ALLOW_TVM_TRANSFER_ORC10",
	multiSign: "ALLOW_MULTI_SIGN",
	constantinople: "ALLOW_TVM_CONSTANTINOPLE",
	solidity059: "ALLOW_TVM_SOLIDITY_059",
	istanbul: "ALLOW_TVM_ISTANBUL",
	freeze: "ALLOW_TVM_FREEZE",
	vote: "ALLOW_TVM_VOTE",
	compatible: "ALLOW_TVM_COMPATIBLE_EVM",
	london: "ALLOW_TVM_LONDON",
	higherCpuLimit: "ALLOW_HIGHER_LIMIT_FOR_MAX_CPU_TIME_OF_ONE_TX",
	shortChainId: "ALLOW_OPTIMIZED_RETURN_VALUE_OF_CHAIN_ID",
	dynamicEnergy: "ALLOW_DYNAMIC_ENERGY",
	shanghai: "ALLOW_TVM_SHANGHAI",
	energyAdjustment: "ALLOW_ENERGY_ADJUSTMENT",
	cancun: "ALLOW_TVM_CANCUN",
	strictMath: "ALLOW_STRICT_MATH",
	blob: "ALLOW_TVM_BLOB",
	newResourceModel: "ALLOW_NEW_RESOURCE_MODEL",
	restrictedSelfDestruct: "ALLOW_TVM_SELFDESTRUCT_RESTRICTION",
	osaka: "ALLOW_TVM_OSAKA",
	separateRows: "ALLOW_OPTIMIZE_TVM_STORAGE",
};

const names = Object.keys(latestGates) as (keyof Gates)[];

/** The rules of an era, or any others: the first ones of the list on, all, or each by chance. */
export function randomGates(chance: Chance): Gates {
	const until = chance.below(names.length + 1);
	const rule = chance.of<(index: number) => boolean>([
		() => true,
		(index) => index < until,
		() => chance.happens(0.5),
		() => chance.happens(0.9),
	]);
	return Object.fromEntries(names.map((name, index) => [name, rule(index)])) as unknown as Gates;
}

export class World {
	private block = 0n;

	private constructor(
		readonly database: StateDatabase,
		readonly state: StateView,
	) {}

	static async create(): Promise<World> {
		const database = await StateDatabase.open(createMemoryDatabase());
		const state = createView(database.headBackend, {
			genesisTimestampMs: 1_600_000_000_000n,
			maintenanceIntervalMs: 21_600_000n,
			committee: () => 0n,
		});
		const world = new World(database, state);
		const { properties } = state;
		properties.set("latest_block_header_timestamp", 1_700_000_000_000n);
		properties.set("latest_block_header_number", 33_333_333n);
		properties.set("CURRENT_CYCLE_NUMBER", 7n);
		properties.set("TOTAL_NET_WEIGHT", 1_000_000n);
		properties.set("TOTAL_ENERGY_WEIGHT", 1_000_000n);
		properties.set("DYNAMIC_ENERGY_THRESHOLD", 1_000n);
		properties.set("DYNAMIC_ENERGY_INCREASE_FACTOR", 2_000n);
		properties.set("DYNAMIC_ENERGY_MAX_FACTOR", 34_000n);
		for (const address of [SENDER, BLACK_HOLE, ...WITNESSES]) {
			state.account.put(
				address,
				Account.create({ address, balance: 10n ** 12n, assetV2: new Map([[String(TOKEN), 5_000n]]) }),
			);
		}
		for (const address of WITNESSES) {
			state.witness.put(address, Witness.create({ address, voteCount: 10n, url: "here" }));
		}
		state.assetIssueV2.put(
			utf8(String(TOKEN)),
			AssetIssueContract.create({ id: String(TOKEN), name: utf8("token"), owner_address: SENDER }),
		);
		world.close();
		return world;
	}

	/** Turns what was written into a block that stays. */
	private close(): void {
		this.database.commitBlock(++this.block);
		this.database.settle(this.block);
	}

	/** Makes these rules and codes the state's. */
	prepare(chance: Chance, gates: Gates, codes: readonly Uint8Array[]): void {
		const { state } = this;
		for (const [gate, property] of Object.entries(PROPERTIES)) {
			state.properties.set(property, gates[gate as keyof Gates] ? 1n : 0n);
		}
		state.properties.set("ALLOW_HARDEN_RESOURCE_CALCULATION", chance.happens(0.5) ? 1n : 0n);
		state.properties.set("UNFREEZE_DELAY_DAYS", gates.freezeV2 ? 14n : 0n);
		for (const [index, address] of CONTRACTS.entries()) {
			const code = codes[index] ?? new Uint8Array(0);
			state.account.put(
				address,
				Account.create({
					address,
					type: AccountType.Contract,
					balance: chance.of([0n, 1n, 10n ** 9n, 10n ** 15n]),
					assetV2: new Map(chance.happens(0.7) ? [[String(TOKEN), 700n]] : []),
				}),
			);
			const version = gates.compatible && chance.happens(0.5) ? 1 : 0;
			state.contract.put(
				address,
				SmartContract.create({ contract_address: address, origin_address: SENDER, version }),
			);
			state.contractState.put(
				address,
				ContractState.create({
					energy_factor: chance.of([0n, 0n, 2_500n, 12_000n, 34_000n]),
					energy_usage: chance.of([0n, 100n, 100_000n]),
					update_cycle: chance.of([0n, 5n, 7n]),
				}),
			);
			if (code.length > 0) state.code.put(address, code);
			else state.code.delete(address);
		}
		this.close();
	}

	/** What was written since {@link prepare}, entry by entry, and undoes it. */
	takeChanges(): string[] {
		const change = this.database.commitBlock(++this.block);
		const lines: string[] = [];
		for (const { store, key, after } of this.database.changesOf(change)) {
			lines.push(
				`${store.name} ${Buffer.from(key, "latin1").toString("hex")} ${after === null ? "-" : Buffer.from(after).toString("hex")}`,
			);
		}
		this.database.undoBlock();
		return lines.sort();
	}
}

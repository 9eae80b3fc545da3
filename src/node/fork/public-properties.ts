/** The dynamic properties of a chain as far as public queries tell them; what they don't stays as on a new chain. */

import type { SignedBlock } from "../../protocol/block.js";
import { be64, utf8 } from "../../protocol/bytes.js";
import { type contractTypes, operationsMask, typesGrantedBy } from "../../protocol/contract-types.js";
import { toNeutral } from "../../protocol/dialect.js";
import { AccountResourceMessage, ChainParameters, NumberMessage } from "../../protocol/messages.js";
import { chainParameters } from "../consensus/parameters.js";
import { forkTable } from "../rules/fork-gates.js";
import { type PropertyName, propertyKey } from "../state/property-table.js";
import { burntOf, messageIn } from "./public-answers.js";

/** Answers that properties are read from, by endpoint. */
interface PropertyAnswers {
	readonly parameters: string;
	readonly nextMaintenance: string;
	/** Of any account: the totals of the chain are in it. */
	readonly resources: string;
	readonly burnt: string;
	/** Its number; 0: there is none. */
	readonly newestExchange: bigint;
}

/** Tokens of a fork get numbers from here on: how many the network has isn't told. */
const TOKENS_FROM = 2_000_000n;

/** Large enough to tell a unit by. */
const LARGE = 1_000_000_000n;

/** @param head after whose state the fork begins @throws {Error} if an answer can't be read */
export function propertiesOf(head: SignedBlock, answers: PropertyAnswers): ReadonlyMap<string, Uint8Array> {
	const found = new Map<string, Uint8Array>();
	const set = (name: PropertyName, value: bigint): void => {
		found.set(propertyKey(name), be64(value));
	};
	const { chainParameter } = messageIn(ChainParameters, answers.parameters);
	const values = new Map(chainParameter.map(({ key, value }) => [toNeutral(key), value]));
	const granted = new Set<number>();
	for (const { getter, property, id, report } of chainParameters) {
		const value = values.get(getter);
		if (value === undefined) continue;
		// One is reported in another unit than it is stored in.
		set(property, value * (LARGE / report(LARGE, { proposalExpireMs: 0n })));
		if (value !== 0n && id !== undefined) for (const type of typesGrantedBy(Number(id))) granted.add(type);
	}
	for (const [name, always] of [
		["AVAILABLE_CONTRACT_TYPE", ["genesis", "permissions"]],
		["ACTIVE_DEFAULT_OPERATIONS", ["genesis"]],
	] as const) {
		const isOn = ({ id, granted: by }: (typeof contractTypes)[number]): boolean =>
			granted.has(id) || always.some((one) => one === by);
		found.set(propertyKey(name), operationsMask(isOn));
	}
	const resources = messageIn(AccountResourceMessage, answers.resources);
	set("TOTAL_NET_WEIGHT", resources.TotalNetWeight);
	set("TOTAL_ENERGY_WEIGHT", resources.TotalEnergyWeight);
	set("TOTAL_COIN_POWER_WEIGHT", resources.TotalCoinPowerWeight);
	set("NEXT_MAINTENANCE_TIME", messageIn(NumberMessage, answers.nextMaintenance).num);
	set("latest_block_header_number", head.number);
	set("latest_block_header_timestamp", head.timestampMs);
	set("LATEST_SOLIDIFIED_BLOCK_NUM", head.number);
	set("TOKEN_ID_NUM", TOKENS_FROM);
	set("LATEST_EXCHANGE_NUM", answers.newestExchange);
	set("BURN_COIN_AMOUNT", burntOf(answers.burnt));
	set("SET_BLACKHOLE_ACCOUNT_PERMISSION", 1n);
	found.set(propertyKey("latest_block_header_hash"), head.id);
	// The producers of today make blocks of versions that have passed.
	for (const { version } of forkTable) {
		if (version <= head.raw.version) found.set(`FORK_VERSION_${version}`, Uint8Array.of(1));
	}
	return found;
}

/** The key of the list of active witnesses. */
export const ACTIVE_WITNESSES = Buffer.from(utf8("active_witnesses")).toString("latin1");

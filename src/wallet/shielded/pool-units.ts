/** Amounts of a pool: notes count in steps of the contract's scaling factor, people in the token's decimals. */

import { toBase58Check } from "../../protocol/address.js";
import { MAX_INT64 } from "../../protocol/int64.js";
import { Failure, onRefusal } from "../failure.js";
import type { NodeClient } from "../node/node-client.js";
import { Orc20 } from "../token/orc20.js";
import { decimalsOf, fetchToken, tokenSymbol } from "../token/token.js";
import { checkStated, type NodesWord, nodesDecimals, withoutSymbol } from "../token/token-amount.js";
import { formatDecimal, parseTokenAmount } from "../values/amount.js";
import type { Pool } from "./pool.js";
import { ShieldedContract } from "./shielded-contract.js";

/** Notes hold less than this. */
const MOST = MAX_INT64 - 1n;

export class PoolUnits {
	constructor(
		/** Smallest units of the token in one of a note. */
		readonly factor: bigint,
		/** Id or contract of the token; undefined where the pool's contract doesn't tell. */
		readonly token: string | undefined,
		private readonly decimals: number | undefined,
		private readonly symbol: string | undefined,
	) {}

	/** Smallest units of the token. @param value of notes */
	raw(value: bigint): bigint {
		return value * this.factor;
	}

	/** An amount for people. @param value of notes */
	text(value: bigint): string {
		const raw = this.raw(value);
		if (this.decimals === undefined) return `${raw}raw`;
		return `${formatDecimal(raw, this.decimals)}${this.symbol === undefined ? "" : ` ${this.symbol}`}`;
	}

	/**
	 * What such an amount rests on that only the node says (`nodesWord` of a plan).
	 * @param stated decimals as the user says
	 * @throws {Failure} `bad_value` if the node says otherwise
	 */
	nodesWord(text: string, stated: number | undefined): readonly NodesWord[] {
		const { token: id = "", decimals } = this;
		checkStated(`token ${id}`, decimals, stated);
		return nodesDecimals({ id, decimals, isStated: stated !== undefined }, text);
	}

	/**
	 * Reads an amount in the token's decimals, with its symbol or without, or in smallest units as `<n>raw`.
	 * @returns in units of notes
	 * @throws {Failure} `bad_value`, also if no note can hold exactly this
	 */
	read(text: string): bigint {
		const bare = withoutSymbol({ id: this.token ?? "", symbol: this.symbol }, text);
		const raw = parseTokenAmount(bare, this.decimals, MOST * this.factor);
		if (raw === 0n) throw new Failure("bad_value", "the amount is zero");
		if (raw % this.factor !== 0n)
			throw new Failure(
				"bad_value",
				`"${text}" can't be in notes: they hold multiples of ${this.text(1n)} (scaling factor ${this.factor})`,
			);
		return raw / this.factor;
	}
}

/**
 * The units of a pool.
 * @param token contract of the ORC-20 token, where the pool's contract doesn't tell it
 * @throws {Failure} `not_found` if there is no such pool
 */
export async function unitsOf(client: NodeClient, pool: Pool, token?: Uint8Array): Promise<PoolUnits> {
	// Tokens that don't describe themselves are counted in their smallest units.
	const unknown = onRefusal(undefined, "not_found");
	if (pool.kind === "native") {
		const known = await fetchToken(client, pool.tokenId).catch(unknown);
		return new PoolUnits(1n, pool.tokenId, known && decimalsOf(known), known && tokenSymbol(known));
	}
	const contract = new ShieldedContract(client, pool.contract);
	const factor = await contract.scalingFactor();
	const address = token ?? (await contract.token());
	const described = address && (await new Orc20(client, address).describe().catch(unknown));
	const name = address && toBase58Check(address);
	return new PoolUnits(factor, name, described?.decimals, described?.symbol);
}

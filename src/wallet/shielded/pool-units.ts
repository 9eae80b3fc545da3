/** Converts between units of notes (the contract's scaling factor) and decimals of the token. */

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

/** Upper bound of a note's value. */
const MOST = MAX_INT64 - 1n;

export class PoolUnits {
	constructor(
		/** Smallest units of the token per unit of a note. */
		readonly factor: bigint,
		/** Id or contract of the token; undefined if the pool's contract doesn't provide it. */
		readonly token: string | undefined,
		private readonly decimals: number | undefined,
		private readonly symbol: string | undefined,
	) {}

	/** Converts to smallest units of the token. @param value in units of notes */
	raw(value: bigint): bigint {
		return value * this.factor;
	}

	/** Formats an amount for people. @param value in units of notes */
	text(value: bigint): string {
		const raw = this.raw(value);
		if (this.decimals === undefined) return `${raw}raw`;
		return `${formatDecimal(raw, this.decimals)}${this.symbol === undefined ? "" : ` ${this.symbol}`}`;
	}

	/**
	 * The parts of an amount's meaning that only the node vouches for (`nodesWord` of a plan).
	 * @param stated decimals as given by the user
	 * @throws {Failure} `bad_value` if the node contradicts the user
	 */
	nodesWord(text: string, stated: number | undefined): readonly NodesWord[] {
		const { token: id = "", decimals } = this;
		checkStated(`token ${id}`, decimals, stated);
		return nodesDecimals({ id, decimals, isStated: stated !== undefined }, text);
	}

	/**
	 * Reads an amount in the token's decimals, with or without its symbol, or in smallest units as `<n>raw`.
	 * @returns units of notes
	 * @throws {Failure} `bad_value`, also if the amount isn't a whole number of these units
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
 * Fetches the units of a pool.
 * @param token contract of the ORC-20 token, if the pool's contract doesn't provide it
 * @throws {Failure} `not_found` if there is no such pool
 */
export async function unitsOf(client: NodeClient, pool: Pool, token?: Uint8Array): Promise<PoolUnits> {
	// Tokens without metadata are counted in their smallest units.
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

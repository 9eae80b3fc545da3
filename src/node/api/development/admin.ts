/** The administration paths that existing tools expect of a development chain (protocol/development-chain §4.2). */

import { toHex } from "../../../protocol/bytes.js";
import { type Dialect, spell } from "../../../protocol/dialect.js";
import { SUN_PER_COIN } from "../../../protocol/int64.js";
import { type AccountBatch, type AddressFormat, accountListing } from "../../development/accounts.js";
import type { DevelopmentControl } from "../../development/control.js";
import { JSON_TYPE } from "../http-answer.js";

export const TEXT_TYPE = "text/plain; charset=utf-8";

export interface AdminAnswer {
	readonly status: number;
	readonly type: string;
	readonly text: string;
}

interface AdminContext {
	readonly control: DevelopmentControl;
	readonly dialect: Dialect;
	/** Lines describing the settings in effect. */
	readonly describe: () => readonly string[];
}

const MAX_BATCH = 1000;
const DEFAULT_COUNT = 10;
const DEFAULT_COINS = 10_000;

const text = (lines: readonly string[]): AdminAnswer => ({
	status: 200,
	type: TEXT_TYPE,
	text: `${lines.join("\n")}\n`,
});

const refused = (message: string): AdminAnswer => ({
	status: 400,
	type: JSON_TYPE,
	text: `${JSON.stringify({ Error: message })}\n`,
});

/** @param path below `/admin`, without a slash at its beginning; undefined: there is no such path */
export async function answerAdmin(
	context: AdminContext,
	path: string,
	query: URLSearchParams,
): Promise<AdminAnswer | undefined> {
	const { control, dialect } = context;
	const unit = spell("COIN", dialect);
	switch (path) {
		case "":
			return text(context.describe());
		case "accounts": {
			const format = readFormat(query.get("format"));
			const { primary, more } = control.book;
			return text([primary, ...more].flatMap((batch) => accountListing(batch, unit, format)));
		}
		case "accounts-json": {
			const { primary, more } = control.book;
			return {
				status: 200,
				type: JSON_TYPE,
				text: `${JSON.stringify({
					...batchJson(primary),
					usingDefaultPrivateKey: false,
					privateKeys: keysOf(primary),
					more: more.map((batch) => ({ ...batchJson(batch), privateKeys: keysOf(batch) })),
				})}\n`,
			};
		}
		case "temporary-accounts-generation": {
			const count = readCount(query.get("accounts"), DEFAULT_COUNT, MAX_BATCH);
			const coins = readCount(query.get("defaultBalance"), DEFAULT_COINS, 1_000_000_000);
			if (count === undefined) return refused(`accounts should between [1, ${MAX_BATCH}]`);
			if (coins === undefined) return refused("defaultBalance should between [1, 1000000000]");
			const batch = await control.addAccounts(count, BigInt(coins) * SUN_PER_COIN);
			return text(accountListing(batch, unit));
		}
		case "accounts-generation":
			await control.fundAccounts();
			return { status: 200, type: TEXT_TYPE, text: "" };
		case "set-env":
			// Scripts switch a log of requests on and off, which this chain doesn't have.
			return text(["Environment variable updated"]);
		default:
			return undefined;
	}
}

function batchJson({ hdPath, mnemonic }: AccountBatch): object {
	return { hdPath, mnemonic };
}

function keysOf({ accounts }: AccountBatch): string[] {
	return accounts.map(({ privateKey }) => toHex(privateKey));
}

function readFormat(format: string | null): AddressFormat {
	return format === "hex" || format === "all" ? format : "base58";
}

function readCount(value: string | null, otherwise: number, most: number): number | undefined {
	if (value === null || value === "") return otherwise;
	const count = /^\d{1,10}$/.test(value) ? Number(value) : 0;
	return count >= 1 && count <= most ? count : undefined;
}

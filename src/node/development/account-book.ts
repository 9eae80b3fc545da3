/** The funded accounts of a development chain: those of its start, and batches that are asked for later (protocol/development-chain §4.2). */

import { toBase58Check } from "../../protocol/address.js";
import { toHex, utf8 } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import { type DevelopmentAccount, deriveAccounts } from "./accounts.js";

/** Accounts with the mnemonic that their keys come from. */
export interface AccountBatch {
	readonly accounts: readonly DevelopmentAccount[];
	readonly mnemonic: string;
	/** Path of the keys, without the account's index: `m/44'/195'/0'/0/`. */
	readonly hdPath: string;
}

export class AccountBook {
	private batches: AccountBatch[] = [];

	constructor(readonly primary: AccountBatch) {}

	/** Batches that were made later, oldest first. */
	get more(): readonly AccountBatch[] {
		return this.batches;
	}

	/** Derives the next batch: the same on every run. It still has to be funded, and added. */
	async nextBatch(count: number, balanceSun: bigint): Promise<AccountBatch> {
		const { entropyToMnemonic } = await import("@scure/bip39");
		const { wordlist } = await import("@scure/bip39/wordlists/english.js");
		const seed = `coin development batch ${this.batches.length + 1} of ${this.primary.mnemonic}`;
		const mnemonic = entropyToMnemonic(sha256(utf8(seed)).subarray(0, 16), wordlist);
		const { hdPath } = this.primary;
		return { accounts: deriveAccounts(mnemonic, hdPath, count, balanceSun), mnemonic, hdPath };
	}

	add(batch: AccountBatch): void {
		this.batches.push(batch);
	}

	/** Forgets all batches but the first few: the chain went back to before they were. */
	keep(count: number): void {
		this.batches.length = Math.min(this.batches.length, count);
	}
}

/** How addresses are written: one form, or both. */
export type AddressFormat = "base58" | "hex" | "all";

/** The listing of accounts, keys, mnemonic and path, line by line. @param unit the coin's name */
export function accountListing(
	{ accounts, mnemonic, hdPath }: AccountBatch,
	unit: string,
	format: AddressFormat = "base58",
): string[] {
	const amount = (sun: bigint): string => {
		const digits = (sun % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
		return `(${sun / 1_000_000n}${digits === "" ? "" : `.${digits}`} ${unit})`;
	};
	const name = (address: Uint8Array): string => {
		if (format === "hex") return toHex(address);
		return format === "all" ? `${toBase58Check(address)} ${toHex(address)}` : toBase58Check(address);
	};
	return [
		...titled("Available Accounts"),
		...accounts.map(({ address, balanceSun }, index) => `(${index}) ${name(address)} ${amount(balanceSun)}`),
		...titled("Private Keys"),
		...accounts.map(({ privateKey }, index) => `(${index}) ${toHex(privateKey)}`),
		...titled("HD Wallet"),
		`Mnemonic:      ${mnemonic}`,
		`Base HD Path:  ${hdPath}{account_index}`,
	];
}

function titled(title: string): string[] {
	return ["", title, "=".repeat(title.length), ""];
}

/** What a development chain prints at its start: accounts, keys, addresses of the servers (sheet 11 §8.2). */

import { toBase58Check } from "../protocol/address.js";
import { toHex } from "../protocol/bytes.js";
import { spell } from "../protocol/dialect.js";
import { addressOfPrivateKey } from "../protocol/signature.js";
import { formatCoin } from "../wallet/amount.js";
import type { ChosenDevelopment } from "./development-options.js";

/** The listing, line by line. @param dataDirectory undefined: in memory */
export function developmentListing(
	chosen: ChosenDevelopment,
	genesisId: string,
	dataDirectory: string | undefined,
): string[] {
	const { options, mnemonic, hdPath } = chosen;
	const amount = (sun: bigint): string => {
		const text = formatCoin(sun);
		return `(${text.slice(0, -4)} ${spell("coin", options.dialect)})`;
	};
	const sealing =
		typeof options.seal === "string" ? options.seal : `every ${options.seal.intervalMs / 1000} s`;
	return [
		`Development chain ${genesisId}, chain id 0x${genesisId.slice(-8)}, sealing: ${sealing}, state: ${dataDirectory ?? "memory"}`,
		...titled("Available Accounts"),
		...options.accounts.map(
			({ address, balanceSun }, index) => `(${index}) ${toBase58Check(address)} ${amount(balanceSun)}`,
		),
		...titled("Private Keys"),
		...options.accounts.map(({ privateKey }, index) => `(${index}) ${toHex(privateKey)}`),
		...titled("HD Wallet"),
		`Mnemonic:      ${mnemonic}`,
		`Base HD Path:  ${hdPath}{account_index}`,
		"",
		`Producer: ${toBase58Check(addressOfPrivateKey(options.producerKey))}`,
		"never use these keys on a public network",
	];
}

function titled(title: string): string[] {
	return ["", title, "=".repeat(title.length), ""];
}

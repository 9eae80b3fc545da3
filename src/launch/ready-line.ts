/** The line that reports that a node is ready, with the address of each of its ports in the form that clients use. */

import { accountListing, defaultProducerKey } from "../node/development/accounts.js";
import { addressText } from "../node/network/environment.js";
import { toBase58Check } from "../protocol/address.js";
import { equalBytes, toHex } from "../protocol/bytes.js";
import { spell } from "../protocol/dialect.js";
import { addressOfPrivateKey } from "../protocol/signature.js";
import type { ChosenDevelopment } from "./development-options.js";

/** Address prefixes of ports that don't serve HTTP. */
const SCHEMES: Readonly<Record<string, string>> = { peer: "", grpc: "", events: "tcp://" };

/** @param ports by kind: full, solidity, jsonrpc, grpc, grpcSolidity, peer, events, gateway and so on */
export function readyLine(ports: Readonly<Record<string, number | undefined>>, host: string): string {
	const shown = Object.entries(ports).flatMap(([kind, port]) => {
		if (port === undefined) return [];
		const scheme = SCHEMES[kind.startsWith("grpc") ? "grpc" : kind] ?? "http://";
		const path = kind.startsWith("jsonrpc") ? "/jsonrpc" : "";
		return [`${kind} ${scheme}${addressText({ host, port })}${path}`];
	});
	return `coin node ready ${shown.join("  ")}`;
}

// What a development chain prints at its start: accounts, keys, addresses of the servers (protocol/development-chain §1.2).

/** Shows the producer's key if it is the well-known default; one from a file is never shown. */
function publicKeyNote(key: Uint8Array): string {
	return equalBytes(key, defaultProducerKey()) ? `  key ${toHex(key)}` : "";
}

/** Notes that the unstaking delay is shorter than the chain parameter. */
const unstakeDelayNote = (delayMs: bigint | undefined): string[] =>
	delayMs === undefined
		? []
		: [`unstaked coins wait ${Number(delayMs) / 1000} s (--unstake-delay), whatever unfreezeDelayDays says`];

/** The lines of the listing. @param dataDirectory undefined if the chain is in memory */
export function developmentListing(
	chosen: ChosenDevelopment,
	genesisId: string,
	dataDirectory: string | undefined,
): string[] {
	const { options, mnemonic, hdPath } = chosen;
	const sealing =
		typeof options.seal === "string" ? options.seal : `every ${options.seal.intervalMs / 1000} s`;
	return [
		`Development chain ${genesisId}, chain id 0x${genesisId.slice(-8)}, sealing: ${sealing}, state: ${dataDirectory ?? "memory"}`,
		...accountListing({ accounts: options.accounts, mnemonic, hdPath }, spell("coin", options.dialect)),
		"",
		`Producer: ${toBase58Check(addressOfPrivateKey(options.producerKey))}${publicKeyNote(options.producerKey)}`,
		...unstakeDelayNote(options.unstakeDelayMs),
		"never use these keys on a public network",
	];
}

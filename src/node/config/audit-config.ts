/** `node.audit`: another node of the network with which this one compares itself (ours). */

import type { Settings } from "./settings.js";

/** Where the other node is, and how much is asked of it. */
export interface AuditConfig {
	/** Base URLs without a slash at the end. */
	readonly against: string;
	readonly solidity: string | undefined;
	readonly jsonrpc: string | undefined;
	/** Of what a block touched, from 0 to 1. */
	readonly sample: number;
	/** Requests a second. */
	readonly rate: number;
}

/** @returns undefined: it isn't asked for @throws {ConfigError} */
export function readAudit(settings: Settings): AuditConfig | undefined {
	const url = (
		key: "node.audit.against" | "node.audit.solidity" | "node.audit.jsonrpc",
	): string | undefined => {
		const text = settings.get(key);
		if (text === undefined) return undefined;
		const parsed = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
		if (parsed?.username !== "" || parsed.password !== "")
			throw settings.refuse(key, "must be an address such as http://192.0.2.7:8090, without a user");
		return text.replace(/\/+$/, "");
	};
	const [against, solidity, jsonrpc] = [
		url("node.audit.against"),
		url("node.audit.solidity"),
		url("node.audit.jsonrpc"),
	];
	const sample = settings.get("node.audit.sample");
	if (!(sample >= 0 && sample <= 1)) throw settings.refuse("node.audit.sample", "must be from 0 to 1");
	const rate = settings.get("node.audit.rate");
	if (against === undefined) return undefined;
	if (!settings.get("node.http.fullNodeEnable")) {
		throw settings.refuse(
			"node.audit.against",
			"needs node.http.fullNodeEnable: both nodes are asked over HTTP",
		);
	}
	return { against, solidity, jsonrpc, sample, rate };
}

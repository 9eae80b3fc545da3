/** Calls a node's JSON-RPC API (protocol/json-rpc). */

import { machineOf, type Settings } from "../configuration/settings.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member, plainText, readJson, writeWireJson } from "../json.js";
import type { NodeClient } from "./node-client.js";

/** The most characters that are kept of a node's error message. */
const MAX_MESSAGE = 1_000;

/** URL of the node's JSON-RPC: its own, or else that of its gateway or of the node itself. @throws {Failure} `usage` */
export function jsonRpcUrl({ jsonrpc, gateway, http, profile }: Settings): string {
	if (jsonrpc !== undefined) return jsonrpc;
	// A gateway on another machine may be another chain's.
	const isIts = gateway !== undefined && (http === undefined || machineOf(gateway) === machineOf(http));
	const base = isIts ? gateway : http;
	if (base === undefined) throw new Failure("usage", `the profile "${profile}" has no jsonrpc address`);
	return withPath(base);
}

const withPath = (base: string): string => (/\/jsonrpc$/.test(base) ? base : `${base}/jsonrpc`);

/** JSON-RPC URL of a node that is given only by its address. @throws {Failure} `usage` */
export function jsonRpcUrlOf(address: string): string {
	if (!/^https?:\/\//.test(address) || !URL.canParse(address))
		throw new Failure("usage", `${address} is not an address, such as http://127.0.0.1:8545`);
	return /\/jsonrpc\/?$/.test(new URL(address).pathname) ? address : `${address.replace(/\/$/, "")}/jsonrpc`;
}

/** URL for a development chain's own methods: its gateway, or else its JSON-RPC. */
export function developmentUrl(settings: Settings): string {
	return settings.gateway === undefined ? jsonRpcUrl(settings) : withPath(settings.gateway);
}

/**
 * Calls a method with positional parameters.
 * @throws {Failure} `not_served` if the node doesn't know the method; `rpc_error` with its code for any other refusal
 */
export async function callJsonRpc(
	client: NodeClient,
	method: string,
	params: readonly unknown[],
	url = jsonRpcUrl(client.settings),
): Promise<Json> {
	const answer = await client.send({
		method: "POST",
		url,
		isReading: /^(coin_(get|simulate)|debug_trace|eth_(call|get(?!Filter)))/.test(method),
		body: writeWireJson({ jsonrpc: "2.0", id: 1, method, params }),
	});
	const { host } = new URL(url);
	if (answer.status !== 200) {
		throw new Failure("not_served", `${host} serves no JSON-RPC there (status ${answer.status})`, {
			hint: `nodes of a network serve it on a port of its own, mostly 8545: coin profile set ${client.settings.profile} jsonrpc=http://<host>:8545/jsonrpc, or the same of another profile`,
		});
	}
	let json: Json;
	try {
		json = readJson(Buffer.from(answer.body).toString("utf8"));
	} catch {
		throw new Failure("rpc_error", `${host} answered ${method} with something else than JSON`);
	}
	if (!isRecord(json)) throw new Failure("rpc_error", `${host} answered ${method} with no JSON object`);
	const { error, result } = json;
	if (!isRecord(error)) return result ?? null;
	const code = plainText(member(error, "code"));
	const message = plainText(member(error, "message")).slice(0, MAX_MESSAGE);
	throw new Failure(code === "-32601" ? "not_served" : "rpc_error", `${method}: ${message}`, {
		node: { code, message },
	});
}

/**
 * Simulates one transaction on the state after the head block with `coin_simulate` (protocol/json-rpc §17.4).
 * @param transaction an element of the request's `transactions`
 * @param options the request's members other than `blocks`
 * @returns the node's result for the transaction, unchecked; undefined if it offers no simulation, or refuses the request
 */
export async function simulatedOutcome(
	client: NodeClient,
	transaction: object,
	options: object,
): Promise<JsonRecord | undefined> {
	const first = (list: Json | undefined): Json | undefined =>
		Array.isArray(list) ? (list as readonly Json[])[0] : undefined;
	try {
		const blocks = [{ transactions: [transaction] }];
		const block = first(await callJsonRpc(client, "coin_simulate", [{ ...options, blocks }]));
		const outcome = isRecord(block) ? first(member(block, "transactions")) : undefined;
		return isRecord(outcome) ? outcome : undefined;
	} catch (error) {
		if (error instanceof Failure) return undefined;
		throw error;
	}
}

/** Reads a quantity of a response. @throws {Failure} */
export function quantityOf(value: Json | undefined): bigint {
	if (typeof value === "bigint") return value;
	if (typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value);
	throw new Failure("rpc_error", "the node's answer holds no number where one belongs");
}

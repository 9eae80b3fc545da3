/** `coin rpc` with the name of a gRPC method: its table, request and response (protocol/command-line §5). */

import { toDeployed, toNeutral } from "../../protocol/dialect.js";
import { headersFor, type Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord, member, readJson } from "../../wallet/json.js";
import {
	callGrpc,
	type GrpcMethod,
	grpcAddress,
	grpcMethodNamed,
	grpcMethods,
	grpcPath,
	jsonOfMessage,
	messageOfJson,
	plainGrpcName,
	requestFields,
} from "../../wallet/node/grpc-call.js";
import { RequestBody } from "../../wallet/node/raw-call.js";
import { nearest } from "../../wallet/values/suggestion.js";
import { printLine, tableLines } from "../output/output.js";
import type { RpcWords } from "./rpc-words.js";

interface GrpcOutcome {
	/** JSON text, or the encoded message. */
	readonly output: string | Uint8Array;
	/** Whether the response reports an error. */
	readonly refused: boolean;
}

/** Finds the method given by the words. @throws {Failure} `usage` with similar names */
export function methodOf(words: RpcWords): GrpcMethod {
	const name = words.name ?? "";
	const method = grpcMethodNamed(name, words.switches.has("solidity") ? "WalletSolidity" : "Wallet");
	if (method) return method;
	// Methods of the service Wallet are listed without the service.
	const plain = plainGrpcName(toNeutral(name)).replace(/^Wallet\//, "");
	const elsewhere = grpcMethods
		.filter((known) => known.name.endsWith(`/${plain}`))
		.map((known) => known.name);
	const near =
		elsewhere.length > 0
			? elsewhere
			: nearest(
					plain,
					grpcMethods.map((known) => known.name),
				);
	throw new Failure("usage", `there is no gRPC method ${name} in the table`, {
		hint: near.length > 0 ? `near it: ${near.join(", ")}` : "coin rpc --list --grpc lists them",
	});
}

/**
 * Calls the method.
 * @param data the body; if undefined, only the fields are sent
 * @param visible whether addresses are in Base58 and texts as text, in request and response
 */
export async function sendGrpc(
	words: RpcWords,
	settings: Settings,
	data: string | undefined,
	visible: boolean,
	headers: Readonly<Record<string, string>>,
	warn: (message: string) => void,
): Promise<GrpcOutcome> {
	const method = methodOf(words);
	const body = new RequestBody(requestFields(method), visible, words.switches.has("exact"));
	for (const { name, value, free } of words.fields) {
		if (free) body.addFree(name, value);
		else body.add(name, value);
	}
	for (const warning of body.warnings(method.name, data)) warn(warning);
	const request = messageOfJson(method.request, body.over(data), visible);
	const address = grpcAddress(settings, method.service, words.values.node);
	const path = grpcPath(method, settings.dialect);
	const all = { ...headersFor(settings, address), ...headers };
	const bytes = await callGrpc(address, path, request, settings.timeoutMs, all);
	const answer = method.response.decode(bytes);
	const json = jsonOfMessage(method.response, answer, {
		visible,
		dialect: settings.dialect,
		postQuantum: true,
	});
	return {
		output: words.switches.has("binary") ? bytes : `${json}\n`,
		refused: isRefusedReturn(method.response.typeName, json),
	};
}

/** Whether a Return, by itself or inside a response with a transaction, reports an error. */
function isRefusedReturn(typeName: string, json: string): boolean {
	const answer = readJson(json);
	if (!isRecord(answer)) return false;
	if (typeName === "protocol.Return") return member(answer, "result") !== true;
	const result = member(answer, "result");
	if (!isRecord(result)) return false;
	const code = member(result, "code");
	return code !== undefined && code !== "SUCCESS" && code !== "NOT_ENOUGH_PERMISSION";
}

/** Prints a method's request, for `--table` and `--help`. */
export function printGrpcMethod(method: GrpcMethod): void {
	const { name, service, request, response } = method;
	printLine(`${name}: ${shortName(request.typeName)} to ${shortName(response.typeName)}`);
	const deployed = toDeployed(method.method);
	const other = deployed === method.method ? "" : `, also called ${deployed}`;
	printLine(`served by gRPC, service ${service}${other}`);
	for (const line of tableLines(requestFields(method), ["name", "type"], "no fields")) printLine(line);
}

/** Rows of `--list`. */
export function grpcRows(): { name: string; servers: string; fields: string; about: string }[] {
	return grpcMethods.map((method) => ({
		name: method.name,
		servers: `grpc ${method.service}`,
		fields: requestFields(method)
			.map((field) => field.name)
			.join(","),
		about: `answers ${shortName(method.response.typeName)}`,
	}));
}

function shortName(typeName: string): string {
	return typeName.replace(/^protocol\./, "");
}

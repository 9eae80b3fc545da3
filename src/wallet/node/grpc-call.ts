/** One unary gRPC call: bytes in, bytes out (protocol/command-line §5.2). */

import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { SignedBlock } from "../../protocol/block.js";
import {
	type FieldDescriptor,
	getField,
	type Message,
	type MessageType,
} from "../../protocol/codec/descriptor.js";
import { type Dialect, spell, toNeutral } from "../../protocol/dialect.js";
import { services } from "../../protocol/generated/services.js";
import { NamedError } from "../../protocol/json/exceptions.js";
import { decodeFields } from "../../protocol/json/field-decoder.js";
import type { Member } from "../../protocol/json/map-ordered-json.js";
import { type JsonStyle, mapOrderedMessageWith, printMessage } from "../../protocol/json/message-writer.js";
import { blockJson, transactionJson } from "../../protocol/json/transaction-json.js";
import { packTransaction } from "../../protocol/json/transaction-packing.js";
import { Block, Transaction } from "../../protocol/messages.js";
import { SignedTransaction } from "../../protocol/transaction.js";
import type { Settings } from "../configuration/settings.js";
import { Failure } from "../failure.js";
import type { EndpointField } from "./raw-call.js";

// A node's gRPC methods by the names that users type, in either spelling (protocol/command-line §5.1).

/** A method of a service. */
export interface GrpcMethod {
	readonly service: string;
	readonly method: string;
	/** The name to type: just the method for the service Wallet, else preceded by the service. */
	readonly name: string;
	readonly request: MessageType<Message>;
	readonly response: MessageType<Message>;
}

/** Services that nodes provide; the schema's other services belong to other programs. */
const SERVED = ["Wallet", "WalletSolidity", "WalletExtension", "Database", "Monitor"] as const;

/** Every method, those of Wallet first. */
export const grpcMethods: readonly GrpcMethod[] = SERVED.flatMap((service) =>
	Object.entries(services[service]).map(([method, { request, response }]) => ({
		service,
		method,
		name: service === "Wallet" ? method : `${service}/${method}`,
		request,
		response,
	})),
);

/** Normalizes a name as other tools write it: `protocol.Wallet.GetAccount` becomes `Wallet/GetAccount`. */
export function plainGrpcName(name: string): string {
	return name.replace(/^protocol\./, "").replace(".", "/");
}

/** Finds a method. @param service the service of names without one */
export function grpcMethodNamed(
	name: string,
	service: "Wallet" | "WalletSolidity" = "Wallet",
): GrpcMethod | undefined {
	const neutral = plainGrpcName(toNeutral(name));
	const full = neutral.includes("/") ? neutral : `${service}/${neutral}`;
	return grpcMethods.find((known) => `${known.service}/${known.method}` === full);
}

/** Fields of a method's request, with types named as in the table of HTTP endpoints. */
export function requestFields({ request }: GrpcMethod): EndpointField[] {
	return request.fields.map((field) => ({
		name: field.name,
		type: typeOf(field),
		descriptor: field,
	}));
}

function typeOf(field: FieldDescriptor): string {
	const type = field.message?.().typeName ?? field.enumeration?.typeName ?? field.kind;
	const short = type.replace(/^protocol\./, "");
	if (field.label === "map") return `map of ${short}`;
	return field.label === "repeated" ? `${short}[]` : short;
}

// gRPC messages in the JSON form of the HTTP API (protocol/command-line §5.2), in both directions.

type AnyType = MessageType<Message>;

/** Encodes a message given as JSON. @throws {Failure} `bad_value` with the path of what doesn't match */
export function messageOfJson(type: AnyType, text: string, visible: boolean): Uint8Array {
	try {
		const isTransaction = type === Transaction;
		return isTransaction
			? Transaction.encode(packTransaction(text, visible).message)
			: type.encode(decodeFields(type, text, visible));
	} catch (error) {
		if (!(error instanceof NamedError)) throw error;
		const why = error.text ?? "a member is missing or no value of its kind";
		throw new Failure("bad_value", `the request is not a ${type.typeName}: ${why}`);
	}
}

/** A decoded message as JSON; transactions and blocks in it as in the HTTP API, with ids and readable contracts. */
export function jsonOfMessage(type: AnyType, message: Readonly<Message>, style: JsonStyle): string {
	if (type === Transaction) {
		const transaction = message as Readonly<Transaction>;
		return transaction.raw_data ? transactionJson(new SignedTransaction(transaction), style) : "{}";
	}
	if (type === Block) {
		const block = message as Readonly<Block>;
		return block.block_header ? blockJson(new SignedBlock(block), style) : "{}";
	}
	const members = type.fields.flatMap((field): Member[] => {
		const inner = field.message?.();
		const value = getField(message, field.name);
		if (!inner || field.label === "map" || value === undefined || !holdsTransactions(inner)) return [];
		if (field.label === "singular") return [[field.name, jsonOfMessage(inner, value as Message, style)]];
		const items = (value as readonly Message[]).map((item) => jsonOfMessage(inner, item, style));
		return items.length === 0 ? [] : [[field.name, `[${items.join(",")}]`]];
	});
	return members.length > 0
		? mapOrderedMessageWith(type, message, style, members)
		: printMessage(type, message, style);
}

/** Whether a message is, or directly contains, a transaction or a block. */
function holdsTransactions(type: AnyType): boolean {
	const isOne = (known: AnyType): boolean => known === Transaction || known === Block;
	return isOne(type) || type.fields.some((field) => field.message !== undefined && isOne(field.message()));
}

const asIs = (bytes: Buffer): Buffer => bytes;

/** Limit in bytes of a response; the library's default of 4 MB is too small for a hundred full blocks. */
const MAX_ANSWER = 256 << 20;
const OPTIONS = { "grpc.max_receive_message_length": MAX_ANSWER };

/** Request path of a method, in the spelling of a node. */
export function grpcPath({ service, method }: GrpcMethod, dialect: Dialect): string {
	return `/protocol.${service}/${spell(method, dialect)}`;
}

/**
 * Address of a gRPC server: that of the flag, else of the profile.
 * @param given `host:port`, optionally preceded by `http://` for plain text or `https://` for TLS
 * @throws {Failure} `usage` naming the configuration key that is missing
 */
export function grpcAddress(settings: Settings, service: string, given: string | undefined): string {
	const key = service === "WalletSolidity" ? "grpcSolidity" : "grpc";
	const address = given ?? settings[key];
	if (address === undefined) {
		throw new Failure("usage", `the profile "${settings.profile}" has no ${key} address`, {
			hint: `name the server with --node <host>:<port>, or set profiles.${settings.profile}.${key}`,
		});
	}
	return address;
}

/**
 * Calls a method.
 * @param headers metadata of the call
 * @throws {Failure} `network`, `timeout`, `not_served`; `rpc_error` with the status for any other refusal
 */
export async function callGrpc(
	address: string,
	path: string,
	request: Uint8Array,
	timeoutMs: number,
	headers: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
	const isTls = /^https:\/\//i.test(address);
	const target = address.replace(/^https?:\/\//i, "").replace(/\/+$/, "");
	const metadata = new Metadata();
	for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
	const client = new Client(target, isTls ? credentials.createSsl() : credentials.createInsecure(), OPTIONS);
	try {
		return await new Promise((resolve, reject) => {
			const deadline = Date.now() + timeoutMs;
			client.makeUnaryRequest(
				path,
				asIs,
				asIs,
				Buffer.from(request),
				metadata,
				{ deadline },
				(error, answer) => {
					if (error) reject(refusal(error, target, path, timeoutMs));
					else resolve(answer ?? new Uint8Array(0));
				},
			);
		});
	} finally {
		client.close();
	}
}

function refusal({ code, details }: ServiceError, target: string, path: string, timeoutMs: number): Failure {
	const name = status[code] ?? String(code);
	const node = { code: name, message: details };
	switch (code) {
		case status.DEADLINE_EXCEEDED:
			return new Failure("timeout", `no answer from ${target} within ${timeoutMs} ms`, {
				hint: "--timeout allows more",
			});
		case status.UNAVAILABLE:
			return /^this API is /.test(details)
				? new Failure("not_served", `${target} doesn't serve ${path}: ${details}`, { node })
				: new Failure("network", `no gRPC server answers at ${target}`, {
						hint: "is the node running, and is this its gRPC port?",
						node,
					});
		case status.UNIMPLEMENTED:
			return new Failure("not_served", `${target} doesn't serve ${path}`, { node });
		case status.RESOURCE_EXHAUSTED:
			if (/^Received message/.test(details)) {
				return new Failure("rpc_error", `the answer of ${target} is longer than ${MAX_ANSWER >> 20} MiB`, {
					node,
				});
			}
			return new Failure("rate_limited", `${target} limits the rate of requests`, { node });
		default:
			return new Failure("rpc_error", `${path}: ${details === "" ? name : details}`, { node });
	}
}

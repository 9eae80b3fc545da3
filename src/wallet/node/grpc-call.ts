/** One unary gRPC call: bytes in, bytes out (protocol/command-line §5.2). */

import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import type { Dialect } from "../../protocol/dialect.js";
import { spell } from "../../protocol/dialect.js";
import type { Settings } from "../configuration/settings.js";
import { Failure } from "../failure.js";
import type { GrpcMethod } from "./grpc-methods.js";

const asIs = (bytes: Buffer): Buffer => bytes;

/** Answers may be longer than the library's usual 4 MB: a hundred full blocks are. */
const MAX_ANSWER = 256 << 20;
const OPTIONS = { "grpc.max_receive_message_length": MAX_ANSWER };

/** Path of a method in a node's spelling. */
export function grpcPath({ service, method }: GrpcMethod, dialect: Dialect): string {
	return `/protocol.${service}/${spell(method, dialect)}`;
}

/**
 * Where a gRPC server is: the flag's address, else the profile's.
 * @param given `host:port`, `http://` for plain text or `https://` for TLS before it
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

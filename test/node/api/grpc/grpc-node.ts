/** A whole node in memory behind its gRPC servers, and calls to them. */

import type { NodeOptions } from "../../../../src/node/node.js";
import type { MessageType } from "../../../../src/protocol/codec/descriptor.js";
import { toNeutral } from "../../../../src/protocol/dialect.js";
import { services } from "../../../../src/protocol/generated/services.js";
import { GrpcClient } from "../../../../tools/replay/grpc-client.js";
import type { GrpcAnswer } from "../../../../tools/replay/target.js";
import { type HttpNode, startHttpNode } from "../http-node.js";

export type Port = "grpc" | "grpcSolidity" | "grpcPbft";

export interface GrpcNode extends HttpNode {
	/** Sends bytes to any path. */
	send(path: string, request?: Uint8Array, port?: Port): Promise<GrpcAnswer>;
	/** Sends one message to a bidirectional stream. */
	stream(path: string, request: Uint8Array, port?: Port): Promise<GrpcAnswer>;
	/** Calls `Wallet/GetAccount` with the fields of its request; the decoded response. */
	call<R = Record<string, unknown>>(method: string, fields?: object, port?: Port): Promise<R>;
}

/**
 * @param more further configuration
 * @param options of the node itself
 */
export async function startGrpcNode(more = "", options: Partial<NodeOptions> = {}): Promise<GrpcNode> {
	const node = await startHttpNode(
		`
		node.rpc { enable = true, port = 0, solidityEnable = true, solidityPort = 0, PBFTEnable = true, PBFTPort = 0 }
		${more}
	`,
		undefined,
		options,
	);
	const client = new GrpcClient();
	const send = (path: string, request: Uint8Array, port: Port, stream: boolean): Promise<GrpcAnswer> =>
		client.send(node.ports[port] ?? 0, { port, path, request, stream });
	return {
		...node,
		send: (path, request = new Uint8Array(0), port = "grpc") => send(path, request, port, false),
		stream: (path, request, port = "grpc") => send(path, request, port, true),
		call: async <R>(method: string, fields: object = {}, port: Port = "grpc"): Promise<R> => {
			const { request, response } = typesOf(method);
			const path = `/protocol.${method}`;
			const answer = await send(path, request.encode(request.create(fields)), port, false);
			if ("error" in answer) throw new Error(`${answer.error.code} ${answer.error.message}`);
			return response.decode(answer.answer) as R;
		},
		close: async () => {
			client.close();
			await node.close();
		},
	};
}

function typesOf(method: string): {
	readonly request: MessageType<object>;
	readonly response: MessageType<object>;
} {
	const [service = "", name = ""] = toNeutral(method).split("/");
	const methods = services[service as keyof typeof services] as unknown as Record<
		string,
		ReturnType<typeof typesOf> | undefined
	>;
	const types = methods[name];
	if (!types) throw new Error(`no method ${method}`);
	return types;
}

/** The three gRPC servers of a node, as its configuration asks for them. Loaded only where one is asked for. */

import type { Broadcaster } from "../broadcast.js";
import type { ApiNode, ServerKind } from "../context.js";
import { type RunningServers, startServers } from "../http-servers.js";
import { GrpcServer } from "./grpc-server.js";

/** The servers by the names of their ports. */
const PORTS = { full: "grpc", solidity: "grpcSolidity", pbft: "grpcPbft" } as const;
export type GrpcPort = (typeof PORTS)[ServerKind];

/**
 * Starts the servers that `node.rpc` enables.
 * @param host address to bind; every interface without it
 * @throws {PortError} after closing what was already bound
 */
export function startGrpcServers(
	node: ApiNode,
	broadcaster: Broadcaster,
	host?: string,
): Promise<RunningServers<GrpcPort>> {
	const make = (kind: ServerKind): GrpcServer => new GrpcServer(node, kind, broadcaster);
	return startServers({ protocol: "gRPC", listeners: node.config.node.rpc, names: PORTS, host, make });
}

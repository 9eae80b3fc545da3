/** The three gRPC servers of a node, as its configuration asks for them. Loaded only where one is asked for. */

import type { Broadcaster } from "../broadcast.js";
import type { ApiNode, ServerKind } from "../context.js";
import { portError } from "../http-servers.js";
import { GrpcServer } from "./grpc-server.js";

/** The servers by the names of their ports. */
const PORTS = { full: "grpc", solidity: "grpcSolidity", pbft: "grpcPbft" } as const;
export type GrpcPort = (typeof PORTS)[ServerKind];

interface RunningGrpcServers {
	/** Bound ports of the servers that run. */
	readonly ports: Readonly<Partial<Record<GrpcPort, number>>>;
	close(): Promise<void>;
}

/**
 * Starts the servers that `node.rpc` enables.
 * @param host address to bind; every interface without it
 * @throws {PortError} after closing what was already bound
 */
export async function startGrpcServers(
	node: ApiNode,
	broadcaster: Broadcaster,
	host?: string,
): Promise<RunningGrpcServers> {
	const servers: GrpcServer[] = [];
	const ports: Partial<Record<GrpcPort, number>> = {};
	const close = async (): Promise<void> => {
		await Promise.all(servers.map((server) => server.close()));
	};
	const { full, solidity, pbft } = node.config.node.rpc;
	for (const [kind, listener] of Object.entries({ full, solidity, pbft })) {
		if (!listener.enabled) continue;
		const server = new GrpcServer(node, kind as ServerKind, broadcaster);
		try {
			ports[PORTS[kind as ServerKind]] = await server.listen(listener.port, host);
			servers.push(server);
		} catch (error) {
			await close();
			throw portError(listener.port, `${kind} gRPC server`, error);
		}
	}
	return { ports, close };
}

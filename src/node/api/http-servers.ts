/** A node's three HTTP servers, as configured. */

import { OperatorError } from "../../protocol/operator-error.js";
import { Broadcaster } from "./broadcast.js";
import type { ApiNode, ServerKind } from "./context.js";
import { ExplorerLive } from "./explorer-live.js";
import { HttpServer } from "./http-server.js";
import type { Observe } from "./jsonrpc/server.js";

/** A server's port can't be bound; the message is one sentence for whoever started the node. */
export class PortError extends OperatorError {
	override readonly name = "PortError";

	constructor(
		message: string,
		/** Whose port it is. */
		readonly owner: string,
	) {
		super(message);
	}
}

/** The message for a listener's system error. @param owner whose port it is */
export function portError(port: number, owner: string, error: unknown): PortError {
	const { code } = error as NodeJS.ErrnoException;
	const reason = code === "EADDRINUSE" ? "is in use" : `can't be bound (${code ?? String(error)})`;
	return new PortError(`port ${port} of the ${owner} ${reason}`, owner);
}

export interface RunningServers<Port extends string> {
	/** Bound ports of the running servers. */
	readonly ports: Readonly<Partial<Record<Port, number>>>;
	close(): Promise<void>;
}

interface ServersOptions<Port extends string> {
	/** Name of the protocol in messages. */
	readonly protocol: string;
	readonly listeners: Readonly<Record<ServerKind, { readonly enabled: boolean; readonly port: number }>>;
	/** Name of each server's port. */
	readonly names: Readonly<Record<ServerKind, Port>>;
	/** Address to bind; all interfaces if undefined. */
	readonly host: string | undefined;
	readonly make: (kind: ServerKind) => {
		listen(port: number, host?: string): Promise<number>;
		close(): Promise<void>;
	};
}

/**
 * Starts the enabled servers of one protocol.
 * @throws {PortError} after closing what was already bound
 */
export async function startServers<Port extends string>({
	protocol,
	listeners,
	names,
	host,
	make,
}: ServersOptions<Port>): Promise<RunningServers<Port>> {
	const servers: { close(): Promise<void> }[] = [];
	const ports: Partial<Record<Port, number>> = {};
	const close = async (): Promise<void> => {
		await Promise.all(servers.map((server) => server.close()));
	};
	for (const kind of ["full", "solidity", "pbft"] as const) {
		const { enabled, port } = listeners[kind];
		if (!enabled) continue;
		const server = make(kind);
		try {
			ports[names[kind]] = await server.listen(port, host);
			servers.push(server);
		} catch (error) {
			await close();
			throw portError(port, `${kind} ${protocol} server`, error);
		}
	}
	return { ports, close };
}

const PORTS = { full: "full", solidity: "solidity", pbft: "pbft" } as const;

/**
 * Starts the servers that `node.http` enables.
 * @param host address to bind; every interface without it
 * @param observe registers an observer of the chain; absent: the explorer's page isn't notified of blocks
 * @throws {PortError} after closing what was already bound
 */
export function startHttpServers(
	node: ApiNode,
	broadcaster: Broadcaster = new Broadcaster(node),
	host?: string,
	observe?: Observe,
): Promise<RunningServers<ServerKind>> {
	const { http: listeners, jsonrpc } = node.config.node;
	const make = (kind: ServerKind): HttpServer => {
		const live =
			kind === "full" && listeners.explorer && observe && jsonrpc.maxWebSockets > 0
				? new ExplorerLive(node, broadcaster, observe)
				: undefined;
		return new HttpServer(node, kind, broadcaster, undefined, undefined, live);
	};
	return startServers({ protocol: "HTTP", listeners, names: PORTS, host, make });
}

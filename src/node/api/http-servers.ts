/** The three HTTP servers of a node, as its configuration asks for them. */

import { OperatorError } from "../../protocol/operator-error.js";
import { Broadcaster } from "./broadcast.js";
import type { ApiNode, ServerKind } from "./context.js";
import { ExplorerLive } from "./explorer-live.js";
import { HttpServer } from "./http-server.js";
import type { Observe } from "./jsonrpc/server.js";

/** A server's port can't be bound; the message is one sentence for the person who started the node. */
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

interface RunningHttpServers {
	/** Bound ports of the servers that run. */
	readonly ports: Readonly<Partial<Record<ServerKind, number>>>;
	close(): Promise<void>;
}

/**
 * Starts the servers that `node.http` enables.
 * @param host address to bind; every interface without it
 * @param observe registers an observer of the chain; absent: the explorer's page isn't notified of blocks
 * @throws {PortError} after closing what was already bound
 */
export async function startHttpServers(
	node: ApiNode,
	broadcaster: Broadcaster = new Broadcaster(node),
	host?: string,
	observe?: Observe,
): Promise<RunningHttpServers> {
	const servers: HttpServer[] = [];
	const ports: Partial<Record<ServerKind, number>> = {};
	const close = async (): Promise<void> => {
		await Promise.all(servers.map((server) => server.close()));
	};
	const { full, solidity, pbft, explorer } = node.config.node.http;
	const { maxWebSockets } = node.config.node.jsonrpc;
	for (const [kind, listener] of Object.entries({ full, solidity, pbft })) {
		if (!listener.enabled) continue;
		const live =
			kind === "full" && explorer && observe && maxWebSockets > 0
				? new ExplorerLive(node, broadcaster, observe)
				: undefined;
		const server = new HttpServer(node, kind as ServerKind, broadcaster, undefined, undefined, live);
		try {
			ports[kind as ServerKind] = await server.listen(listener.port, host);
			servers.push(server);
		} catch (error) {
			await close();
			throw portError(listener.port, `${kind} HTTP server`, error);
		}
	}
	return { ports, close };
}

/** A node's three JSON-RPC servers, as configured, and what feeds their filters. */

import type { Broadcaster } from "../broadcast.js";
import type { ApiNode, ServerKind } from "../context.js";
import { type RunningServers, startServers } from "../http-servers.js";
import { contextsOf, type Dispatcher } from "./dispatcher.js";
import { FilterRegistry, feedFilters } from "./filter-registry.js";
import { JsonRpcServer, type Observe, type TextAnswerer } from "./server.js";

/** Port names by server. */
const PORT_NAMES = { full: "jsonrpc", solidity: "jsonrpcSolidity", pbft: "jsonrpcPbft" } as const;
export type JsonRpcPort = (typeof PORT_NAMES)[ServerKind];

interface JsonRpcServersOptions {
	readonly node: ApiNode;
	readonly broadcaster: Broadcaster;
	readonly observe: Observe;
	/** Addresses of this node's block producer keys, in order. */
	readonly producerAddresses: () => readonly Uint8Array[];
	/** Address to bind; all interfaces if undefined. */
	readonly host?: string | undefined;
	/** What the full server answers besides the regular methods. */
	readonly beside?: ((ordinary: Dispatcher) => TextAnswerer) | undefined;
}

/**
 * Starts the servers that `node.jsonrpc` enables.
 * @throws {PortError} after closing what was already bound
 */
export async function startJsonRpcServers(
	options: JsonRpcServersOptions,
): Promise<RunningServers<JsonRpcPort>> {
	const { node, broadcaster, producerAddresses, host } = options;
	const { jsonrpc } = node.config.node;
	const registry = (): FilterRegistry =>
		new FilterRegistry(() => node.upMs, jsonrpc, node.config.node.release);
	const filters: Readonly<Record<ServerKind, FilterRegistry | undefined>> = {
		full: registry(),
		solidity: registry(),
		pbft: undefined,
	};
	const stopObserving = options.observe(
		feedFilters(
			node.view("full"),
			jsonrpc.full.enabled ? filters.full : undefined,
			jsonrpc.solidity.enabled ? filters.solidity : undefined,
		),
	);
	const make = (server: ServerKind): JsonRpcServer =>
		new JsonRpcServer(
			server,
			contextsOf({ server, node, broadcaster, filters: filters[server], producerAddresses }),
			options.observe,
			server === "full" ? options.beside : undefined,
		);
	try {
		const running = await startServers({
			protocol: "JSON-RPC",
			listeners: jsonrpc,
			names: PORT_NAMES,
			host,
			make,
		});
		const close = (): Promise<void> => {
			stopObserving();
			return running.close();
		};
		return { ports: running.ports, close };
	} catch (error) {
		stopObserving();
		throw error;
	}
}

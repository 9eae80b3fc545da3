/** All listeners of a node: how messages name them, and the setting that changes their port. */

import type { NodeConfig } from "../node/config/config.js";
import type { ListenerConfig } from "../node/config/service-config.js";

export interface Listener {
	/** Name in start errors. */
	readonly owner: string;
	/** Name for users. */
	readonly use: string;
	/** Configuration key of its port. */
	readonly setting: string;
	/** Flag of a development chain, if it has one. */
	readonly flag?: string;
	readonly of: (config: NodeConfig) => ListenerConfig;
}

export const LISTENERS: readonly Listener[] = [
	{
		owner: "full HTTP server",
		use: "HTTP API",
		setting: "node.http.fullNodePort",
		flag: "--http-port",
		of: ({ node }) => node.http.full,
	},
	{
		owner: "solidity HTTP server",
		use: "solidity HTTP API",
		setting: "node.http.solidityPort",
		flag: "--solidity-port",
		of: ({ node }) => node.http.solidity,
	},
	{
		owner: "pbft HTTP server",
		use: "PBFT HTTP API",
		setting: "node.http.PBFTPort",
		of: ({ node }) => node.http.pbft,
	},
	{
		owner: "full JSON-RPC server",
		use: "JSON-RPC",
		setting: "node.jsonrpc.httpFullNodePort",
		flag: "--jsonrpc-port",
		of: ({ node }) => node.jsonrpc.full,
	},
	{
		owner: "solidity JSON-RPC server",
		use: "solidity JSON-RPC",
		setting: "node.jsonrpc.httpSolidityPort",
		of: ({ node }) => node.jsonrpc.solidity,
	},
	{
		owner: "pbft JSON-RPC server",
		use: "PBFT JSON-RPC",
		setting: "node.jsonrpc.httpPBFTPort",
		of: ({ node }) => node.jsonrpc.pbft,
	},
	{
		owner: "full gRPC server",
		use: "gRPC API",
		setting: "node.rpc.port",
		flag: "--grpc-port",
		of: ({ node }) => node.rpc.full,
	},
	{
		owner: "solidity gRPC server",
		use: "solidity gRPC API",
		setting: "node.rpc.solidityPort",
		flag: "--grpc-solidity-port",
		of: ({ node }) => node.rpc.solidity,
	},
	{
		owner: "pbft gRPC server",
		use: "PBFT gRPC API",
		setting: "node.rpc.PBFTPort",
		of: ({ node }) => node.rpc.pbft,
	},
	{
		owner: "metrics server",
		use: "metrics",
		setting: "node.metrics.prometheus.port",
		of: ({ node }) => node.metrics.prometheus,
	},
	{
		owner: "peer network",
		use: "peers",
		setting: "node.listen.port",
		of: ({ node }) => ({ enabled: true, port: node.peers.listenPort }),
	},
	{
		owner: "event queue",
		use: "event queue",
		setting: "event.subscribe.native.bindport",
		of: ({ events }) => {
			const port = events?.receivers.find((receiver) => receiver.port !== undefined)?.port;
			return { enabled: port !== undefined, port: port ?? 0 };
		},
	},
];

/** Advice for a listener that couldn't be bound: the setting of its port; undefined if it has none. */
export function portHint(owner: string): string | undefined {
	const listener = LISTENERS.find((row) => row.owner === owner);
	if (!listener) return undefined;
	const flag = listener.flag === undefined ? "" : `, or ${listener.flag} of a development chain,`;
	return `${listener.setting} of the configuration${flag} sets it`;
}

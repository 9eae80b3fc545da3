/** The line that says that a node is ready, with the address of each of its ports as clients write it. */

import { addressText } from "../node/network/environment.js";

/** Ports that don't speak HTTP. */
const SCHEMES: Readonly<Record<string, string>> = { peer: "", grpc: "", events: "tcp://" };

/** @param ports by kind: full, solidity, jsonrpc, grpc, grpcSolidity, peer, events, gateway and so on */
export function readyLine(ports: Readonly<Record<string, number | undefined>>, host: string): string {
	const shown = Object.entries(ports).flatMap(([kind, port]) => {
		if (port === undefined) return [];
		const scheme = SCHEMES[kind.startsWith("grpc") ? "grpc" : kind] ?? "http://";
		const path = kind.startsWith("jsonrpc") ? "/jsonrpc" : "";
		return [`${kind} ${scheme}${addressText({ host, port })}${path}`];
	});
	return `coin node ready ${shown.join("  ")}`;
}

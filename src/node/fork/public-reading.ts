/** Reading an entry from public queries: a generator that asks, and is resumed with each answer. */

/** A query: its path at the HTTP interface, or that of the JSON-RPC, and its body. */
export interface Asked {
	readonly path: string;
	readonly body: unknown;
}

/** What resumes it is the answer's text. */
export type PublicReading<T> = Generator<Asked, T, string>;

/** The path that stands for the JSON-RPC, which may be at an address of its own. */
export const JSON_RPC = "/jsonrpc";

/** What is asked of an endpoint of the network's HTTP interface. */
export function* ask(path: string, body: unknown): PublicReading<string> {
	return yield { path: `/wallet/${path}`, body };
}

/** A call of the JSON-RPC. */
export function* askRpc(method: string, params: readonly unknown[]): PublicReading<string> {
	return yield { path: JSON_RPC, body: { jsonrpc: "2.0", id: 1, method, params } };
}

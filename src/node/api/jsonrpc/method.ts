/** A method of JSON-RPC: one declaration that dispatch, parameters and documents are derived from (protocol/json-rpc §5). */

import type { Release } from "../../rules/release.js";
import type { ApiContext } from "../context.js";
import { observed } from "../observer.js";
import type { DeclaredType } from "./declared-types.js";
import type { FilterRegistry } from "./filter-registry.js";
import type { RawValue } from "./json-reader.js";
import type { PendingAnswer } from "./long-result.js";
import type { Subscriber } from "./subscriptions/hub.js";

/** What a method answers. */
export type RpcValue =
	| null
	| boolean
	| string
	| number
	| readonly RpcValue[]
	| { readonly [member: string]: RpcValue };

/** An answer that is JSON text already. */
export class JsonText {
	constructor(readonly text: string) {}
}

/** A long answer that is JSON text already, as its bytes: joined to a text they would take their length several times. */
export class JsonParts {
	readonly length: number;

	constructor(readonly parts: readonly Buffer[]) {
		this.length = parts.reduce((sum, { length }) => sum + length, 0);
	}

	/** With text around it. */
	within(before: string, after: string): JsonParts {
		return new JsonParts([Buffer.from(before), ...this.parts, Buffer.from(after)]);
	}

	toString(): string {
		return Buffer.concat(this.parts).toString();
	}
}

/** What a call or a request is answered with. */
export type AnswerText = string | JsonParts;

export type RpcResult = RpcValue | JsonText | JsonParts;

/** The node as one call sees it. */
export interface RpcContext extends ApiContext {
	/** The filters of this server; undefined: it has none. */
	readonly filters: FilterRegistry | undefined;
	/** Addresses of the keys with which this node produces blocks, in their order; empty: it doesn't. */
	readonly producerAddresses: () => readonly Uint8Array[];
	/** The subscriptions of the client; absent: its connection carries none. */
	readonly subscriber?: Subscriber | undefined;
	/** The answer that the call's result becomes a part of; absent: nothing tells when it has left. */
	readonly pending?: PendingAnswer | undefined;
}

/** Parameters by name, in order. All of them are required. */
type Declared<P extends readonly unknown[]> = {
	readonly [I in keyof P]: readonly [name: string, type: DeclaredType<P[I]>];
};

interface MethodDeclaration<P extends readonly unknown[]> {
	readonly name: string;
	/** A second name under which deployed clients may call it. */
	readonly alias?: string;
	/** The first release that has it; absent: all have. */
	readonly since?: Release;
	/** One sentence: what it answers. */
	readonly about: string;
	readonly parameters: Declared<P>;
	/** A further parameter, where the node knows past states: a block, and the call as it is there. */
	readonly pastBlock?: PastBlockParameter;
	/** @throws {RpcError | NamedError} */
	handle(context: RpcContext, ...parameters: P): RpcResult | Promise<RpcResult>;
}

interface PastBlockParameter {
	readonly name: string;
	/** @throws {RpcError} */
	seen(context: RpcContext, block: RawValue): RpcContext;
}

/** A method without the types of its own parameters. */
export interface RpcMethod {
	readonly name: string;
	readonly alias: string | undefined;
	readonly since?: Release | undefined;
	/** Served only where `node.jsonrpc.debug` says so. */
	readonly isDebug?: boolean;
	/** Served only where `node.jsonrpc.simulate` says so. */
	readonly isSimulation?: boolean;
	/** Served only where `node.jsonrpc.state` says so. */
	readonly isRawState?: boolean;
	readonly about: string;
	readonly parameters: readonly { readonly name: string; readonly type: string }[];
	/** One parameter more than these, where the node knows past states. */
	readonly pastBlock?: PastBlockParameter | undefined;
	/** Whether connections that carry no subscriptions don't know it. */
	readonly needsSubscriber?: boolean;
	/** The fewest parameters of a call; absent: all. */
	readonly least?: number;
	/**
	 * @param values as many as there are parameters; from the fewest on, where some may be missing
	 * @throws {TypeMismatch | RpcError | NamedError}
	 */
	call(context: RpcContext, values: readonly RawValue[]): RpcResult | Promise<RpcResult>;
}

export function defineMethod<P extends readonly unknown[]>(declaration: MethodDeclaration<P>): RpcMethod {
	const { name, alias, since, about, pastBlock } = declaration;
	const parameters = declaration.parameters as readonly (readonly [string, DeclaredType<unknown>])[];
	return {
		name,
		alias,
		since,
		about,
		parameters: parameters.map(([parameter, type]) => ({ name: parameter, type: type.label })),
		pastBlock,
		call: (context, values) => {
			const read = parameters.map(([, type], i) =>
				type.read(values[i] as RawValue, context.node.config.node.release),
			);
			const more = values[read.length];
			const seen = pastBlock && more !== undefined ? pastBlock.seen(context, more) : context;
			return observed(context.node.observer, name, () => declaration.handle(seen, ...(read as unknown as P)));
		},
	};
}

/** A method that asks no more of the node than every server knows, so that other paths can serve it too. */
export type OwnMethod = RpcMethod & {
	call(context: OwnContext, values: readonly RawValue[]): Promise<RpcResult>;
};

/** What methods of every server know. */
export type OwnContext = ApiContext & Pick<RpcContext, "pending">;

/**
 * Declares methods beyond the network's, which read their parameters themselves and are served only where the node is told to.
 * @param served which setting tells
 * @returns name, what it does, the parameters' names, the fewest of them, and the call
 */
export const methodsOf =
	(served: "isDebug" | "isSimulation" | "isRawState") =>
	(
		name: string,
		about: string,
		names: readonly string[],
		least: number,
		call: (context: OwnContext, values: readonly RawValue[]) => Promise<RpcResult>,
	): OwnMethod => ({
		name,
		alias: undefined,
		[served]: true,
		about,
		parameters: names.map((parameter) => ({ name: parameter, type: "any" })),
		least,
		call,
	});

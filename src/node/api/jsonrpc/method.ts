/** A JSON-RPC method: one declaration from which dispatch, parameters and documents are derived (protocol/json-rpc §5). */

import type { Release } from "../../rules/release.js";
import type { ApiContext } from "../context.js";
import { observed } from "../observer.js";
import type { DeclaredType } from "./declared-types.js";
import type { FilterRegistry } from "./filter-registry.js";
import type { RawValue } from "./json-reader.js";
import type { PendingAnswer } from "./long-result.js";
import type { Subscriber } from "./subscriptions/hub.js";

/** A method's result. */
export type RpcValue =
	| null
	| boolean
	| string
	| number
	| readonly RpcValue[]
	| { readonly [member: string]: RpcValue };

/** A result already serialized as JSON. */
export class JsonText {
	constructor(readonly text: string) {}
}

/** A long result already serialized as JSON, in bytes: joined into a string it would take several times its length. */
export class JsonParts {
	readonly length: number;

	constructor(readonly parts: readonly Buffer[]) {
		this.length = parts.reduce((sum, { length }) => sum + length, 0);
	}

	/** The same with text around it. */
	within(before: string, after: string): JsonParts {
		return new JsonParts([Buffer.from(before), ...this.parts, Buffer.from(after)]);
	}

	toString(): string {
		return Buffer.concat(this.parts).toString();
	}
}

/** The answer to a call or request. */
export type AnswerText = string | JsonParts;

export type RpcResult = RpcValue | JsonText | JsonParts;

/** The node as seen by one call. */
export interface RpcContext extends ApiContext {
	/** This server's filters; undefined if it has none. */
	readonly filters: FilterRegistry | undefined;
	/** Addresses of the node's block producer keys, in order; empty if it produces none. */
	readonly producerAddresses: () => readonly Uint8Array[];
	/** The client's subscriptions; absent if its connection can't carry any. */
	readonly subscriber?: Subscriber | undefined;
	/** The answer this result becomes part of; absent if nothing tracks when it is sent. */
	readonly pending?: PendingAnswer | undefined;
}

/** Parameters by name, in order; all required. */
type Declared<P extends readonly unknown[]> = {
	readonly [I in keyof P]: readonly [name: string, type: DeclaredType<P[I]>];
};

interface MethodDeclaration<P extends readonly unknown[]> {
	readonly name: string;
	/** An alias that existing clients may use. */
	readonly alias?: string;
	/** The first release with it; absent: all of them. */
	readonly since?: Release;
	/** One sentence: what it answers. */
	readonly about: string;
	readonly parameters: Declared<P>;
	/** An extra parameter on nodes that keep past states: a block, and the context at that block. */
	readonly pastBlock?: PastBlockParameter;
	/** @throws {RpcError | NamedError} */
	handle(context: RpcContext, ...parameters: P): RpcResult | Promise<RpcResult>;
}

interface PastBlockParameter {
	readonly name: string;
	/** @throws {RpcError} */
	seen(context: RpcContext, block: RawValue): RpcContext;
}

/** A method with its parameter types erased. */
export interface RpcMethod {
	readonly name: string;
	readonly alias: string | undefined;
	readonly since?: Release | undefined;
	/** Only served with `node.jsonrpc.debug`. */
	readonly isDebug?: boolean;
	/** Only served with `node.jsonrpc.simulate`. */
	readonly isSimulation?: boolean;
	/** Only served with `node.jsonrpc.state`. */
	readonly isRawState?: boolean;
	readonly about: string;
	readonly parameters: readonly { readonly name: string; readonly type: string }[];
	/** An extra parameter on nodes that keep past states. */
	readonly pastBlock?: PastBlockParameter | undefined;
	/** Whether it is unknown on connections that can't carry subscriptions. */
	readonly needsSubscriber?: boolean;
	/** Minimum number of parameters; absent: all are required. */
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

/** A method that only needs what every server provides, so that other paths can serve it too. */
export type OwnMethod = RpcMethod & {
	call(context: OwnContext, values: readonly RawValue[]): Promise<RpcResult>;
};

/** What every server provides. */
export type OwnContext = ApiContext & Pick<RpcContext, "pending">;

/**
 * Declares methods beyond the network's, which parse their own parameters and must be enabled in the configuration.
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

/** Methods that build an unsigned transaction, made of the table of contract types (protocol/grpc §2.2). */

import {
	type BuildableName,
	type ContractMessage,
	contractTypes,
	type NameWith,
	type ValueIn,
} from "../../../../protocol/contract-types.js";
import type { Transaction, TransactionExtention } from "../../../../protocol/messages.js";
import { build, buildBare, buildCommon } from "../building.js";
import { type Handler, type Handlers, unimplemented } from "../method.js";

/** The methods that a column of the table names, each for the message of its type. */
type Builders<C extends "grpc" | "grpcBare", R> = {
	readonly [M in ValueIn<C> & string]: Handler<ContractMessage<NameWith<C, M> & BuildableName>, R>;
};

function builderMethods(): Builders<"grpcBare", Transaction> & Builders<"grpc", TransactionExtention> {
	const methods = contractTypes.flatMap((type) => [
		...(type.grpcBare ? [[type.grpcBare, buildBare(type)] as const] : []),
		...(type.grpc ? [[type.grpc, build(type)] as const] : []),
	]);
	return Object.fromEntries(methods) as ReturnType<typeof builderMethods>;
}

export const builders = {
	...builderMethods(),
	CreateCommonTransaction: buildCommon,
	BuyStorage: unimplemented,
	BuyStorageBytes: unimplemented,
	SellStorage: unimplemented,
} satisfies Partial<Handlers<"Wallet">>;

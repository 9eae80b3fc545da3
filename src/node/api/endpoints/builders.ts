/** Endpoints that build an unsigned transaction: one row per contract type (protocol/http-endpoints §1.3, §1.4). */

import type { Message, MessageType } from "../../../protocol/codec/descriptor.js";
import {
	type BuildableType,
	contractTypeByName,
	contractTypes,
	isBuildable,
	type ValueIn,
} from "../../../protocol/contract-types.js";
import { spell } from "../../../protocol/dialect.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import { readTextMember } from "../../../protocol/json/member-readers.js";
import { transactionJson } from "../../../protocol/json/transaction-json.js";
import { TransactionContractContractType } from "../../../protocol/messages.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";
import { buildValid, memoOf, permissionIdOf } from "../builder.js";
import {
	defineEndpoint,
	type Endpoint,
	messageRequest,
	type ReplyWriter,
	type RequestForm,
} from "../endpoint.js";
import type { RequestInput } from "../request.js";

/** A built transaction, with the `visible` member. */
export const builtTransaction: ReplyWriter<SignedTransaction> = ({ style }, transaction) =>
	transactionJson(transaction, style, { visible: true });

interface BuilderForm {
	readonly get: "empty" | "refused";
	readonly post: "body" | "raw";
	/** `extra_data` becomes the transaction's memo. */
	readonly memo?: true;
}

const body = { get: "empty", post: "body" } as const;
const raw = { get: "empty", post: "raw" } as const;
const postOnly = { get: "refused", post: "body" } as const;

/** Request form of each builder in the contract type table, in documentation order. */
const forms: Readonly<Record<ValueIn<"http">, BuilderForm>> = {
	createtransaction: { ...raw, memo: true },
	createaccount: postOnly,
	updateaccount: body,
	setaccountid: raw,
	accountpermissionupdate: body,
	transferasset: { ...raw, memo: true },
	participateassetissue: raw,
	createassetissue: body,
	updateasset: body,
	unfreezeasset: body,
	createwitness: body,
	updatewitness: body,
	votewitnessaccount: raw,
	updateBrokerage: postOnly,
	withdrawbalance: raw,
	proposalcreate: raw,
	proposalapprove: raw,
	proposaldelete: raw,
	freezebalance: postOnly,
	unfreezebalance: body,
	freezebalancev2: postOnly,
	unfreezebalancev2: body,
	withdrawexpireunfreeze: raw,
	delegateresource: postOnly,
	undelegateresource: body,
	cancelallunfreezev2: postOnly,
	updatesetting: body,
	updateenergylimit: body,
	clearabi: body,
	exchangecreate: postOnly,
	exchangeinject: postOnly,
	exchangewithdraw: postOnly,
	exchangetransaction: postOnly,
	marketsellasset: { ...raw, memo: true },
	marketcancelorder: { ...body, memo: true },
};

interface BuildRequest {
	readonly contract: Message;
	readonly input: RequestInput;
}

function builderRequest(type: MessageType<Message>): RequestForm<BuildRequest> {
	const form = messageRequest(type);
	return {
		fields: [...form.fields, { name: "Permission_id", type: "int32" }],
		read: (input) => ({ contract: form.read(input), input }),
	};
}

function builder([name, form]: readonly [name: string, form: BuilderForm]): Endpoint {
	const type = contractTypes.find(({ http }) => http === name);
	if (!isBuildable(type)) throw new Error(`no contract type has the builder ${name}`);
	return defineEndpoint({
		name,
		about: type.about ?? "",
		get: form.get,
		post: form.post,
		servers: ["full"],
		request: builderRequest(type.message),
		reply: builtTransaction,
		answers: "Transaction",
		handle: (context, { contract, input }) =>
			buildValid(context, type, contract, () => ({
				...permissionIdOf(input.object, context.style),
				...(form.memo ? memoOf(input.object, input.visible) : {}),
			})),
	});
}

/** The buildable contract type with this name. @throws {NamedError} */
function namedType(name: string | null, enumName: string): BuildableType {
	if (name === null) throw new NamedError("NullPointerException", "Name is null");
	const isConstant = name === "UNRECOGNIZED" || Object.hasOwn(TransactionContractContractType, name);
	if (!isConstant) throw new NamedError("IllegalArgumentException", `No enum constant ${enumName}.${name}`);
	const type = contractTypeByName(name);
	if (!isBuildable(type)) {
		throw new NamedError("ContractValidateException", `don't have this type: ${name}`);
	}
	return type;
}

const commonTransaction = defineEndpoint({
	name: "createCommonTransaction",
	about: "Builds a transaction of the type that contractType names.",
	get: "refused",
	servers: ["full"],
	request: {
		fields: [{ name: "contractType", type: "string" }],
		read: (input: RequestInput) => ({ input, name: readTextMember(input.object, "contractType") }),
	},
	reply: builtTransaction,
	answers: "Transaction",
	handle: (context, { input, name }) => {
		const enumName = "org.coin.protos.Protocol.Transaction.Contract.ContractType";
		const type = namedType(name, spell(enumName, context.style.dialect));
		return buildValid(context, type, input.fields(type.message), () =>
			permissionIdOf(input.object, context.style),
		);
	},
});

export const builderEndpoints: readonly Endpoint[] = [
	...Object.entries(forms).map(builder),
	commonTransaction,
];

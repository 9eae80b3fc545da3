/** The shapes of queries' output, each checked by the compiler against its view (protocol/command-line §1.2). */

import type { FieldDescriptor, Message, MessageType } from "../../protocol/codec/descriptor.js";
import { byteClass } from "../../protocol/json/byte-fields.js";
import type { PermissionView } from "../../wallet/permission/permission-set.js";
import type { Orc20View } from "../../wallet/token/orc20.js";
import type { TokenView } from "../../wallet/token/token.js";
import type { AccountView, ResourcesView } from "../../wallet/view/account-view.js";
import type { DelegationView } from "../../wallet/view/delegations.js";
import type { InclusionView } from "../../wallet/view/inclusion-view.js";
import type { ProposalView } from "../../wallet/view/proposals.js";
import type { StakeView, Unstaking } from "../../wallet/view/stake-view.js";
import type { WitnessView } from "../../wallet/view/witnesses.js";
import { either, list, map, record, type Shape, view } from "./result-shape.js";

const permissionShape = view<PermissionView>({
	id: "integer",
	type: "text",
	name: "text",
	threshold: "int64",
	keys: list(record({ address: "address", weight: "int64", "local?": "boolean" })),
	"operations?": "hex",
	"operationNames?": list("text"),
});

const unstakingShape = view<Unstaking>({ amount: "int64", resource: "text", due: "time" });

export const accountShape = view<AccountView>({
	address: "address",
	type: "text",
	"name?": "text",
	"id?": "text",
	balance: "int64",
	"created?": "time",
	"witness?": "boolean",
	"staked?": map("int64"),
	"unstaking?": list(unstakingShape),
	"votes?": map("int64"),
	"tokens?": map("int64"),
	owner: permissionShape,
	"witnessPermission?": permissionShape,
	actives: list(permissionShape),
});

export const resourcesShape = view<ResourcesView>({
	bandwidth: view<ResourcesView["bandwidth"]>({
		free: "int64",
		freeUsed: "int64",
		staked: "int64",
		used: "int64",
		available: "int64",
	}),
	energy: view<ResourcesView["energy"]>({ staked: "int64", used: "int64", available: "int64" }),
	votes: view<ResourcesView["votes"]>({ total: "int64", used: "int64", available: "int64" }),
});

export const delegationShape = view<DelegationView>({
	from: "address",
	to: "address",
	resource: "text",
	amount: "int64",
	"lockedUntil?": "time",
	version: "integer",
});

export const stakeShape = view<StakeView>({
	account: "address",
	staked: map("int64"),
	delegated: map("int64"),
	received: map("int64"),
	unstaking: list(unstakingShape),
	withdrawable: "int64",
	unstakesLeft: "int64",
	delegatable: map("int64"),
	"version1?": list(unstakingShape),
});

export const witnessShape = view<WitnessView>({
	rank: "integer",
	address: "address",
	votes: "int64",
	current: "boolean",
	produced: "int64",
	missed: "int64",
	brokerage: "integer",
	url: "text",
});

export const proposalShape = view<ProposalView>({
	id: "int64",
	state: "text",
	proposer: "address",
	created: "time",
	expiration: "time",
	parameters: list(record({ id: "int64", "name?": "text", value: "int64", "about?": "text" })),
	approvals: list("address"),
	"approvalsNeeded?": "integer",
});

export const tokenShape = view<TokenView>({
	id: "text",
	name: "text",
	"abbr?": "text",
	owner: "address",
	supply: "int64",
	decimals: "integer",
	price: record({ sun: "integer", units: "integer" }),
	start: "time",
	end: "time",
	"locked?": list(record({ amount: "int64", days: "int64" })),
	freeBandwidth: "int64",
	publicFreeBandwidth: "int64",
	url: "text",
	"description?": "text",
});

export const contractTokenShape = view<Orc20View>({
	contract: "address",
	name: "text",
	symbol: "text",
	decimals: "integer",
	supply: "int64",
});

/** The members of the contract's body depend on its type. */
export const transactionShape = record({
	txID: "hex",
	"type?": either("text", "integer"),
	"from?": "address",
	"contract?": "any",
	"call?": "any",
	permission: "integer",
	"memo?": "hex",
	"feeLimit?": "int64",
	"timestamp?": "time",
	"expiration?": "time",
	size: "integer",
	signers: list("text"),
	"result?": either("text", "integer"),
});

const witnessKeyShape = record({ address: "address", key: "address" });

export const inclusionShape = view<InclusionView>({
	txID: "hex",
	"type?": either("text", "integer"),
	"from?": "address",
	"contract?": "any",
	"signers?": list("text"),
	"result?": "any",
	block: record({ number: "int64", id: "hex", timestamp: "time" }),
	last: "int64",
	irreversible: "boolean",
	witnesses: record({
		trusted: "integer",
		needed: "integer",
		built: list(witnessKeyShape),
		others: list(witnessKeyShape),
	}),
	checkpoint: record({ "chain?": "hex", "block?": "hex", "distance?": "int64" }),
	notProven: list("text"),
});

export const stateShape = record({ txID: "hex", state: "text", "block?": "int64", "result?": "text" });

/** The shape of a printed protocol message; fields with default values are omitted. */
export function messageShape<T extends Message>(type: MessageType<T>): Shape {
	return record(messageMembers(type));
}

export function messageMembers<T extends Message>(type: MessageType<T>): Readonly<Record<string, Shape>> {
	return Object.fromEntries(type.fields.map((field) => [`${field.name}?`, fieldShape(type.typeName, field)]));
}

function fieldShape(typeName: string, field: FieldDescriptor): Shape {
	const single = singleShape(typeName, field);
	if (field.label === "map") return map(single);
	return field.label === "repeated" ? list(single) : single;
}

function singleShape(typeName: string, field: FieldDescriptor): Shape {
	switch (field.kind) {
		case "message":
			return field.message ? messageShape(field.message()) : "any";
		case "bytes":
			return ({ address: "address", text: "text", hex: "hex" } as const)[byteClass(typeName, field.name)];
		case "enum":
			return either("text", "integer");
		case "int64":
			return "int64";
		case "int32":
			return "integer";
		case "bool":
			return "boolean";
		case "string":
			return "text";
		case "double":
			return "any";
	}
}

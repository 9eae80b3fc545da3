/** A client's state and block overrides (protocol/json-rpc §17.2). */

import { SignedBlock } from "../../../../protocol/block.js";
import { NamedError } from "../../../../protocol/json/exceptions.js";
import { decodeFields } from "../../../../protocol/json/field-decoder.js";
import {
	AccountPermissionUpdateContract,
	Block,
	BlockHeader,
	BlockHeaderRaw,
} from "../../../../protocol/messages.js";
import { putHead } from "../../../chain/block-processor.js";
import { headBlock } from "../../../chain/block-store.js";
import { type AccountEdit, applyAccountEdits } from "../../../simulation/account-edits.js";
import { SimulationError } from "../../../simulation/simulation-error.js";
import { StateLayer } from "../../../state/layer.js";
import type { StateView } from "../../../state/view.js";
import { answersOf } from "../../answers.js";
import type { ApiContext, ApiNode } from "../../context.js";
import type { RawValue } from "../json-reader.js";
import { invalidParams } from "../rpc-error.js";
import { addressMember, amountMember, MAX_WORD, Members, membersText, wordMember } from "./members.js";

/** The overridden accounts, by address. @throws {RpcError} */
export function readStateOverrides(
	context: ApiContext,
	value: RawValue | undefined,
	path = "",
): AccountEdit[] {
	if (value === undefined || value === null) return [];
	return Members.of(value, path || "the state override")
		.entries()
		.map(([name, account]) => {
			const address = addressMember(name, `${path || "the state override"}: ${name}`);
			return readAccount(context, address, Members.of(account, path ? `${path}.${name}` : name));
		});
}

function readAccount(context: ApiContext, address: Uint8Array, members: Members): AccountEdit {
	members.only(
		"balance",
		"nonce",
		"code",
		"state",
		"stateDiff",
		"movePrecompileToAddress",
		"movePrecompileTo",
		"tokens",
		"stakes",
		"permissions",
	);
	for (const name of ["movePrecompileToAddress", "movePrecompileTo"]) {
		if (members.has(name))
			throw invalidParams(`${members.pathOf(name)}: built-in contracts can't be moved here`);
	}
	// A zero nonce, which libraries send by default, is ignored.
	if ((members.amount("nonce", MAX_WORD) ?? 0n) !== 0n)
		throw invalidParams(`${members.pathOf("nonce")}: accounts of this network have no nonce`);
	if (members.has("state") && members.has("stateDiff"))
		throw invalidParams(`${members.path} has both state and stateDiff`);
	const stakes = members.child("stakes")?.only("bandwidth", "energy", "votes");
	const slots = members.child("state") ?? members.child("stateDiff");
	return {
		address,
		balanceSun: members.amount("balance"),
		code: members.bytes("code"),
		clearsStorage: members.has("state"),
		slots: (slots?.entries() ?? []).map(([slot, word]) => [
			wordMember(slot, slots?.path ?? ""),
			wordMember(word, slots?.pathOf(slot) ?? ""),
		]),
		tokens: (members.child("tokens")?.entries() ?? []).map(([id, units]) => [
			amountMember(id, members.pathOf("tokens")),
			amountMember(units, members.pathOf(`tokens.${id}`)),
		]),
		stakes: stakes && {
			bandwidthSun: stakes.amount("bandwidth"),
			energySun: stakes.amount("energy"),
			votes: stakes.amount("votes"),
		},
		permissions: readPermissions(context, members),
	};
}

/** In the JSON form of AccountPermissionUpdateContract: `owner`, `witness`, `actives`. */
function readPermissions(
	{ node }: ApiContext,
	members: Members,
): AccountPermissionUpdateContract | undefined {
	const given = members.get("permissions");
	if (given === undefined) return undefined;
	const text = membersText(
		Members.of(given, members.pathOf("permissions")).only("owner", "witness", "actives"),
	);
	const isVisible = !/"41[0-9a-f]{40}"/i.test(text);
	try {
		return decodeFields(
			AccountPermissionUpdateContract,
			text,
			isVisible,
			answersOf(node.config.node).library,
		);
	} catch (error) {
		if (error instanceof NamedError)
			throw invalidParams(`${members.pathOf("permissions")}: ${error.message}`);
		throw error;
	}
}

/** Overrides of a block; undefined members follow from the chain. */
export interface BlockOverride {
	readonly number: bigint | undefined;
	readonly timestampMs: bigint | undefined;
	/** 21 bytes. */
	readonly witness: Uint8Array | undefined;
	/** In sun. */
	readonly energyPriceSun: bigint | undefined;
	/** Total energy of the block's calls. */
	readonly energyLimit: bigint | undefined;
}

/** Members this network's blocks lack; Ethereum tools may send them as zero. */
const ABSENT = ["prevRandao", "random", "difficulty", "blobBaseFee", "parentBeaconBlockRoot"] as const;

/** In the form of Ethereum tools: `time` in seconds. @throws {RpcError} */
export function readBlockOverrides(value: RawValue | undefined, path = ""): BlockOverride | undefined {
	if (value === undefined || value === null) return undefined;
	const members = Members.of(value, path).only(
		"number",
		"time",
		"feeRecipient",
		"coinbase",
		"gasLimit",
		"baseFeePerGas",
		"baseFee",
		"withdrawals",
		...ABSENT,
	);
	for (const name of ABSENT) {
		if ((members.amount(name, MAX_WORD) ?? 0n) !== 0n)
			throw invalidParams(`${members.pathOf(name)}: blocks of this network don't have it`);
	}
	if (members.list("withdrawals").length > 0)
		throw invalidParams(`${members.pathOf("withdrawals")}: blocks of this network don't have it`);
	const seconds = members.amount("time", 1n << 50n);
	return {
		number: members.amount("number"),
		timestampMs: seconds === undefined ? undefined : seconds * 1000n,
		witness: members.address("feeRecipient") ?? members.address("coinbase"),
		energyPriceSun: members.amount("baseFeePerGas") ?? members.amount("baseFee"),
		energyLimit: members.amount("gasLimit"),
	};
}

/** The state with overridden accounts and block. @throws {RpcError} */
export function overlaid(
	state: StateView,
	edits: readonly AccountEdit[],
	block: BlockOverride | undefined,
): StateView {
	const { view } = layered(new StateLayer(state), edits);
	if (!block) return view;
	if (block.energyPriceSun !== undefined) view.properties.set("ENERGY_FEE", block.energyPriceSun);
	const head = headBlock(state);
	const raw = BlockHeaderRaw.create({
		...head?.raw,
		number: block.number ?? head?.number ?? 0n,
		timestamp: block.timestampMs ?? head?.timestampMs ?? 0n,
		witness_address: block.witness ?? head?.witness ?? new Uint8Array(0),
	});
	putHead(view, new SignedBlock(Block.create({ block_header: BlockHeader.create({ raw_data: raw }) }), []));
	return view;
}

function layered(layer: StateLayer, edits: readonly AccountEdit[]): StateLayer {
	try {
		return applyAccountEdits(layer, edits);
	} catch (error) {
		if (error instanceof SimulationError) throw invalidParams(error.message);
		throw error;
	}
}

/** The same request against the overridden state. @throws {RpcError} */
export function contextWith<C extends ApiContext>(
	context: C,
	edits: readonly AccountEdit[],
	block: BlockOverride | undefined,
): C {
	if (edits.length === 0 && !block) return context;
	const below = context.node;
	const node = Object.create(below, {
		view: { value: (server: ApiContext["server"]) => overlaid(below.view(server), edits, block) },
	}) as ApiNode;
	return { ...context, node, state: overlaid(context.state, edits, block) };
}

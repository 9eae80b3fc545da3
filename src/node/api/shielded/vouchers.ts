/** Positions of notes in the tree of the chain's own pool (protocol/shielded §5.3). */

import { equalBytes, toHex } from "../../../protocol/bytes.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import {
	IncrementalMerkleTree,
	IncrementalMerkleVoucher,
	IncrementalMerkleVoucherInfo,
	type OutputPoint,
	type OutputPointInfo,
	type ReceiveDescription,
	type ShieldedTransferContract,
} from "../../../protocol/messages.js";
import {
	appendLeaf,
	appendToVoucher,
	EMPTY_NOTE_TREE,
	encodePath,
	issueVoucher,
	type NoteTree,
	type NoteVoucher,
	voucherPath,
	voucherRoot,
} from "../../../protocol/sapling/incremental-tree.js";
import { EMPTY_TREE_ROOT } from "../../../protocol/sapling/sizes.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";
import { blockByNumber, locateTransaction } from "../../chain/block-store.js";
import { rootAfter, treeOfRoot } from "../../state/note-trees.js";
import type { StateView } from "../../state/view.js";
import type { ApiContext } from "../context.js";
import { RequestTurns } from "./scanning.js";

const MAX_BLOCKS = 1_000;
const MAX_POINTS = 10;
/** No transaction has more outputs, although the error text says otherwise. */
const INDEX_END = 10;
/** Maximum distance in blocks between the notes of one request. */
const MAX_DISTANCE = 100n;

const runtime = (text: string) => new NamedError("RuntimeException", text);

/** A reference to a note, and the block that contains it. */
interface Place {
	readonly hash: Uint8Array;
	readonly index: number;
	readonly block: bigint;
}

/** @throws {NamedError} */
function checkRequest(points: readonly Readonly<OutputPoint>[], blocks: number): void {
	if (blocks < 0 || blocks > MAX_BLOCKS) {
		throw new NamedError("BadItemException", "request.BlockNum must be specified with range in [0, 1000]");
	}
	if (points.length < 1 || points.length > MAX_POINTS) {
		throw new NamedError(
			"BadItemException",
			"request.OutPointsCount must be speccified with range in [1, 10]",
		);
	}
	for (const { index } of points) {
		if (index >= 0 && index < INDEX_END) continue;
		throw new NamedError("BadItemException", "outPoint.getIndex() > 10 || outPoint.getIndex() < 0");
	}
}

/** @throws {NamedError} */
function blockOf(state: StateView, hash: Uint8Array): bigint {
	const place = locateTransaction(state, hash);
	if (!place || "pending" in place || place.block <= 0n) throw runtime(`tx is not found:${toHex(hash)}`);
	return place.block;
}

/** The tree before a block. @throws {NamedError} */
function treeBefore(state: StateView, block: bigint): NoteTree {
	const root = rootAfter(state, block - 1n);
	if (!root) throw new NamedError("ItemNotFoundException", `number: ${block - 1n} is not found!`);
	const tree = treeOfRoot(state, root);
	if (tree) return IncrementalMerkleTree.decode(tree);
	if (equalBytes(root, EMPTY_TREE_ROOT)) return EMPTY_NOTE_TREE;
	throw runtime(`tree is null, treeRoot:${toHex(root)}`);
}

interface Commitment {
	readonly cm: Uint8Array;
	/** Whether this is the wanted note. */
	readonly isWanted: boolean;
}

/**
 * The commitments of a block, before and after the wanted one.
 * @throws {NamedError} if the note is not there
 */
function commitmentsAround(state: StateView, { hash, index, block }: Place): Commitment[] {
	const commitments: Commitment[] = [];
	let isFound = false;
	for (const transaction of blockByNumber(state, block)?.transactions ?? []) {
		const outputs = outputsOf(transaction);
		const isWanted =
			transaction.type?.name === "ShieldedTransferContract" && equalBytes(transaction.id, hash);
		if (isWanted && index >= outputs.length) {
			throw runtime(
				`outPoint.getIndex():${index} >= zkContract.getReceiveDescriptionCount():${outputs.length}`,
			);
		}
		isFound ||= isWanted;
		for (const [i, { note_commitment }] of outputs.entries()) {
			commitments.push({ cm: note_commitment, isWanted: isWanted && i === index });
		}
	}
	if (!isFound) throw runtime("cm not found");
	return commitments;
}

/** The input for one note, read in one go, since the chain may change later. */
interface VoucherWork {
	readonly before: NoteTree;
	readonly commitments: readonly Commitment[];
}

function commitmentsOfBlocks(state: StateView, from: bigint, to: bigint): Commitment[] {
	const commitments: Commitment[] = [];
	for (let number = from; number <= to; number++) {
		for (const transaction of blockByNumber(state, number)?.transactions ?? []) {
			for (const { note_commitment } of outputsOf(transaction)) {
				commitments.push({ cm: note_commitment, isWanted: false });
			}
		}
	}
	return commitments;
}

/** @throws {NamedError} */
function readWork(state: StateView, places: readonly Place[], blocks: number): VoucherWork[] {
	const large = places.reduce((most, { block }) => (block > most ? block : most), 0n);
	for (const { block } of places) {
		if (block + MAX_DISTANCE < large) {
			throw runtime(`blockNum:${block} + ${MAX_DISTANCE} < largeBlockNum:${large}`);
		}
	}
	const own = places.map((place) => ({
		before: treeBefore(state, place.block),
		commitments: [...commitmentsAround(state, place), ...commitmentsOfBlocks(state, place.block + 1n, large)],
	}));
	const last = large + BigInt(blocks);
	if (last > state.properties.headNumber) {
		throw runtime("synBlockNum is too large, cmBlockNum plus synBlockNum must be <= latestBlockNumber");
	}
	const later = blocks === 0 ? [] : commitmentsOfBlocks(state, large + 1n, last);
	return own.map(({ before, commitments }) => ({ before, commitments: [...commitments, ...later] }));
}

/** PERF: each leaf costs one hash on average. */
async function issue({ before, commitments }: VoucherWork, turns: RequestTurns): Promise<NoteVoucher> {
	let tree = before;
	let voucher: NoteVoucher | undefined;
	for (const { cm, isWanted } of commitments) {
		await turns.step();
		if (voucher) {
			voucher = appendToVoucher(voucher, cm);
			continue;
		}
		tree = appendLeaf(tree, cm);
		if (isWanted) voucher = issueVoucher(tree);
	}
	return voucher as NoteVoucher;
}

/**
 * Vouchers of notes, all at the same height: that of the latest note, plus some blocks.
 * @throws {NamedError | ShieldedError}
 */
export async function findVouchers(
	context: ApiContext,
	points: readonly Pick<OutputPoint, "hash" | "index">[],
	blocks: number,
): Promise<NoteVoucher[]> {
	checkRequest(points as readonly OutputPoint[], blocks);
	const state = context.node.view(context.server);
	const places = points.map(({ hash, index }) => ({ hash, index, block: blockOf(state, hash) }));
	const turns = new RequestTurns(context);
	const vouchers: NoteVoucher[] = [];
	for (const work of readWork(state, places, blocks)) vouchers.push(await issue(work, turns));
	return vouchers;
}

export const voucherMethods = {
	async GetMerkleTreeVoucherInfo(
		context: ApiContext,
		{ out_points, block_num }: Readonly<OutputPointInfo>,
	): Promise<IncrementalMerkleVoucherInfo> {
		const vouchers = await findVouchers(context, out_points, block_num);
		return IncrementalMerkleVoucherInfo.create({
			vouchers: vouchers.map((voucher) =>
				IncrementalMerkleVoucher.create({ ...voucher, rt: voucherRoot(voucher) }),
			),
			paths: vouchers.map((voucher) => encodePath(voucherPath(voucher))),
		});
	},
};

/** A transaction's new notes, if it is a shielded transfer. */
export function outputsOf(transaction: SignedTransaction): readonly Readonly<ReceiveDescription>[] {
	if (transaction.type?.name !== "ShieldedTransferContract") return [];
	return (transaction.parameter as ShieldedTransferContract).receive_description;
}

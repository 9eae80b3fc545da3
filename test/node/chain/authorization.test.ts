import { afterEach, describe, expect, it } from "vitest";
import { authorize, signatureFormRefusal } from "../../../src/node/chain/authorization.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { ContractValidateError } from "../../../src/node/rules/errors.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { Transaction, TransactionContract, TransactionRaw } from "../../../src/protocol/messages.js";
import { sign } from "../../../src/protocol/signature.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import { forge, keyOfWitness, openSmall, produce, smallConfig, transfer, users } from "./small-chain.js";

let open: OpenChain;
afterEach(() => open.close());

const withSignatures = (
	{ message }: SignedTransaction,
	signature: readonly Uint8Array[],
): SignedTransaction => new SignedTransaction(Transaction.create({ ...message, signature: [...signature] }));

/** Signs with a key that no account of the chain knows. */
const strangers = (transaction: SignedTransaction): Uint8Array => sign(transaction.id, Buffer.alloc(32, 7));

describe("a foreign signature", () => {
	it.each([
		["4.8.1", "its own hexadecimal digits"],
		["4.8.2", "the transaction's id"],
	] as const)("is named by a node of release %s by %s", async (release, _what) => {
		open = await openSmall({ config: smallConfig("", `node.release = "${release}"`) });
		const sent = transfer(open, 0, users[1] as Uint8Array, 1n);
		const signature = strangers(sent);
		const name = release === "4.8.2" ? sent.idHex : toHex(signature);
		expect(() => authorize(open.chain.environment, withSignatures(sent, [signature]))).toThrow(
			new RegExp(`^${name} is signed by T\\w{33} but it is not contained of permission\\.$`),
		);
	});

	it("makes a block bad whose transaction was checked with a good one while it was pending", async () => {
		open = await openSmall();
		produce(open);
		const { chain } = open;
		const good = transfer(open, 0, users[1] as Uint8Array, 1n);
		chain.pushTransaction(good);
		const witness = scheduledWitness(chain.state, 1n);
		const offer = (transaction: SignedTransaction): void => {
			const key = keyOfWitness(witness);
			const block = forge(chain.head, slotTimeMs(chain.state, 1n), {
				key,
				witness,
				transactions: [transaction],
			});
			chain.push(block, "peer");
		};
		const forged = withSignatures(good, [strangers(good)]);
		expect(forged.idHex).toBe(good.idHex);
		expect(() => offer(forged)).toThrow("is not contained of permission");
		expect(() => offer(withSignatures(good, []))).toThrow("miss sig or contract");
		expect(() => offer(good)).not.toThrow();
	});
});

describe("a contract of an unknown type with another permission than the owner's", () => {
	it.each([
		[255, "Permission denied"],
		[256, "Index 32 out of bounds for length 32"],
	])("is refused, type %d: %s", async (type, text) => {
		open = await openSmall();
		const sent = transfer(open, 0, users[1] as Uint8Array, 1n);
		const raw_data = TransactionRaw.create({
			...sent.raw,
			contract: [TransactionContract.create({ ...sent.contract, type, Permission_id: 2 })],
		});
		const unknown = new SignedTransaction(Transaction.create({ raw_data, signature: [strangers(sent)] }));
		expect(() => authorize(open.chain.environment, unknown)).toThrow(text);
	});
});

describe("a shielded transfer whose parameter is another message", () => {
	it("is refused for that in a block where it isn't signed, else for its signature", async () => {
		open = await openSmall();
		produce(open);
		const { chain } = open;
		const { message } = transfer(open, 0, users[1] as Uint8Array, 1n);
		const [contract] = message.raw_data?.contract ?? [];
		const shielded = TransactionContract.create({
			...contract,
			type: contractType("ShieldedTransferContract").id,
		});
		const raw_data = TransactionRaw.create({ ...message.raw_data, contract: [shielded] });
		const offer = (signature: readonly Uint8Array[]): void => {
			const witness = scheduledWitness(chain.state, 1n);
			const transaction = new SignedTransaction(Transaction.create({ raw_data, signature: [...signature] }));
			const key = keyOfWitness(witness);
			const forgery = { key, witness, transactions: [transaction] };
			chain.push(forge(chain.head, slotTimeMs(chain.state, 1n), forgery), "peer");
		};
		expect(() => offer([])).toThrow(ContractValidateError);
		expect(() => offer([])).toThrow("Type of the Any message does not match the given class.");
		expect(() => offer(message.signature)).toThrow(
			"there should be no signatures signed by transparent address",
		);
	});
});

describe("post-quantum signatures", () => {
	const field = fromHex("3206080112020102");
	const carrying = ({ message }: SignedTransaction, signature: readonly Uint8Array[]): SignedTransaction =>
		SignedTransaction.decode(
			Buffer.concat([
				Transaction.encode(Transaction.create({ ...message, signature: [...signature] })),
				field,
			]),
		);
	const NOT_ALLOWED = "pq_auth_sig not allowed: no post-quantum scheme is activated";

	it("are refused on Nile before a scheme is allowed, from outside and in blocks", async () => {
		open = await openSmall({ config: smallConfig("", "node.network = nile") });
		produce(open);
		const { chain } = open;
		const sent = transfer(open, 0, users[1] as Uint8Array, 1n);
		const alone = carrying(sent, []);
		expect(() => chain.pushTransaction(alone)).toThrow(NOT_ALLOWED);
		const witness = scheduledWitness(chain.state, 1n);
		const block = forge(chain.head, slotTimeMs(chain.state, 1n), {
			key: keyOfWitness(witness),
			witness,
			transactions: [alone],
		});
		expect(() => chain.push(block, "peer")).toThrow(NOT_ALLOWED);
		expect(chain.head.number).toBe(block.number - 1n);
	});

	it("are unknown fields on the main network, which are dropped", async () => {
		open = await openSmall({ config: smallConfig("", "node.network = main") });
		produce(open);
		const sent = transfer(open, 0, users[1] as Uint8Array, 1n);
		expect(() => open.chain.pushTransaction(carrying(sent, []))).toThrow("miss sig or contract");
		open.chain.pushTransaction(carrying(sent, sent.message.signature));
		const pooled = open.chain.pool.find(sent.idHex);
		expect(pooled && toHex(pooled.withResults([]).bytes)).toBe(toHex(sent.withResults([]).bytes));
	});
});

describe("signatures of a length that no node takes from outside", () => {
	it.each([
		[[], undefined],
		[[65], undefined],
		[[65, 66, 67, 68], undefined],
		[[64], 64],
		[[69], 69],
		[[65, 0], 0],
		[[65, 70, 1], 70],
	])("among those of %o bytes: %s", async (lengths, strange) => {
		open = await openSmall();
		const sent = transfer(open, 0, users[1] as Uint8Array, 1n);
		const signatures = lengths.map((length) => new Uint8Array(length));
		const refusal = signatureFormRefusal(withSignatures(sent, signatures), open.chain.state, open.rules);
		expect(refusal?.message).toBe(strange === undefined ? undefined : `Signature size is ${strange}`);
		expect(refusal?.peerMessage).toBe(strange === undefined ? undefined : `signature size is ${strange}`);
	});
});

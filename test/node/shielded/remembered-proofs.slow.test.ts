import { describe, expect, it } from "vitest";
import type { ProofQuestion } from "../../../src/node/shielded/proof-questions.js";
import { questionsOf } from "../../../src/node/shielded/proof-questions.js";
import { type ProofLane, ProofQueue, type ProofThreads } from "../../../src/node/shielded/proof-queue.js";
import type { ShieldedOutput, ShieldedSpend } from "../../../src/node/shielded/proofs.js";
import { RememberedProofs } from "../../../src/node/shielded/remembered-proofs.js";
import { SaplingVerifier } from "../../../src/node/shielded/verifier.js";
import { concatBytes, fromHex, toHex } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import {
	ShieldedTransferContract,
	SpendDescription,
	TriggerSmartContract,
} from "../../../src/protocol/messages.js";
import { buildOrc20Parameters, type Orc20Plan } from "../../../src/protocol/sapling/orc20-builder.js";
import { buildShieldedTransfer } from "../../../src/protocol/sapling/transfer-builder.js";
import { buildTransaction, type SignedTransaction } from "../../../src/protocol/transaction.js";
import { keysOf, ListeningProver, sendTo, spendOf, toolsWith } from "../../protocol/sapling/building.js";

const header = {
	refBlockBytes: new Uint8Array(2),
	refBlockHash: new Uint8Array(8),
	expirationMs: 1n,
	timestampMs: 0n,
};
const [sender, receiver] = [keysOf(1), keysOf(2)];
const contract = fromHex(`41${"ab".repeat(20)}`);
const SELECTORS = { mint: "855d175e", transfer: "9110a55b", burn: "cc105875" };

function call(data: Uint8Array): SignedTransaction {
	const trigger = TriggerSmartContract.create({ owner_address: contract, contract_address: contract, data });
	return buildTransaction(contractType("TriggerSmartContract"), trigger, header);
}

async function callOf(kind: Orc20Plan["kind"], spends: number, outputs: number): Promise<SignedTransaction> {
	const plan: Orc20Plan = {
		kind,
		contract,
		keys: sender,
		ovk: sender.ovk,
		spends: Array.from({ length: spends }, () => spendOf(sender, 10n)),
		outputs: Array.from({ length: outputs }, () => sendTo(receiver, 5n)),
		rawValue: 500n,
		payTo: contract,
	};
	const { trigger_contract_input } = await buildOrc20Parameters(plan, toolsWith(new ListeningProver()));
	return call(fromHex(SELECTORS[kind] + trigger_contract_input));
}

const poolTransfer = () =>
	buildShieldedTransfer(
		{ keys: sender, ovk: sender.ovk, spends: [spendOf(sender, 10n)], outputs: [sendTo(receiver, 10n)] },
		header,
		"1000001",
		toolsWith(new ListeningProver()),
	);

describe("proofs of a transaction", () => {
	it.each([
		["mint", 0, 1],
		["transfer", 1, 2],
		["transfer", 2, 2],
		["burn", 1, 0],
		["burn", 1, 1],
	] as const)(
		"are found in the call data of a %s of %i spends and %i outputs",
		async (kind, spends, outputs) => {
			const questions = questionsOf(await callOf(kind, spends, outputs));
			expect(questions.map((question) => question.kind)).toEqual([
				...Array(spends).fill("spend"),
				...Array(outputs).fill("output"),
			]);
			// The prover's first output is 192 bytes of 81.
			const last = questions.at(-1) as ProofQuestion;
			if (last.kind === "output") expect(toHex(last.bytes)).toMatch(/(81|82){192}$/);
		},
	);

	it("are found in a transfer of the chain's own pool", async () => {
		const questions = questionsOf(await poolTransfer());
		expect(questions.map(({ kind }) => kind)).toEqual(["spend", "output"]);
	});

	it.each(["", "9110a55b", `9110a55b${"ff".repeat(600)}`, `855d175e${"00".repeat(319)}`, "12345678"])(
		"are none in other data: %s",
		(data) => {
			expect(questionsOf(call(fromHex(data)))).toEqual([]);
		},
	);

	it("are none where their parts have other lengths", () => {
		const type = contractType("ShieldedTransferContract");
		const short = ShieldedTransferContract.create({
			spend_description: [SpendDescription.create({ zkproof: new Uint8Array(191) })],
		});
		expect(questionsOf(buildTransaction(type, short, header))).toEqual([]);
	});
});

/** Counts what is checked; proofs that begin with an even byte hold. */
class CountingVerifier extends SaplingVerifier {
	checked = 0;
	constructor() {
		super(
			() => true,
			() => true,
		);
	}

	override isAuthorized(): boolean {
		return true;
	}

	override provesSpend({ proof }: Omit<ShieldedSpend, "authorization">): boolean {
		this.checked++;
		return (proof[0] as number) % 2 === 0;
	}

	override holdsOutput({ proof }: ShieldedOutput): boolean {
		this.checked++;
		return (proof[0] as number) % 2 === 0;
	}
}

const spend = (first: number): ShieldedSpend => {
	const part = new Uint8Array(32);
	return {
		nullifier: part,
		anchor: part,
		valueCommitment: part,
		randomizedKey: part,
		proof: concatBytes(Uint8Array.of(first), new Uint8Array(191)),
		authorization: new Uint8Array(64),
	};
};

class FakeThreads implements ProofThreads {
	readonly atOnce = 1;
	asked: number[] = [];
	failing = false;

	async check({ bytes }: ProofQuestion): Promise<boolean> {
		this.asked.push(bytes[0] as number);
		if (this.failing) throw new Error("a thread ended");
		return false;
	}

	async close(): Promise<void> {}
}

describe("remembered proofs", () => {
	const hash = new Uint8Array(32);

	it("are checked once, whoever asks, and others are others", () => {
		const verifier = new CountingVerifier();
		const proofs = new RememberedProofs(verifier, undefined);
		expect([2, 2, 3, 3, 2].map((first) => proofs.holdsSpend(spend(first), hash))).toEqual([
			true,
			true,
			false,
			false,
			true,
		]);
		expect(verifier.checked).toBe(2);
	});

	it("are checked ahead on threads, each once however often it is asked for", async () => {
		const threads = new FakeThreads();
		const verifier = new CountingVerifier();
		const proofs = new RememberedProofs(verifier, threads);
		const transaction = await poolTransfer();
		await Promise.all([
			proofs.prepare([transaction], "transaction"),
			proofs.prepare([transaction, transaction], "block"),
		]);
		expect(proofs.prepare([transaction], "block")).toBeUndefined();
		expect(threads.asked.length).toBe(2);
		const { spend_description } = transaction.parameter as ShieldedTransferContract;
		const [made] = spend_description;
		if (!made) throw new Error("no spend");
		const asked = {
			nullifier: made.nullifier,
			anchor: made.anchor,
			valueCommitment: made.value_commitment,
			randomizedKey: made.rk,
			proof: made.zkproof,
			authorization: made.spend_authority_signature,
		};
		// The threads said no; the verifier would say so only of odd bytes.
		expect(proofs.holdsSpend(asked, hash)).toBe(false);
		expect(verifier.checked).toBe(0);
	});

	it("are checked where they are asked for when a thread fails", async () => {
		const threads = new FakeThreads();
		threads.failing = true;
		const verifier = new CountingVerifier();
		const proofs = new RememberedProofs(verifier, threads);
		const transaction = await callOf("mint", 0, 1);
		await expect(proofs.prepare([transaction], "transaction")).resolves.toBeUndefined();
		expect(proofs.holdsSpend(spend(4), hash)).toBe(true);
		expect(verifier.checked).toBe(1);
	});
});

describe("proofs that wait for threads", () => {
	const question = (first: number): ProofQuestion => ({ kind: "output", bytes: Uint8Array.of(first) });

	function build() {
		const threads = new FakeThreads();
		const answers: string[] = [];
		const queue = new ProofQueue(threads, (key) => answers.push(key));
		const ask = (first: number, lane: ProofLane) => queue.ask(`${first}`, question(first), lane);
		return { threads, answers, ask };
	}

	it("let those of blocks pass, those included that a transaction asked for before", async () => {
		const { threads, answers, ask } = build();
		const waits = [1, 2, 3].map((first) => ask(first, "transaction"));
		waits.push(ask(4, "block"), ask(3, "block"), ask(3, "transaction"), ask(1, "block"));
		await Promise.all(waits);
		expect(threads.asked).toEqual([1, 4, 3, 2]);
		expect(answers).toEqual(["1", "4", "3", "2"]);
	});

	it("go on when one of them can't be checked", async () => {
		const { threads, answers, ask } = build();
		threads.failing = true;
		const failed = ask(1, "block");
		const next = ask(2, "block");
		await failed;
		threads.failing = false;
		await next;
		await ask(3, "block");
		expect(answers.at(-1)).toBe("3");
		expect(answers).not.toContain("1");
	});

	it("are a limited number", () => {
		const { ask } = build();
		const asked = Array.from({ length: 9_000 }, (_, first) => ask(first, "transaction"));
		expect(asked.filter((wait) => wait !== undefined).length).toBe(8_192);
	});
});

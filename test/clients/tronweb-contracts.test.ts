import type { Contract } from "tronweb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Person } from "./deployed-chain.js";
import { coupon, startTronWebChain, type TronWebChain } from "./tronweb-chain.js";

let chain: TronWebChain;
let ann: Person;
let bob: Person;
let contract: Contract;
let address: string;

const SUPPLY = 1_000_000;
const options = { feeLimit: 1_000_000_000, callValue: 0 };

beforeAll(async () => {
	chain = await startTronWebChain();
	[ann, bob] = chain.people as [Person, Person];
	// The network's schema has no members of structures, and the library can't read an interface without them.
	const storable = coupon.abi.filter(({ name }) => name !== "holdings");
	const deployed = await chain.web.contract().new({
		abi: storable,
		bytecode: coupon.bytecode,
		name: "Coupon",
		parameters: ["Coupon", SUPPLY],
		feeLimit: 1_000_000_000,
		userFeePercentage: 50,
		originEnergyLimit: 5_000_000,
	} as never);
	address = chain.web.address.fromHex(String(deployed.address));
	contract = chain.web.contract(coupon.abi, address);
});
afterAll(() => chain.close());

/** A method of the contract's interface with its arguments. */
interface Bound {
	call(): Promise<unknown>;
	send(options: object): Promise<unknown>;
}

function method(name: string, ...values: readonly unknown[]): Bound {
	const bind = (contract.methods as Readonly<Record<string, (...values: readonly unknown[]) => Bound>>)[name];
	if (!bind) throw new Error(`the contract has no method ${name}`);
	return bind(...values);
}

const transfer = [
	{ type: "address", value: "" },
	{ type: "uint256", value: 7 },
] as const;
const payment = (to: Person) => [{ ...transfer[0], value: to.address }, transfer[1]];

describe("a contract", () => {
	it("is found where it was deployed, with its interface", async () => {
		const { web } = chain;
		const found = await web.contract().at(address);
		expect(found.deployed).toBe(true);
		expect(Object.keys(found.methodInstances)).toContain("transfer(address,uint256)");
		expect(await web.trx.getContract(address)).toMatchObject({
			name: "Coupon",
			origin_address: ann.hex,
			consume_user_resource_percent: 50,
		});
		expect(await web.trx.getContractInfo(address)).toMatchObject({ smart_contract: { name: "Coupon" } });
		await expect(web.contract().at(bob.address)).rejects.toThrow();
	});

	it("answers calls in the types of its interface", async () => {
		expect(await method("name").call()).toBe("Coupon");
		expect(await method("decimals").call()).toBe(6n);
		expect(await method("balanceOf", ann.address).call()).toBe(BigInt(SUPPLY));
		expect(await method("issuer").call()).toBe(ann.hex);
		const list = (await method("holdings", [ann.address, bob.address]).call()) as unknown[];
		expect(list.flat(3).map(String)).toEqual([ann.hex, String(SUPPLY), bob.hex, "0"]);
		const several = await method("several", -5, `0x${"ab".repeat(32)}`, true).call();
		expect([...(several as Iterable<unknown>)]).toEqual([5n, `0x${"ab".repeat(32)}`, false, "several"]);
		expect(await contract.read.balanceOf([ann.address])).toBe(BigInt(SUPPLY));
		const { web } = chain;
		const raw = await web.transactionBuilder.triggerConstantContract(
			address,
			"decimals()",
			{},
			[],
			ann.address,
		);
		expect(raw).toMatchObject({ result: { result: true }, constant_result: ["6".padStart(64, "0")] });
		const solid = web.transactionBuilder.triggerConfirmedConstantContract(
			address,
			"decimals()",
			{},
			[],
			ann.address,
		);
		expect(await solid).toMatchObject({ constant_result: ["6".padStart(64, "0")] });
	});

	it("takes transactions, whose results are waited for", async () => {
		const { web } = chain;
		const result = await method("transfer", bob.address, 10).send({ ...options, shouldPollResponse: true });
		expect(String(result)).toBe("true");
		const [id, outcome] = (await method("transfer", bob.address, 10).send({
			...options,
			shouldPollResponse: true,
			keepTxID: true,
		})) as [string, unknown];
		expect(String(outcome)).toBe("true");
		const txID = await contract.write.transfer([bob.address, 10]);
		for (const done of [id, txID])
			expect(await web.trx.getTransactionInfo(done)).toMatchObject({ receipt: { result: "SUCCESS" } });
		expect(await method("balanceOf", bob.address).call()).toBe(30n);
		const stored = await web.trx.getTransaction(id);
		const { data } = (stored.raw_data.contract[0] as { parameter: { value: { data: string } } }).parameter
			.value;
		expect(contract.decodeInput(data)).toMatchObject({ name: "transfer" });
	});

	it("takes coins with a call", async () => {
		const before = (await method("held").call()) as bigint;
		const id = String(await method("note", "for you", "0x0102").send({ ...options, callValue: 99 }));
		expect(await method("held").call()).toBe(before + 99n);
		expect(await chain.web.trx.getUnconfirmedTransactionInfo(id)).toMatchObject({
			contract_address: chain.web.address.toHex(address),
		});
	});

	it("refuses with its reason", async () => {
		const { transactionBuilder: build } = chain.web;
		const tooMuch = [
			{ ...transfer[0], value: bob.address },
			{ type: "uint256", value: `1${"0".repeat(18)}` },
		];
		await expect(
			build.triggerConstantContract(address, "transfer(address,uint256)", {}, tooMuch, ann.address),
		).rejects.toThrow("REVERT opcode executed");
		await expect(
			method("transfer", bob.address, 10n ** 18n).send({
				...options,
				shouldPollResponse: true,
				rawResponse: true,
			}),
		).rejects.toMatchObject({ error: expect.stringContaining("REVERT") });
	});

	it("is estimated, with and without a transaction", async () => {
		const { transactionBuilder: build } = chain.web;
		const estimate = await build.estimateEnergy(
			address,
			"transfer(address,uint256)",
			{},
			payment(bob),
			ann.address,
		);
		expect(estimate.result).toEqual({ result: true });
		expect(estimate.energy_required).toBeGreaterThan(1_000);
		const argumentsHex = chain.web.utils.abi.encodeParams(["string", "uint256"], ["Coupon", SUPPLY]).slice(2);
		const input = coupon.bytecode.slice(2) + argumentsHex;
		const deployment = await build.deployConstantContract({ input, ownerAddress: ann.address });
		expect(deployment.energy_required).toBeGreaterThan(100_000);
	});

	it("is triggered by transactions that the node or the library builds", async () => {
		const { transactionBuilder: build } = chain.web;
		const selector = "transfer(address,uint256)";
		for (const txLocal of [true, false]) {
			const { result, transaction } = await build.triggerSmartContract(
				address,
				selector,
				{ feeLimit: 1e9, txLocal },
				payment(bob),
				ann.address,
			);
			expect(result).toEqual({ result: true });
			expect(await chain.act(transaction)).toMatchObject({ receipt: { result: "SUCCESS" } });
		}
	});

	it("has settings that its owner changes", async () => {
		const { transactionBuilder: build, trx } = chain.web;
		await chain.act(build.updateSetting(address, 20, ann.address));
		await chain.act(build.updateEnergyLimit(address, 3_000_000, ann.address));
		expect(await trx.getContract(address)).toMatchObject({
			consume_user_resource_percent: 20,
			origin_energy_limit: 3_000_000,
		});
	});
});

describe("events", () => {
	it("are found by contract, by transaction and by block", async () => {
		const { event } = chain.web;
		const id = String(await method("transfer", bob.address, 3).send(options));
		const { blockNumber } = await chain.web.trx.getUnconfirmedTransactionInfo(id);
		const expected = {
			event_name: "Transfer",
			transaction_id: id,
			block_number: blockNumber,
			contract_address: address,
			result: expect.objectContaining({ value: "3" }),
		};
		for (const found of [
			await event.getEventsByContractAddress(address, {
				eventName: "Transfer",
				orderBy: "block_timestamp,desc",
				limit: 1,
			}),
			await event.getEventsByTransactionID(id),
			await event.getEventsByBlockNumber(blockNumber),
			await event.getEventsOfLatestBlock(),
		])
			expect(found.data).toMatchObject([expected]);
		expect(await chain.web.getEventByTransactionID(id)).toMatchObject({ success: true });
		const confirmed = await event.getEventsByTransactionID(id, { only_confirmed: true });
		expect(confirmed.data).toMatchObject([expected]);
		expect(await chain.web.getEventResult(address, { limit: 2 })).toMatchObject({ success: true });
	});

	it("are walked through page by page, in both orders and within blocks and times", async () => {
		const sent: string[] = [];
		for (const amount of [11, 12, 13, 14]) {
			sent.push(String(await method("transfer", bob.address, amount).send(options)));
		}
		const walk = async (orderBy: "block_timestamp,asc" | "block_timestamp,desc"): Promise<unknown[]> => {
			const found: unknown[] = [];
			let fingerprint: string | undefined;
			for (let pages = 0; pages < 100; pages++) {
				const page = await chain.web.getEventResult(address, {
					eventName: "Transfer",
					orderBy,
					limit: 2,
					...(fingerprint === undefined ? {} : { fingerprint }),
				});
				if (!page.success) throw new Error(JSON.stringify(page));
				found.push(...(page.data ?? []).map((one) => one.transaction_id));
				fingerprint = page.meta?.fingerprint;
				if (fingerprint === undefined) return found;
			}
			throw new Error("pages without end");
		};
		const newest = await walk("block_timestamp,desc");
		expect(newest.slice(0, 4)).toEqual(sent.toReversed());
		expect(await walk("block_timestamp,asc")).toEqual(newest.toReversed());
		const { blockNumber, blockTimeStamp } = await chain.web.trx.getUnconfirmedTransactionInfo(
			String(sent[1]),
		);
		const one = await chain.web.getEventResult(address, { blockNumber, eventName: "Transfer" });
		expect(one.data?.map((row) => row.transaction_id)).toEqual([sent[1]]);
		const since = await chain.web.getEventResult(address, { minBlockTimestamp: blockTimeStamp });
		const ids = since.data?.map((row) => row.transaction_id) ?? [];
		expect(ids).toEqual(expect.arrayContaining(sent.slice(1)));
		const foreign = await chain.web
			.getEventResult(address, { fingerprint: "abc" })
			.catch((error: unknown) => error);
		expect(String((foreign as Error).message ?? foreign)).toMatch(/400/);
	});
});

describe("an interface", () => {
	it("is taken from the chain when its owner clears it", async () => {
		const { transactionBuilder: build, trx } = chain.web;
		await chain.act(build.clearABI(address, ann.address));
		expect((await trx.getContract(address)).abi).toEqual({});
	});
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Person } from "./deployed-chain.js";
import { startTronWebChain, type TronWebChain } from "./tronweb-chain.js";

let chain: TronWebChain;
let ann: Person;
let bob: Person;
let carol: Person;
let dora: Person;
let emil: Person;

beforeAll(async () => {
	chain = await startTronWebChain();
	[ann, bob, carol, dora, emil] = chain.people as [Person, Person, Person, Person, Person];
});
afterAll(() => chain.close());

const later = async (seconds: number): Promise<void> => {
	await chain.dev("evm_increaseTime", seconds);
	await chain.dev("evm_mine");
};
const headMs = async (): Promise<number> =>
	(await chain.web.trx.getCurrentBlock()).block_header.raw_data.timestamp;

/** The answer to a transaction that must be refused. */
async function refused(built: Promise<unknown>): Promise<string> {
	try {
		await built;
	} catch (error) {
		return (error as Error).message;
	}
	throw new Error("nothing was refused");
}

describe("coins and accounts", () => {
	it("are sent, created, named and given ids", async () => {
		const { web, act } = chain;
		const { transactionBuilder: build, trx } = web;
		const before = await trx.getBalance(bob.address);
		const info = await act(build.sendTrx(bob.address, 1_000_000, ann.address));
		expect(info.receipt.net_usage).toBeGreaterThan(200);
		expect(await trx.getBalance(bob.address)).toBe(before + 1_000_000);

		const fresh = await web.createAccount();
		await act(build.createAccount(fresh.address.base58, ann.address));
		expect(await trx.getAccount(fresh.address.base58)).toMatchObject({
			address: fresh.address.hex.toLowerCase(),
		});
		await act(build.updateAccount("ann the first", ann.address));
		await act(build.setAccountId(web.toHex("annidentifier"), ann.address));
		for (const account of [
			await trx.getAccount(ann.address),
			await trx.getUnconfirmedAccount(ann.address),
			await trx.getAccountById(web.toHex("annidentifier")),
			await trx.getUnconfirmedAccountById(web.toHex("annidentifier")),
		])
			expect(account).toMatchObject({ address: ann.hex, account_name: web.toHex("ann the first").slice(2) });
	});

	it("are sent by the short forms that build, sign and broadcast", async () => {
		const { trx } = chain.web;
		const before = await trx.getBalance(carol.address);
		expect(await trx.sendTransaction(carol.address, 10, { privateKey: bob.key })).toMatchObject({
			result: true,
		});
		expect(await trx.send(carol.address, 10)).toMatchObject({ result: true });
		expect(await trx.sendTrx(carol.address, 10)).toMatchObject({ result: true });
		expect(await trx.getBalance(carol.address)).toBe(before + 30);
	});

	it("are sent in hexadecimal", async () => {
		const { web } = chain;
		const built = await web.transactionBuilder.sendTrx(carol.address, 7, bob.address);
		const signed = await web.trx.sign(built, bob.key);
		const raw = signed.raw_data_hex;
		const [signature = ""] = signed.signature;
		const field = (tag: string, hex: string): string => {
			const length = hex.length / 2;
			const bytes = length < 128 ? [length] : [(length & 127) | 128, length >> 7];
			return tag + Buffer.from(bytes).toString("hex") + hex;
		};
		const answer = await web.trx.sendHexTransaction(field("0a", raw) + field("12", signature));
		expect(answer).toMatchObject({ result: true, code: "SUCCESS", txid: built.txID });
	});

	it("are refused with the network's code and text", async () => {
		const { transactionBuilder: build, trx } = chain.web;
		expect(await refused(chain.act(build.sendTrx(bob.address, 9e14, ann.address)))).toBe(
			"refused: CONTRACT_VALIDATE_ERROR Contract validate error : Validate TransferContract error, balance is not sufficient.",
		);
		const built = await build.sendTrx(bob.address, 5, ann.address);
		const signed = await trx.sign(built, ann.key);
		expect(await trx.sendRawTransaction(signed)).toMatchObject({ result: true });
		expect(await trx.sendRawTransaction(signed)).toMatchObject({ code: "DUP_TRANSACTION_ERROR" });
	});

	it("keep a memo and a longer life that are added after building", async () => {
		const { transactionBuilder: build, trx } = chain.web;
		const built = await build.sendTrx(bob.address, 5, ann.address);
		const longer = await build.extendExpiration(built, 600);
		expect(longer.raw_data.expiration).toBe(built.raw_data.expiration + 600_000);
		const noted = await build.addUpdateData(longer, "for lunch", "utf8");
		expect(noted.txID).not.toBe(built.txID);
		const info = await chain.act(noted);
		expect(info.fee).toBe(1_000_000);
		const stored = await trx.getTransaction(noted.txID);
		expect(stored.raw_data).toMatchObject({ data: Buffer.from("for lunch").toString("hex") });
	});
});

describe("tokens", () => {
	const sale = (name: string, nowMs: number) => ({
		name,
		abbreviation: name.slice(0, 3).toUpperCase(),
		description: "a coupon",
		url: "https://coupon.example",
		totalSupply: 1_000_000_000,
		trxRatio: 1,
		tokenRatio: 2,
		saleStart: nowMs + 60_000,
		saleEnd: nowMs + 86_400_000,
		freeBandwidth: 0,
		freeBandwidthLimit: 0,
		frozenAmount: 10,
		frozenDuration: 1,
		precision: 6,
	});
	let id: string;

	it("are issued, listed, sent, bought and changed", async () => {
		const { web, act } = chain;
		const { transactionBuilder: build, trx } = web;
		const issued = await act(build.createAsset(sale("Coupon", await headMs()), ann.address));
		id = String(issued["assetIssueID"]);
		const token = { id, name: "Coupon", owner_address: ann.hex, total_supply: 1_000_000_000, num: 2 };
		expect((await trx.getTokensIssuedByAddress(ann.address))["Coupon"]).toMatchObject(token);
		expect(await trx.getTokenByID(id)).toMatchObject(token);
		expect(await trx.getTokenFromID(id)).toMatchObject(token);
		expect(await trx.getTokenListByName("Coupon")).toMatchObject([token]);
		expect(await trx.listTokens()).toMatchObject([token]);
		expect(await trx.listTokens(10, 0)).toMatchObject([token]);

		await act(build.sendToken(bob.address, 5, id, ann.address));
		await act(build.sendAsset(bob.address, 5, id, ann.address));
		expect(await trx.sendToken(bob.address, 5, id)).toMatchObject({ result: true });
		expect(await trx.getAccount(bob.address)).toMatchObject({ assetV2: [{ key: id, value: 15 }] });

		await later(120);
		await act(build.purchaseToken(ann.address, id, 7, carol.address), carol);
		await act(build.purchaseAsset(ann.address, id, 7, carol.address), carol);
		expect(await trx.getAccount(carol.address)).toMatchObject({ assetV2: [{ key: id, value: 28 }] });

		const update = {
			description: "new",
			url: "https://new.example",
			freeBandwidth: 0,
			freeBandwidthLimit: 0,
		};
		await act(build.updateToken(update, ann.address));
		await act(build.updateAsset({ ...update, description: "newer" }, ann.address));
		expect(await trx.getTokenByID(id)).toMatchObject({ description: "newer", url: "https://new.example" });
		await act(build.createToken(sale("Voucher", await headMs()), bob.address), bob);
		expect(await trx.listTokens()).toHaveLength(2);
	});

	it("are traded on exchanges", async () => {
		const { transactionBuilder: build, trx } = chain.web;
		const made = await chain.act(build.createTRXExchange(id, 10_000, 20_000, ann.address));
		const exchange = Number(made["exchange_id"]);
		expect(await trx.getExchangeByID(exchange)).toMatchObject({
			creator_address: ann.hex,
			first_token_balance: 10_000,
			second_token_balance: 20_000,
		});
		const injected = await chain.act(build.injectExchangeTokens(exchange, id, 100, ann.address));
		expect(injected).toMatchObject({ exchange_inject_another_amount: 200 });
		const withdrawn = await chain.act(build.withdrawExchangeTokens(exchange, id, 100, ann.address));
		expect(withdrawn).toMatchObject({ exchange_withdraw_another_amount: 200 });
		await expect(chain.act(build.tradeExchangeTokens(exchange, id, 100, 1, ann.address))).rejects.toThrow(
			"ExchangeTransactionContract is rejected",
		);
		await chain.dev("dev_setParameter", "ALLOW_HARDEN_EXCHANGE_CALCULATION", 1);
		const traded = await chain.act(build.tradeExchangeTokens(exchange, id, 100, 1, ann.address));
		expect(traded).toMatchObject({ exchange_received_amount: 198 });

		const [other] = Object.values(await trx.getTokensIssuedByAddress(bob.address));
		await chain.act(build.sendToken(ann.address, 5_000, String(other?.["id"]), bob.address), bob);
		await chain.act(build.createTokenExchange(id, 1_000, String(other?.["id"]), 1_000, ann.address));
		expect(await trx.listExchanges()).toHaveLength(2);
		expect(await trx.listExchangesPaginated(1, 1)).toMatchObject([{ exchange_id: 2 }]);
	});
});

describe("resources", () => {
	it("are staked, delegated, unstaked, cancelled and withdrawn", async () => {
		const { act } = chain;
		const { transactionBuilder: build, trx } = chain.web;
		await act(build.freezeBalanceV2(100_000_000, "ENERGY", dora.address), dora);
		await act(build.freezeBalanceV2(100_000_000, "BANDWIDTH", dora.address), dora);
		expect(await trx.getCanDelegatedMaxSize(dora.address, "ENERGY")).toEqual({ max_size: 100_000_000 });
		const resources = await trx.getAccountResources(dora.address);
		expect(resources.EnergyLimit).toBeGreaterThan(0);
		expect(await trx.getBandwidth(dora.address)).toBeGreaterThan(5_000);

		await act(build.delegateResource(10_000_000, bob.address, "ENERGY", dora.address), dora);
		await act(build.delegateResource(5_000_000, carol.address, "BANDWIDTH", dora.address, true, 20), dora);
		for (const confirmed of [true, false]) {
			const held = await trx.getDelegatedResourceV2(dora.address, bob.address, { confirmed });
			expect(held).toEqual({
				delegatedResource: [{ from: dora.hex, to: bob.hex, frozen_balance_for_energy: 10_000_000 }],
			});
			const index = await trx.getDelegatedResourceAccountIndexV2(dora.address, { confirmed });
			expect(index).toEqual({ account: dora.hex, toAccounts: [bob.hex, carol.hex] });
		}
		const locked = build.undelegateResource(5_000_000, carol.address, "BANDWIDTH", dora.address);
		expect(await refused(act(locked, dora))).toContain("insufficient delegatedFrozenBalance(BANDWIDTH)");
		await act(build.undelegateResource(10_000_000, bob.address, "ENERGY", dora.address), dora);

		await act(build.unfreezeBalanceV2(20_000_000, "ENERGY", dora.address), dora);
		expect(await trx.getAvailableUnfreezeCount(dora.address)).toEqual({ count: 31 });
		await act(build.cancelUnfreezeBalanceV2(dora.address), dora);
		await act(build.unfreezeBalanceV2(20_000_000, "ENERGY", dora.address), dora);
		await later(120);
		const at = Date.now() + 3_600_000;
		expect(await trx.getCanWithdrawUnfreezeAmount(dora.address, at)).toEqual({ amount: 20_000_000 });
		expect(await act(build.withdrawExpireUnfreeze(dora.address), dora)).toMatchObject({
			withdraw_expire_amount: 20_000_000,
		});
	});

	it("of the older kind are closed", async () => {
		const { transactionBuilder: build } = chain.web;
		const freeze = build.freezeBalance(10_000_000, 3, "ENERGY", dora.address);
		expect(await refused(chain.act(freeze, dora))).toContain("freeze v2 is open, old freeze is closed");
		const unfreeze = build.unfreezeBalance("ENERGY", dora.address);
		expect(await refused(chain.act(unfreeze, dora))).toContain("no frozenBalance(Energy)");
	});
});

describe("witnesses and proposals", () => {
	it("are applied for, voted for and rewarded", async () => {
		const { act, producer } = chain;
		const { transactionBuilder: build, trx } = chain.web;
		await act(build.applyForSR(carol.address, "https://carol.example"), carol);
		await act(build.updateWitness(carol.address, "https://carol2.example"), carol);
		await act(build.updateBrokerage(33, carol.address), carol);
		const witnesses = await trx.listSuperRepresentatives();
		expect(witnesses).toContainEqual({ address: carol.hex, url: "https://carol2.example" });
		expect(await trx.getNowWitnessList()).toHaveLength(2);
		expect(await trx.getBrokerage(carol.address)).toBe(20);
		expect(await trx.getUnconfirmedReward(producer.address)).toBeGreaterThan(0);
		expect(await trx.getReward(carol.address)).toBe(0);
		expect(await refused(act(build.withdrawBlockRewards(carol.address), carol))).toContain(
			"witnessAccount does not have any reward",
		);
		await act(build.freezeBalanceV2(10_000_000, "ENERGY", emil.address), emil);
		await act(build.vote({ [carol.address]: 5, [producer.address]: 3 }, emil.address), emil);
		const { votes } = await trx.getAccount(emil.address);
		expect(votes).toEqual([
			{ vote_address: carol.hex, vote_count: 5 },
			{ vote_address: producer.hex, vote_count: 3 },
		]);
		expect(await trx.timeUntilNextVoteCycle()).toBeGreaterThan(0);
	});

	it("change parameters of the chain", async () => {
		const { act, producer } = chain;
		const { transactionBuilder: build, trx } = chain.web;
		const [energyFee, transactionFee] = [
			{ key: 11, value: 210 },
			{ key: 3, value: 1_000 },
		];
		await act(build.createProposal(energyFee as never, producer.address), producer);
		await act(build.createProposal([energyFee, transactionFee] as never, producer.address), producer);
		await act(build.voteProposal(1, true, producer.address), producer);
		await act(build.deleteProposal(2, producer.address), producer);
		expect(await trx.getProposal(1)).toMatchObject({ parameters: [energyFee], approvals: [producer.hex] });
		expect(await trx.listProposals()).toMatchObject([
			{ proposal_id: 2, state: "CANCELED" },
			{ proposal_id: 1 },
		]);
		expect(await trx.getChainParameters()).toContainEqual({ key: "getEnergyFee", value: 100 });
	});
});

describe("permissions", () => {
	it("of several keys are set, weighed and met", async () => {
		const { act, people } = chain;
		const { transactionBuilder: build, trx } = chain.web;
		const [fred, gina] = [people[5], people[6]] as [Person, Person];
		const keys = (...holders: Person[]) => holders.map(({ hex }) => ({ address: hex, weight: 1 }));
		const permission = (type: number, name: string, holders: Person[], more: object = {}) =>
			({ type, permission_name: name, threshold: 2, keys: keys(...holders), ...more }) as never;
		const operations = "7fff1fc0037e0100000000000000000000000000000000000000000000000000";
		const update = build.updateAccountPermissions(fred.address, permission(0, "owner", [fred, gina]), null, [
			permission(2, "active0", [gina, emil], { operations }),
		] as never);
		expect(await act(update, fred)).toMatchObject({ fee: 100_000_000 });

		const built = await build.sendTrx(bob.address, 5, fred.address);
		expect(await trx.getSignWeight(built)).toMatchObject({ result: { code: "NOT_ENOUGH_PERMISSION" } });
		const once = await trx.multiSign(built, fred.key, 0);
		expect(await trx.getSignWeight(once)).toMatchObject({ current_weight: 1, approved_list: [fred.hex] });
		expect(await trx.broadcast(once)).toMatchObject({ code: "SIGERROR" });
		const twice = await trx.multiSign(once, gina.key, 0);
		expect((await trx.getApprovedList(twice)).approved_list).toEqual([fred.hex, gina.hex]);
		expect(await trx.broadcast(twice)).toMatchObject({ result: true });

		const byActive = await build.sendTrx(bob.address, 5, fred.address, { permissionId: 2 });
		const both = await trx.multiSign(await trx.multiSign(byActive, emil.key, 2), gina.key, 2);
		expect(await trx.getSignWeight(both, 2)).toMatchObject({ current_weight: 2 });
		expect(await trx.broadcast(both)).toMatchObject({ result: true });
	});
});

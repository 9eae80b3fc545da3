/** The web library of the network on a development chain, and its contract fixture. */

import { readFileSync } from "node:fs";
import { TronWeb, type Types } from "tronweb";
import { type DeployedChain, type Person, startDeployedChain } from "./deployed-chain.js";

interface Artifact {
	readonly abi: readonly Types.FunctionFragment[];
	readonly bytecode: string;
}

export const coupon: Artifact = JSON.parse(
	readFileSync(new URL("contracts/Coupon.json", import.meta.url), "utf8"),
);

type Built = Types.Transaction<Types.ContractParamter>;

/** What the library's types say of receipts is less than there is. */
export type Receipt = Types.TransactionInfo & Readonly<Record<string, unknown>>;

export interface TronWebChain extends DeployedChain {
	/** Acts as the first person, over the gateway. */
	readonly web: TronWeb;
	/** Signs with a person's key, broadcasts, and waits for the receipt. */
	act(built: Promise<Built> | Built, by?: Person): Promise<Receipt>;
}

export async function startTronWebChain(): Promise<TronWebChain> {
	const chain = await startDeployedChain();
	const [first] = chain.people as [Person];
	const web = new TronWeb({
		fullHost: chain.gateway,
		privateKey: first.key,
	});
	const act: TronWebChain["act"] = async (built, by = first) => {
		const signed = await web.trx.sign(await built, by.key);
		const answer = await web.trx.sendRawTransaction(signed);
		if (answer.result !== true) {
			const message = Buffer.from(String(answer.message), "hex").toString("utf8");
			throw new Error(`refused: ${answer.code} ${message}`);
		}
		const info = await web.trx.getUnconfirmedTransactionInfo(signed.txID);
		if (info.id !== signed.txID) throw new Error(`no receipt of ${signed.txID}`);
		return info as Receipt;
	};
	return { ...chain, web, act };
}

export interface DeployedCoupon {
	/** Base58Check. */
	readonly address: string;
	/** 20 bytes, as JSON-RPC has it. */
	readonly address20: `0x${string}`;
	/** Of the transaction that deployed it, and of a payment of 7 from the first to the second person. */
	readonly deployment: `0x${string}`;
	readonly payment: `0x${string}`;
}

/** Deploys the fixture with a supply of a million, all of it the first person's, and pays once. */
export async function deployCoupon({ web, act, people }: TronWebChain): Promise<DeployedCoupon> {
	const [ann, bob] = people as [Person, Person];
	const built = await web.transactionBuilder.createSmartContract(
		{
			abi: [],
			bytecode: coupon.bytecode,
			rawParameter: web.utils.abi.encodeParams(["string", "uint256"], ["Coupon", 1_000_000]).slice(2),
			feeLimit: 1_000_000_000,
			userFeePercentage: 100,
			originEnergyLimit: 5_000_000,
		} as never,
		ann.address,
	);
	await act(built);
	const address = web.address.fromHex(built.contract_address);
	const parameters = [
		{ type: "address", value: bob.address },
		{ type: "uint256", value: 7 },
	];
	const selector = "transfer(address,uint256)";
	const { transaction } = await web.transactionBuilder.triggerSmartContract(
		address,
		selector,
		{ feeLimit: 1_000_000_000 },
		parameters,
		ann.address,
	);
	await act(transaction);
	return {
		address,
		address20: `0x${built.contract_address.slice(2)}`,
		deployment: `0x${built.txID}`,
		payment: `0x${transaction.txID}`,
	};
}

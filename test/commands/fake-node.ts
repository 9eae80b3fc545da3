/**
 * A node as far as commands see it: a small chain in memory behind real HTTP, with the answers' forms of protocol/http.
 * Every answer can be replaced, so that tests can play a broken or a lying node.
 */

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { refBlockOf, SignedBlock } from "../../src/protocol/block.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { getField, type Message } from "../../src/protocol/codec/descriptor.js";
import { type ContractType, contractTypeByName } from "../../src/protocol/contract-types.js";
import type { Dialect } from "../../src/protocol/dialect.js";
import { decodeFields } from "../../src/protocol/json/field-decoder.js";
import { printMessage } from "../../src/protocol/json/message-writer.js";
import { blockJson, transactionJson } from "../../src/protocol/json/transaction-json.js";
import {
	Account,
	type AccountPermissionUpdateContract,
	Block,
	BlockHeader,
	BlockHeaderRaw,
	ResourceReceipt,
	Transaction,
	TransactionInfo,
	type TransferContract,
} from "../../src/protocol/messages.js";
import { buildTransaction, SignedTransaction } from "../../src/protocol/transaction.js";

type Answer = { readonly status?: number; readonly body: string } | "hang" | "hang up";
type Handler = (body: string) => Answer | string;

const BUILDERS: Readonly<Record<string, string>> = {
	createtransaction: "TransferContract",
	createaccount: "AccountCreateContract",
	accountpermissionupdate: "AccountPermissionUpdateContract",
	transferasset: "TransferAssetContract",
};

/** A little less than the wallet takes: it may read its clock before this node does. */
const OFFERED_LIFE_MS = 290_000;

export class FakeNode {
	readonly accounts = new Map<string, Account>();
	/** Transactions that were broadcast and accepted, in order. */
	readonly received: SignedTransaction[] = [];
	/** Paths that were asked, in order. */
	readonly asked: string[] = [];
	/** Replacements of answers, by the endpoint's name. */
	readonly handlers = new Map<string, Handler>();
	/** Whether a broadcast puts the transaction into a block at once. */
	sealing = true;
	/** Blocks by which the solidity view lags. */
	solidLag = 0;
	dialect: Dialect = "neutral";
	private readonly blocks: SignedBlock[] = [];
	private readonly receipts = new Map<string, TransactionInfo>();

	private constructor(private readonly server: Server) {
		this.seal([], 0n);
		this.seal([], BigInt(Date.now() - 3000));
	}

	static async start(): Promise<FakeNode> {
		// It closes no connection that a command is about to use.
		const server = createServer({ keepAliveTimeout: 0 });
		const node = new FakeNode(server);
		server.on("request", (request, response) => {
			void node.serve(request).then((answer) => {
				if (answer === "hang") return;
				if (answer === "hang up") {
					request.socket.destroy();
					return;
				}
				response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
				response.end(`${answer.body}\n`);
			});
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		return node;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	get genesisId(): string {
		return (this.blocks[0] as SignedBlock).idHex;
	}

	fund(address: Uint8Array, balance: bigint, init: Partial<Account> = {}): void {
		this.accounts.set(toHex(address), Account.create({ address, balance, ...init }));
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private get head(): SignedBlock {
		return this.blocks.at(-1) as SignedBlock;
	}

	seal(transactions: readonly SignedTransaction[], timestampMs = this.head.timestampMs + 3000n): void {
		const number = BigInt(this.blocks.length);
		const header = BlockHeader.create({
			raw_data: BlockHeaderRaw.create({
				number,
				timestamp: timestampMs,
				parentHash: number === 0n ? new Uint8Array(32) : this.head.id,
				version: 32,
			}),
			witness_signature: new Uint8Array(65),
		});
		const block = new SignedBlock(
			Block.create({ block_header: header, transactions: transactions.map((tx) => tx.message) }),
		);
		this.blocks.push(block);
		for (const transaction of transactions) {
			this.receipts.set(
				transaction.idHex,
				TransactionInfo.create({
					id: transaction.id,
					blockNumber: number,
					blockTimeStamp: timestampMs,
					fee: 100n,
					receipt: ResourceReceipt.create({ net_usage: 268n }),
				}),
			);
		}
	}

	/** Changes the receipt of a transaction that is in a block. */
	fail(id: string, result: number): void {
		const receipt = this.receipts.get(id);
		if (receipt) {
			receipt.result = 1;
			receipt.receipt = ResourceReceipt.create({ result });
		}
	}

	private async serve(request: IncomingMessage): Promise<Exclude<Answer, string> | "hang" | "hang up"> {
		const chunks: Buffer[] = [];
		for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
		const body = Buffer.concat(chunks).toString("utf8");
		const path = request.url ?? "";
		this.asked.push(path);
		const [, folder = "", name = ""] = path.split("/");
		const replaced = this.handlers.get(`${folder}/${name}`) ?? this.handlers.get(name);
		if (replaced) {
			const answer = replaced(body);
			return typeof answer === "string" && answer !== "hang" && answer !== "hang up"
				? { body: answer }
				: answer;
		}
		if (folder !== "wallet" && folder !== "walletsolidity") return { status: 404, body: "{}" };
		const answer = this.answer(name, body, folder === "walletsolidity");
		return answer === undefined ? { status: 405, body: "{}" } : { body: answer };
	}

	private answer(name: string, body: string, solid: boolean): string | undefined {
		const style = { visible: false, dialect: this.dialect };
		const last = this.blocks.length - 1 - (solid ? this.solidLag : 0);
		const member = (key: string): string => String((JSON.parse(body) as Record<string, unknown>)[key] ?? "");
		const builder = BUILDERS[name];
		if (builder) return this.build(contractTypeByName(builder) as ContractType, body);
		switch (name) {
			case "getnowblock":
				return blockJson(this.blocks[Math.max(last, 0)] as SignedBlock, style);
			case "getblockbynum": {
				const block = Number(member("num")) <= last ? this.blocks[Number(member("num"))] : undefined;
				return block ? blockJson(block, style) : "{}";
			}
			case "getblockbyid": {
				const block = this.blocks.find((candidate) => candidate.idHex === member("value"));
				return block ? blockJson(block, style) : "{}";
			}
			case "getaccount": {
				const account = this.accounts.get(member("address"));
				return account ? printMessage(Account, account, style) : "{}";
			}
			case "gettransactionfrompending":
			case "gettransactionbyid": {
				const found = this.received.find(({ idHex }) => idHex === member("value"));
				if (name === "gettransactionfrompending" && this.receipts.has(member("value"))) return "{}";
				return found ? transactionJson(found, style) : "{}";
			}
			case "gettransactioninfobyid": {
				const receipt = this.receipts.get(member("value"));
				return receipt && receipt.blockNumber <= BigInt(last)
					? printMessage(TransactionInfo, receipt, style)
					: "{}";
			}
			case "getnodeinfo": {
				const solidBlock = this.blocks[Math.max(this.blocks.length - 1 - this.solidLag, 0)] as SignedBlock;
				return JSON.stringify({ solidityBlock: `Num:${solidBlock.number},ID:${solidBlock.idHex}` });
			}
			case "getaccountresource":
				return '{"freeNetLimit":5000}';
			case "getchainparameters":
				return '{"chainParameter":[{"key":"getUpdateAccountPermissionFee","value":100000000}]}';
			case "broadcasthex":
				return this.broadcast(member("transaction"));
			default:
				return undefined;
		}
	}

	private build(type: ContractType, body: string): string {
		const parameter = decodeFields(type.message as NonNullable<ContractType["message"]>, body, false);
		const { Permission_id: permissionId = 0 } = JSON.parse(body) as { Permission_id?: number };
		const owner = getField(parameter, "owner_address") as Uint8Array;
		const account = this.accounts.get(toHex(owner));
		const amount = (getField(parameter, "amount") ?? 0n) as bigint;
		if (!account || account.balance < amount) {
			const name =
				this.dialect === "deployed"
					? "class org.tron.core.exception.ContractValidateException"
					: "ContractValidateException";
			return JSON.stringify({ Error: `${name} : Validate ${type.name} error, balance is not sufficient.` });
		}
		return transactionJson(
			this.transaction(type, parameter, permissionId),
			{ visible: false, dialect: this.dialect },
			{ visible: true },
		);
	}

	/** An unsigned transaction on this chain. It lives as long as a wallet takes from a builder, for machines that are slow. */
	transaction(type: ContractType, parameter: Message, permissionId = 0): SignedTransaction {
		return buildTransaction(type, parameter, {
			...refBlockOf(this.head.id),
			expirationMs: BigInt(Date.now() + OFFERED_LIFE_MS),
			timestampMs: BigInt(Date.now()),
			permissionId,
		});
	}

	/** Takes a broadcast as a node does, for a replaced answer. @param body of the request */
	take(body: string): string {
		return this.broadcast((JSON.parse(body) as { transaction: string }).transaction);
	}

	private broadcast(hex: string): string {
		const transaction = new SignedTransaction(Transaction.decode(fromHex(hex)));
		this.received.push(transaction);
		if (this.sealing) {
			this.apply(transaction);
			this.seal([transaction]);
		}
		return JSON.stringify({ result: true, code: "SUCCESS", txid: transaction.idHex, message: "" });
	}

	private apply(transaction: SignedTransaction): void {
		const account = this.accounts.get(toHex(transaction.owner));
		if (!account) return;
		if (transaction.type?.name === "TransferContract") {
			account.balance -= (transaction.parameter as unknown as TransferContract).amount;
		}
		if (transaction.type?.name === "AccountPermissionUpdateContract") {
			const update = transaction.parameter as unknown as AccountPermissionUpdateContract;
			account.owner_permission = update.owner;
			account.active_permission = update.actives;
		}
	}
}

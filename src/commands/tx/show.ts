import type { ContractInterface } from "../../abi/parameter.js";
import { toHex } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { contractTypeById } from "../../protocol/contract-types.js";
import { ParameterError, type SignedTransaction } from "../../protocol/transaction.js";
import { IdCommand, idArgument } from "../../terminal/base/id-command.js";
import { callAbiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { keystoreFlags, nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { recordLines } from "../../terminal/output/output.js";
import { lines } from "../../terminal/schema/result-shape.js";
import { transactionShape } from "../../terminal/schema/view-shapes.js";
import { labelled, readLabels } from "../../wallet/configuration/labels.js";
import { Failure } from "../../wallet/failure.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { contractSummary } from "../../wallet/transaction/contract-summary.js";
import { callMembers, type DescribedCall, describedCall } from "../../wallet/transaction/described-call.js";
import { transactionFrom, viewTransaction } from "../../wallet/transaction/transaction-view.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { parameterText } from "../../wallet/values/parameter-text.js";

export default class TxShow extends IdCommand {
	static override summary = "Show a transaction";
	static override description = "Decoded from its bytes; the id and the signers are computed here.";
	static override args = idArgument;
	static override result = lines(transactionShape);
	static override flags = { ...nodeFlags, ...solidityFlag, ...keystoreFlags, ...callAbiFlag };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TxShow);
		const settings = await this.settings(flags);
		const client = new NodeClient(settings);
		const given = await interfaceFlag(flags.abi);
		const labels = await readLabels(settings);
		for (const id of await this.ids(args.id)) {
			const answer = await client.call("gettransactionbyid", { value: toHex(id) }, this.view(flags));
			if (Object.keys(answer).length === 0)
				throw new Failure("not_found", `there is no transaction ${toHex(id)}`);
			const transaction = transactionFrom(answer, id);
			const described = await callOf(transaction, client, given);
			const call = described && callMembers(described);
			const view = viewTransaction(transaction);
			const shown = { ...view, call };
			const { txID, contract, feeLimit, type } = view;
			const text = {
				txID,
				...forPeople(transaction, described),
				...shown,
				...(described?.signature === undefined ? {} : { call: described.text }),
				...(contract === undefined ? {} : { contract: parameterText(String(type), contract) }),
				...(typeof feeLimit === "bigint" ? { feeLimit: formatCoin(feeLimit) } : {}),
			};
			this.printRecord(
				shown,
				recordLines(text).map((line) => labelled(line, labels)),
			);
		}
	}
}

/** The function that it calls, if its bytes can be read. */
async function callOf(
	transaction: SignedTransaction,
	client: NodeClient,
	given: ContractInterface | undefined,
): Promise<DescribedCall | undefined> {
	try {
		return await describedCall(transaction.parameter, { client, given });
	} catch (error) {
		if (error instanceof ParameterError || error instanceof DecodeError) return undefined;
		throw error;
	}
}

/** What it does in one sentence, with units. */
function forPeople(transaction: SignedTransaction, call: DescribedCall | undefined): object {
	const type = contractTypeById(transaction.contract?.type ?? -1);
	if (!type || transaction.owner.length === 0) return {};
	try {
		const called = call?.signature === undefined ? undefined : call.text;
		return {
			summary: contractSummary({ type, parameter: transaction.parameter }, transaction.owner, called),
		};
	} catch (error) {
		if (error instanceof ParameterError || error instanceof DecodeError) return {};
		throw error;
	}
}

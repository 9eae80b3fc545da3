import { Flags } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { callAbiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import { readEnvelopes, transactionArgument } from "../../terminal/input/envelope-stream.js";
import { Failure } from "../../wallet/failure.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { type Authority, authorityAtNode, authorityOfEnvelope } from "../../wallet/permission/authority.js";
import type { WeighedKey } from "../../wallet/permission/permission.js";
import { callMembers, type DescribedCall, describedCall } from "../../wallet/transaction/described-call.js";
import type { TransactionEnvelope } from "../../wallet/transaction/envelope.js";
import { summaryOf } from "../../wallet/transaction/envelope-note.js";

export default class WalletApprovals extends CoinCommand {
	static override summary = "Show who has signed a transaction and whose signatures are missing";
	static override args = transactionArgument;
	static override flags = {
		...nodeFlags,
		...keystoreFlags,
		...callAbiFlag,
		offline: Flags.boolean({
			description: "ask no node; believe the permission that came with the transaction",
		}),
		require: Flags.boolean({ description: "exit code 1 if a threshold is not reached" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WalletApprovals);
		const envelopes = await readEnvelopes(args.transaction);
		const settings = await this.settings(flags);
		const client = new NodeClient(settings);
		const given = await interfaceFlag(flags.abi);
		const { entries } = await listKeystore(settings.keystoreDirectory);
		const labels = new Map(entries.map((entry) => [entry.base58, entry.name]));
		for (const envelope of envelopes) {
			const authority = flags.offline
				? authorityOfEnvelope(envelope, Date.now())
				: await authorityAtNode(envelope, client);
			const call = await describedCall(envelope.transaction.parameter, {
				client: flags.offline ? undefined : client,
				contactsFile: settings.contactsFile,
				given,
			});
			this.printRecord(approvalsOf(envelope, authority, labels, call));
			const { ready, missing } = authority.approval;
			if (flags.require && !ready)
				throw new Failure("threshold_not_reached", `a weight of ${missing} is missing`);
		}
	}
}

function approvalsOf(
	envelope: TransactionEnvelope,
	authority: Authority,
	labels: ReadonlyMap<string, string>,
	call: DescribedCall | undefined,
): object {
	const { permission, approval, source, nowMs } = authority;
	const key = ({ address, weight }: WeighedKey): object => {
		const base58 = toBase58Check(address);
		const name = labels.get(base58);
		return { address: base58, weight, ...(name === undefined || name === base58 ? {} : { name }) };
	};
	const expiration = envelope.transaction.raw?.expiration ?? 0n;
	return {
		txID: envelope.transaction.idHex,
		type: envelope.type.name,
		account: toBase58Check(envelope.owner),
		summary: summaryOf(envelope, call),
		call: call && callMembers(call),
		permission: { id: permission.id, name: permission.permission_name, threshold: permission.threshold },
		weight: approval.weight,
		missing: approval.missing,
		ready: approval.ready,
		approved: approval.approved.map(key),
		outstanding: approval.outstanding.map(key),
		expiration,
		expired: expiration <= nowMs,
		signatures: envelope.signers.length,
		source,
	};
}

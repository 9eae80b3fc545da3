import { Flags } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { artefactArgument, readArtefacts } from "../../terminal/artefact-stream.js";
import { CoinCommand } from "../../terminal/coin-command.js";
import { keystoreFlags, nodeFlags } from "../../terminal/flags.js";
import type { Artefact } from "../../wallet/artefact.js";
import { summaryOf } from "../../wallet/artefact-note.js";
import { type Authority, authorityAtNode, authorityOfArtefact } from "../../wallet/authority.js";
import { Failure } from "../../wallet/failure.js";
import { NodeClient } from "../../wallet/node-client.js";
import type { WeighedKey } from "../../wallet/permission.js";

export default class WalletApprovals extends CoinCommand {
	static override summary = "Show who has signed a transaction and whose signatures are missing";
	static override args = artefactArgument;
	static override flags = {
		...nodeFlags,
		...keystoreFlags,
		offline: Flags.boolean({ description: "ask no node; believe the permission in the artefact" }),
		require: Flags.boolean({ description: "exit code 1 if a threshold is not reached" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WalletApprovals);
		const artefacts = await readArtefacts(args.artefact);
		const settings = await this.settings(flags);
		const client = new NodeClient(settings);
		const { entries } = await listKeystore(settings.keystoreDirectory);
		const labels = new Map(entries.map((entry) => [entry.base58, entry.name]));
		for (const artefact of artefacts) {
			const authority = flags.offline
				? authorityOfArtefact(artefact, Date.now())
				: await authorityAtNode(artefact, client);
			this.printRecord(approvalsOf(artefact, authority, labels));
			const { ready, missing } = authority.approval;
			if (flags.require && !ready)
				throw new Failure("threshold_not_reached", `a weight of ${missing} is missing`);
		}
	}
}

function approvalsOf(artefact: Artefact, authority: Authority, labels: ReadonlyMap<string, string>): object {
	const { permission, approval, source, nowMs } = authority;
	const key = ({ address, weight }: WeighedKey): object => {
		const base58 = toBase58Check(address);
		const name = labels.get(base58);
		return { address: base58, weight, ...(name === undefined || name === base58 ? {} : { name }) };
	};
	const expiration = artefact.transaction.raw?.expiration ?? 0n;
	return {
		txID: artefact.transaction.idHex,
		type: artefact.type.name,
		account: toBase58Check(artefact.owner),
		summary: summaryOf(artefact),
		permission: { id: permission.id, name: permission.permission_name, threshold: permission.threshold },
		weight: approval.weight,
		missing: approval.missing,
		ready: approval.ready,
		approved: approval.approved.map(key),
		outstanding: approval.outstanding.map(key),
		expiration,
		expired: expiration <= nowMs,
		signatures: artefact.signers.length,
		source,
	};
}
